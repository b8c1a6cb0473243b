"""The desk: what each role needs next, and how long budgets last at the present pace."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from dpgov.budgets.models import Budget
from dpgov.budgets.services.raising import request_raise
from dpgov.dashboards.desk.forecast import Forecast
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.answering.tally import tally
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.budgets.sharing import shared_budget

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
        (found,) = client_for(owner).get("/desk/").context["forecasts"]
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
    (found,) = client_for(owner).get("/desk/").context["forecasts"]
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
    page = client_for(owner).get("/desk/")
    (found,) = page.context["forecasts"]
    assert (found.left_nano, found.days_left, found.shared) == (NANO, 15, True)
    assert "of a shared budget" in page.text


@pytest.mark.parametrize("role", ["owner", "analyst", "officer", "admin"])
def test_everybody_has_a_list_to_begin_with(
    role: str, request: pytest.FixtureRequest, client_for: ClientFor
) -> None:
    member = request.getfixturevalue(role)
    page = client_for(member).get("/desk/")
    assert page.status_code == 200
    assert len(page.context["checklist"]) >= 3
    assert "To begin with" in page.text


def test_the_desk_asks_the_database_little(
    ask: Ask, analyst: Membership, owner: Membership, officer: Membership, dataset: Dataset,
    client_for: ClientFor, django_assert_max_num_queries: Any,
) -> None:  # fmt: skip
    """At most 12."""
    ask(analyst)
    request_raise(membership=owner, budget=dataset.budget, limit_nano=20 * NANO, reason="more")
    for member in (owner, officer):
        browser = client_for(member)
        browser.get("/desk/")
        with django_assert_max_num_queries(12):
            page = browser.get("/desk/")
        assert "Requests that wait" in page.text


def test_analysts_see_no_forecast(
    dataset: Dataset, analyst: Membership, client_for: ClientFor
) -> None:
    """What others took in thirty days is theirs."""
    assert "forecasts" not in client_for(analyst).get("/desk/").context
