"""What the demonstration's 90 days are driven by keeps its promises, whenever they begin.

Lived through they are in tests/journeys/test_ninety_days.py, which takes minutes.
"""

from collections import Counter
from datetime import date, timedelta

import pytest

from dpgov.demo.census import adult
from dpgov.demo.life import events as life
from dpgov.demo.life.asking import HABITS, DemoQuestion, asked_on
from dpgov.demo.life.datasets import REGISTER, STAYS, STAYS_AGAIN, SURVEY
from dpgov.demo.life.events import events
from dpgov.demo.past import DAYS
from dpgov.demo.people import ANALYST, BELA, CHEN, DORA, ELSEWHERE, TENANT
from dpgov.privacy.accounting.decimals import NANO

_SURVEY = SURVEY.declaration.name
_USED_UP_ON = 72
# One of each day of the week: offices are closed on two of them.
FIRST_DAYS = [date(2026, 8, 24) + timedelta(days=place) for place in range(7)]


@pytest.fixture(params=FIRST_DAYS, ids=str)
def asked(request: pytest.FixtureRequest) -> list[tuple[int, DemoQuestion]]:
    """Every question with its day."""
    first: date = request.param
    days = [(day, asked_on(day, first + timedelta(days=day))) for day in range(DAYS)]
    return [(day, one) for day, questions in days for one in questions]


def test_four_analysts_ask_about_three_datasets(asked: list[tuple[int, DemoQuestion]]) -> None:
    assert {one.person for _, one in asked} == {ANALYST, BELA, CHEN, DORA}
    assert {one.dataset for _, one in asked} == {adult.NAME, STAYS.declaration.name, _SURVEY}
    assert len({one.key for _, one in asked}) == len(asked)


def test_one_budget_is_used_up_and_asked_for_afterwards(
    asked: list[tuple[int, DemoQuestion]],
) -> None:
    """Which are the refusals: nothing is left of it, and people go on asking."""
    wanted: Counter[str] = Counter()
    for _, one in asked:
        wanted[one.dataset] += round(one.plan["epsilon"] * NANO)
    raised_limit = 14 * NANO
    assert wanted[_SURVEY] > SURVEY.declaration.limit_nano
    assert wanted[STAYS.declaration.name] < STAYS.declaration.limit_nano
    assert wanted[adult.NAME] < raised_limit
    assert any(day > _USED_UP_ON and one.dataset == _SURVEY for day, one in asked)


def test_nothing_is_asked_before_it_is_registered() -> None:
    happens = {doing: after for after, doing in events("a password of theirs")}
    for table in (STAYS, SURVEY):
        (habit,) = [one for one in HABITS if one.dataset == table.declaration.name]
        assert happens[table.register] < timedelta(days=habit.since, hours=8)
    assert all(after < timedelta(days=DAYS) for after in happens.values())


def test_the_higher_limit_that_waits_in_the_end_can_be_granted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing raises the limit of the stays before, and what is asked is above it."""
    wanted: list[tuple[object, ...]] = []
    monkeypatch.setattr(life, "_ask", lambda *words: wanted.append(words))
    last = max(events("a password of theirs"), key=lambda one: one[0])
    last[1]()
    ((_who, name, about, epsilon, _why),) = wanted
    assert (name, about) == (STAYS.declaration.name, "limit")
    assert isinstance(epsilon, int)
    assert epsilon * NANO > STAYS.declaration.limit_nano


def test_an_upload_resembles_what_its_owner_brought_before() -> None:
    """So it is held; the same rows over again would share the budget at once."""
    first, again = (set(table.csv().splitlines()) for table in (STAYS, STAYS_AGAIN))
    assert first != again
    assert len(first & again) > len(again) * 9 / 10
    assert STAYS_AGAIN.owner == STAYS.owner


def test_a_budget_is_shared_by_two_organisations() -> None:
    assert (SURVEY.owner.tenant, REGISTER.owner.tenant) == (TENANT, ELSEWHERE)
    happens = [doing for _, doing in events("a password of theirs")]
    assert REGISTER.register in happens
