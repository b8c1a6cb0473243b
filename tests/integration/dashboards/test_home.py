"""Home: what each role needs next, and how long budgets last at the present pace."""

from collections.abc import Callable
from datetime import UTC, date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dpgov.budgets.charging import lifetime
from dpgov.budgets.models import Budget, RateLimit
from dpgov.budgets.services import freeze_tenant, set_rate_limit
from dpgov.budgets.services.raising import request_raise
from dpgov.dashboards.forecast.forecast import Forecast, Tightest
from dpgov.dashboards.home.checklist import checklist
from dpgov.dashboards.home.headline import headline
from dpgov.datasets import status
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import pause_questions
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.answering.tally import tally
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of
from tests.cast import Ask, join
from tests.integration.budgets.shared.sharing import shared_budget
from tests.integration.queries.web.test_quote_page import text_of

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


def registered(dataset: Dataset, days: int) -> None:
    """As if it had been there for so many days, and its budgets too."""
    before = timezone.now() - timedelta(days=days)
    Dataset.objects.filter(pk=dataset.pk).update(created_at=before)
    Budget.objects.update(created_at=before)


def test_a_forecast_is_what_remains_at_the_pace_of_thirty_days(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, officer: Membership,
    owner: Membership, dataset: Dataset, client_for: ClientFor,
) -> None:  # fmt: skip
    """ε 2 in 30 days leaves ε 8, so 120 days; the same before and after the tallies counted it."""
    registered(dataset, 400)
    ask(analyst, epsilon=2)
    answer_all()
    for _ in range(2):
        ((found, _line),) = client_for(owner).get("/").context["budgets"]
        assert (found.taken_nano, found.days_left) == (2 * NANO, 120)
        tally(dataset.tenant_id)
    assert Query.objects.get().counted
    assert found.words == "in about 120 days at this pace"


AGES = [
    (0, None, "too early to tell"),
    (6, None, "too early to tell"),
    (10, 40, "in about 40 days at this pace"),
    (30, 120, "in about 120 days at this pace"),
]


@pytest.mark.parametrize(("age", "days", "words"), AGES)
def test_a_young_dataset_has_the_pace_of_its_own_days(
    age: int, days: int | None, words: str, ask: Ask, answer_all: Callable[[], int],
    analyst: Membership, owner: Membership, dataset: Dataset, client_for: ClientFor,
) -> None:  # fmt: skip
    """ε 2 of 10 asked on the first day: what is left does not last for 120 days."""
    registered(dataset, age)
    ask(analyst, epsilon=2)
    answer_all()
    ((found, _line),) = client_for(owner).get("/").context["budgets"]
    assert found.days_left == days
    assert found.words == words


WORDS = [
    (10, 0, None, "never at this pace: nothing was asked in 30 days"),
    (0, 5, 0, "used up"),
    (10, 1, None, "not within ten years at this pace"),
    (10, 1, 1, "in about 1 day at this pace"),
]


@pytest.mark.parametrize(("left", "taken", "days", "words"), WORDS)
def test_a_forecast_in_words(
    dataset: Dataset, left: int, taken: int, days: int | None, words: str
) -> None:
    assert Forecast(dataset, taken, left, days).words == words


def test_a_forecast_knows_the_budget_that_a_dataset_shares(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, owner: Membership,
    dataset: Dataset, client_for: ClientFor,
) -> None:  # fmt: skip
    """L16: of ε 8 in the dataset's budget ε 1 is left in the shared one: 15 days, not 120."""
    shared_budget(owner.tenant, "The same people", dataset.budget, limit=3 * NANO)
    registered(dataset, 400)
    ask(analyst, epsilon=2)
    answer_all()
    page = client_for(owner).get("/")
    ((found, _line),) = page.context["budgets"]
    assert (found.left_nano, found.days_left, found.tightest) == (NANO, 15, Tightest.SHARED)
    assert "of a shared budget" in page.text


@pytest.mark.parametrize("role", ["owner", "analyst", "officer", "admin"])
def test_everybody_has_a_list_to_begin_with(
    role: str, request: pytest.FixtureRequest, client_for: ClientFor
) -> None:
    member = request.getfixturevalue(role)
    page = client_for(member).get("/")
    assert page.status_code == 200
    assert len(page.context["checklist"]) >= 3
    assert "Get started" in page.text


def test_the_list_goes_after_a_month_for_whoever_has_begun(
    dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    """A step that is open stays open; but whoever did nothing yet still sees where to begin."""
    long_ago = clock.now() - timedelta(days=31)
    assert client_for(analyst).get("/").context["checklist"]
    Membership.objects.filter(pk=analyst.pk).update(role_since=long_ago)
    analyst.refresh_from_db()
    assert checklist(analyst) == []
    Dataset.objects.update(archived_at=clock.now())
    assert [item.done for item in checklist(analyst)] == [False, False, False]


def test_home_asks_the_database_little(
    ask: Ask, analyst: Membership, owner: Membership, officer: Membership, dataset: Dataset,
    client_for: ClientFor, django_assert_max_num_queries: Any,
) -> None:  # fmt: skip
    """At most 13, of which an owner has one for surveys."""
    ask(analyst)
    request_raise(membership=owner, budget=dataset.budget, limit_nano=20 * NANO, reason="more")
    for member in (owner, officer):
        browser = client_for(member)
        browser.get("/")
        with django_assert_max_num_queries(13):
            page = browser.get("/")
        assert "Requests that wait" in page.text


def test_a_day_comes_with_those_of_the_busiest_and_the_quietest_week(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, owner: Membership,
    dataset: Dataset, client_for: ClientFor,
) -> None:  # fmt: skip
    """ε 1 this week and ε 0.5 in each of the three before: ε 7.5 left at ε 2.5 in 30 days."""
    registered(dataset, 400)
    for week, cost in enumerate(("1", "0.5", "0.5", "0.5")):
        asked = ask(analyst, epsilon=cost)
        then = asked.submitted_at - timedelta(days=7 * week)
        Query.objects.filter(pk=asked.pk).update(submitted_at=then)
    answer_all()
    ((found, _line),) = client_for(owner).get("/").context["budgets"]
    assert (found.soonest, found.days_left, found.latest) == (53, 90, 105)
    today = timezone.now().astimezone(UTC).date()
    assert found.ends_on == today + timedelta(days=90)


def test_no_forecast_is_faster_than_a_rate_admits(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, owner: Membership,
    dataset: Dataset, client_for: ClientFor,
) -> None:  # fmt: skip
    """L16: at ε 0.4 a week what is left, ε 8, lasts 140 days, however fast it went before."""
    registered(dataset, 400)
    ask(analyst, epsilon=2)
    answer_all()
    set_rate_limit(
        budget=dataset.budget,
        period=RateLimit.Period.WEEK,
        limit_nano=4 * NANO // 10,
        actor=actor_of(owner.user),
    )
    ((found, _line),) = client_for(owner).get("/").context["budgets"]
    assert (found.soonest, found.days_left) == (140, 140)


def test_the_line_is_what_was_left_on_each_day(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, owner: Membership,
    dataset: Dataset, client_for: ClientFor,
) -> None:  # fmt: skip
    """ε 2 of 10 ten days ago, ε 1 today."""
    registered(dataset, 400)
    first = ask(analyst, epsilon=2)
    then = first.submitted_at - timedelta(days=10)
    Query.objects.filter(pk=first.pk).update(submitted_at=then)
    answer_all()
    ask(analyst, epsilon=1)
    ((found, line),) = client_for(owner).get("/").context["budgets"]
    assert [nano // NANO for nano in found.course] == [10] * 19 + [8] * 10 + [7]
    assert line.sentence == "Left in the last 30 days: from 100% to 70% of the limit."


HEADLINES = [
    (2, "1 budget ends before May at its present pace."),
    (0, "No budget ends within the next three months."),
    (10, "1 budget is used up."),
]


@pytest.mark.parametrize(("epsilon", "sentence"), HEADLINES)
def test_one_sentence_says_what_ends(dataset: Dataset, epsilon: int, sentence: str) -> None:
    """Of ε 10, so much taken in 30 days: ε 2 would leave 74 days from 14 February."""
    dataset.budget.limit_nano, dataset.budget.spent_nano = 10 * NANO, epsilon * NANO
    left, day = (10 - epsilon) * NANO, date(2026, 2, 14)
    days = 60 if epsilon == 2 else None
    limits = [lifetime(dataset.budget)]
    found = Forecast(dataset, epsilon * NANO, left, days, limits=limits, today=day)
    assert headline([found], day) == sentence


STANDING = [
    ({}, 0, "Open"),
    ({}, 9, "Low"),
    ({}, 10, "Used up"),
    ({"frozen_at": timezone.now()}, 10, "Frozen"),
    ({"paused_at": timezone.now()}, 10, "Paused"),
]


@pytest.mark.parametrize(("moments", "epsilon", "word"), STANDING)
def test_a_dataset_says_in_one_word_how_it_stands(
    moments: dict[str, Any], epsilon: int, word: str, dataset: Dataset
) -> None:
    dataset.budget.spent_nano = epsilon * NANO
    for name, value in moments.items():
        setattr(dataset if name == "paused_at" else dataset.budget, name, value)
    assert str(status.WORDS[status.status_of(dataset, [lifetime(dataset.budget)])]) == word


@pytest.mark.parametrize(("reason", "word"), [("new_data", "Held"), ("paused", "Paused")])
def test_a_held_dataset_says_so_to_its_owner_alone(
    reason: str, word: str, dataset: Dataset, owner: Membership, analyst: Membership,
    client_for: ClientFor,
) -> None:  # fmt: skip
    Dataset.objects.update(held_at=timezone.now(), held_reason=reason)
    assert f">{word}<" in client_for(owner).get("/").text
    another = join(owner.tenant, Role.OWNER, "oskar")
    for member in (another, analyst):
        assert dataset.name not in client_for(member).get("/").text


def test_analysts_see_no_forecast(
    dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    """What others took in thirty days is theirs."""
    assert "budgets" not in client_for(analyst).get("/").context


def test_what_is_frozen_is_not_called_used_up_and_no_budget_is_asked_for(
    dataset: Dataset, owner: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    """A9: on Home, where datasets are found and on its budget's page: it waits for an officer."""
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    asker, budget = client_for(analyst), reverse("dashboards:budget", args=[dataset.slug])
    for page in (reverse("dashboards:home"), reverse("datasets:find")):
        answer = asker.get(page)
        assert "Visits Frozen" in text_of(answer.content)
        assert "nothing until a compliance officer has confirmed its balance" in answer.text
        assert reverse("queries:budget_ask", args=[dataset.slug]) not in answer.text
    for text in (one.get(budget).text for one in (asker, client_for(owner))):
        assert "Nothing until a compliance officer has confirmed its balance." in text
        assert "Nothing fits any more" not in text
        assert "used up" not in text


def test_what_is_paused_is_offered_to_nobody(
    dataset: Dataset, owner: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    """On Home and where datasets are found: no question of it would be taken."""
    asking = reverse("queries:ask", args=[dataset.slug])
    pages = [reverse("dashboards:home"), reverse("datasets:find")]
    client = client_for(analyst)
    assert all(f'href="{asking}"' in client.get(page).text for page in pages)
    pause_questions(dataset=dataset, user=owner.user, reason="a new scale")
    for page in pages:
        text = client.get(page).text
        assert "nothing while its questions are paused" in text
        assert f'href="{asking}"' not in text
        assert reverse("queries:budget_ask", args=[dataset.slug]) not in text
