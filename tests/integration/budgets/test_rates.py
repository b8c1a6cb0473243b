"""Rates by day, week and month: when a window turns over, and what never turns over with it."""

import uuid
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from pytest_django import Settings

from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.charging import limits_touched
from dpgov.budgets.errors import InsufficientBudget
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Budget, RateLimit
from dpgov.budgets.services import (
    Line,
    change_limit,
    expire,
    open_parts,
    reserve,
    set_rate_limit,
    settle,
    void,
)
from dpgov.budgets.standing import rates_of
from tests.integration.budgets.conftest import NANO

pytestmark = pytest.mark.django_db

DAY, WEEK, MONTH = RateLimit.Period
BERLIN = ZoneInfo("Europe/Berlin")
SECOND = timedelta(seconds=1)


@pytest.fixture
def in_berlin(settings: Settings, budget: Budget) -> Generator[None]:
    """An installation where clocks change, an hour or two away from UTC.

    Recounted there, because the windows of one zone are not those of another.
    """
    settings.TIME_ZONE = "Europe/Berlin"
    yield
    assert ledger_findings() == []
    RateLimit.objects.all().delete()


def limit_to(
    budget: Budget, period: RateLimit.Period, nano: int | None, at: datetime | None = None
) -> None:
    set_rate_limit(
        budget=budget, period=period, limit_nano=nano, actor=OPERATOR, reason="test", moment=at
    )


def take(budget: Budget, nano: int, at: datetime | None = None) -> uuid.UUID:
    query_id = uuid.uuid4()
    reserve(
        query_id=query_id,
        tenant_id=budget.tenant_id,
        lines=[Line(budget.pk, nano)],
        moment=at,
    )
    return query_id


def refused(budget: Budget, nano: int, at: datetime | None = None) -> InsufficientBudget:
    with pytest.raises(InsufficientBudget) as refusal:
        take(budget, nano, at)
    return refusal.value


MIDNIGHTS = {
    "a plain day": (DAY, (2026, 6, 10)),
    "the clocks go forward": (DAY, (2026, 3, 29)),
    "the day after": (DAY, (2026, 3, 30)),
    "the clocks go back": (DAY, (2026, 10, 25)),
    "the day after that": (DAY, (2026, 10, 26)),
    "a leap day": (DAY, (2028, 2, 29)),
    "the day after a leap day": (DAY, (2028, 3, 1)),
    "a Monday": (WEEK, (2026, 6, 8)),
    "the Monday after the clocks went forward": (WEEK, (2026, 3, 30)),
    "the first Monday of a year": (WEEK, (2027, 1, 4)),
    "a month": (MONTH, (2026, 7, 1)),
    "March after a leap day": (MONTH, (2028, 3, 1)),
    "a year": (MONTH, (2027, 1, 1)),
}


@pytest.mark.parametrize(("period", "day"), MIDNIGHTS.values(), ids=MIDNIGHTS)
def test_a_window_turns_over_at_local_midnight_and_not_a_second_earlier(
    in_berlin: None, budget: Budget, period: RateLimit.Period, day: tuple[int, int, int]
) -> None:
    """F7: one second before midnight the old window counts, at midnight the new one."""
    midnight = datetime(*day, tzinfo=BERLIN).astimezone(UTC)
    limit_to(budget, period, 10, midnight - SECOND)
    take(budget, 10, midnight - SECOND)
    refused(budget, 1, midnight - SECOND)
    take(budget, 10, midnight)
    refused(budget, 1, midnight + SECOND)
    assert Budget.objects.get(pk=budget.pk).reserved_nano == 20
    assert RateLimit.objects.get().taken_nano == 10


def test_a_day_of_25_hours_is_one_day(in_berlin: None, budget: Budget) -> None:
    """F7: the hour that comes twice does not open a window of its own."""
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    limit_to(budget, DAY, 10, first)
    for hours in range(2):
        take(budget, 5, first + timedelta(hours=hours))
    refused(budget, 1, datetime(2026, 10, 25, 22, 59, 59, tzinfo=UTC))
    take(budget, 10, datetime(2026, 10, 25, 23, 0, tzinfo=UTC))


def test_a_week_over_new_year_is_one_week(in_berlin: None, budget: Budget) -> None:
    """F7: Monday 28 December to Sunday 3 January, while the month turns over inside it."""
    before, after = (datetime(*day, 12, tzinfo=BERLIN) for day in ((2026, 12, 31), (2027, 1, 3)))
    limit_to(budget, WEEK, 10, before)
    limit_to(budget, MONTH, 8, before)
    take(budget, 6, before)
    take(budget, 4, after)
    assert "a week" in refused(budget, 1, after).limit
    take(budget, 4, datetime(2027, 1, 4, tzinfo=BERLIN))
    assert "a month" in refused(budget, 1, datetime(2027, 1, 5, tzinfo=BERLIN)).limit


def test_a_new_window_gives_nothing_back_to_the_lifetime_limit(budget: Budget) -> None:
    """F7: ten days of ε 1 use up ε 10, whatever the calendar says."""
    start = datetime(2026, 5, 1, 12, tzinfo=UTC)
    limit_to(budget, DAY, NANO, start)
    for day in range(10):
        take(budget, NANO, start + timedelta(days=day))
    refusal = refused(budget, 1, start + timedelta(days=400))
    assert refusal.limit == "the dataset's budget"
    assert refusal.remaining_nano == 0


def test_a_refusal_names_the_rate_and_what_it_still_admits(budget: Budget) -> None:
    limit_to(budget, DAY, 10)
    take(budget, 7)
    refusal = refused(budget, 4)
    assert refusal.remaining_nano == 3
    assert refusal.limit == "what may be used a day of the dataset's budget"


@pytest.mark.parametrize("give_back", [void, expire])
def test_what_is_given_back_goes_to_the_window_that_it_was_taken_in(
    budget: Budget, give_back: object
) -> None:
    """F7: yesterday's hold makes no room today; today's does."""
    noon = datetime(2026, 5, 5, 12, tzinfo=UTC)
    limit_to(budget, DAY, 10, noon - timedelta(days=1))
    yesterdays = take(budget, 4, noon - timedelta(days=1))
    todays = take(budget, 10, noon)
    give_back(query_id=yesterdays)  # type: ignore[operator]
    refused(budget, 1, noon)
    give_back(query_id=todays)  # type: ignore[operator]
    take(budget, 10, noon)
    assert Budget.objects.get(pk=budget.pk).reserved_nano == 10


def test_a_settled_question_stays_in_its_window(budget: Budget) -> None:
    """F7: an answer is no room for another one."""
    limit_to(budget, DAY, 10)
    settle(query_id=take(budget, 10), amount_nano=10)
    refused(budget, 1)


def test_a_rate_set_later_counts_what_was_used_already(budget: Budget) -> None:
    """F7: in the present window, without what was given back and what is older."""
    noon = datetime(2026, 5, 5, 12, tzinfo=UTC)
    take(budget, 3, noon - timedelta(days=1))
    take(budget, 4, noon)
    void(query_id=take(budget, 2, noon))
    limit_to(budget, DAY, 10, noon)
    assert RateLimit.objects.get().taken_nano == 4
    take(budget, 6, noon)
    refused(budget, 1, noon)


def test_a_lowered_rate_counts_at_once_and_remaining_is_never_negative(budget: Budget) -> None:
    """A8, F7: below what was used in the window nothing more is admitted until it is over."""
    limit_to(budget, DAY, 10)
    take(budget, 8)
    limit_to(budget, DAY, 5)
    assert refused(budget, 1).remaining_nano == 0
    (tightest, *_) = limits_touched([Line(budget.pk, 1)])
    assert (tightest.remaining_nano, tightest.period) == (0, "day")
    take(budget, 5, tomorrow())


def tomorrow() -> datetime:
    return datetime.now(UTC) + timedelta(days=1)


def test_a_rate_changes_no_lifetime_limit_and_the_other_way_round(budget: Budget) -> None:
    """F7: one entry each, with what was before."""
    limit_to(budget, WEEK, 7)
    limit_to(budget, WEEK, 9)
    assert Budget.objects.get(pk=budget.pk).limit_nano == 10 * NANO
    change_limit(budget=budget, limit_nano=NANO, actor=OPERATOR, reason="less")
    assert RateLimit.objects.get().limit_nano == 9
    entries = list(AuditEntry.objects.order_by("sequence"))
    assert [entry.action for entry in entries][:2] == ["BUDGET_RATE_CHANGED"] * 2
    assert '"before_epsilon":"0.000000007"' in entries[1].detail


def test_a_lifted_rate_is_gone(budget: Budget) -> None:
    limit_to(budget, DAY, 1)
    refused(budget, 2)
    limit_to(budget, DAY, None)
    take(budget, 2)
    assert not RateLimit.objects.exists()


def test_each_part_of_a_partition_has_the_rate_to_itself(budget: Budget) -> None:
    """F5, F7: what one part used leaves the others alone."""
    open_parts(budget=budget, parts=["North", "South"])
    limit_to(budget, DAY, 10)
    north, south = (part.budget for part in budget.parts.order_by("position"))
    take(north, 10)
    refused(north, 1)
    take(south, 4)
    assert [rate.taken_nano for rate in rates_of(budget)] == [10, 0, 0]


def test_the_pages_see_the_window_that_the_ledger_sees(in_berlin: None, budget: Budget) -> None:
    """F7: after midnight a quote has the whole rate again, and says until when."""
    midnight = datetime(2026, 3, 29, tzinfo=BERLIN)
    limit_to(budget, DAY, 10, midnight - SECOND)
    take(budget, 10, midnight - SECOND)
    before, after = (
        limits_touched([Line(budget.pk, 1)], moment)[0] for moment in (midnight - SECOND, midnight)
    )
    assert (before.fit_nano, str(before.renews_on)) == (0, "2026-03-29")
    assert (after.fit_nano, str(after.renews_on)) == (10, "2026-03-30")


@pytest.mark.tampers_with_ledger
def test_a_rate_that_counted_wrongly_is_found(budget: Budget) -> None:
    """A4: the recount adds up each window from its holds."""
    limit_to(budget, DAY, 10)
    take(budget, 4)
    assert ledger_findings() == []
    RateLimit.objects.update(taken_nano=3)
    assert [finding for finding in ledger_findings() if "a day says" in finding]
