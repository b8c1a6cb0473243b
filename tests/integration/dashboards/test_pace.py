"""The last thirty days are the same thirty wherever a pace is told."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.budgets.models import Charge
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.budgets.shared.sharing import shared_budget
from tests.integration.dashboards.test_home import registered
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


@pytest.mark.parametrize(("ago", "taken"), [(29, 2 * NANO), (30, 0)])
def test_thirty_days_are_thirty_with_today(
    ago: int, taken: int, ask: Ask, answer_all: Callable[[], int], analyst: Membership,
    owner: Membership, dataset: Dataset, client_for: ClientFor,
) -> None:  # fmt: skip
    """What was asked on the day before them counts neither in the sum nor in the pace."""
    registered(dataset, 400)
    asked = ask(analyst, epsilon=2)
    then = asked.submitted_at - timedelta(days=ago)
    Query.objects.filter(pk=asked.pk).update(submitted_at=then)
    answer_all()
    browser = client_for(owner)
    ((at_home, _line),) = browser.get("/").context["budgets"]
    address = reverse("dashboards:budget", args=[dataset.slug])
    on_its_page = browser.get(f"{address}?range=90").context["forecast"]
    assert [one.taken_nano for one in (at_home, on_its_page)] == [taken, taken]


@pytest.mark.tampers_with_ledger
def test_the_pace_of_a_shared_budget_is_of_the_same_days_whatever_range_is_looked_at(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, owner: Membership,
    dataset: Dataset, client_for: ClientFor,
) -> None:  # fmt: skip
    """ε 1 of 4 was taken two months ago and ε 0.5 today: 2.5 are left for 150 days."""
    shared_budget(owner.tenant, "The same people", dataset.budget, limit=4 * NANO)
    registered(dataset, 400)
    first = ask(analyst, epsilon=1)
    answer_all()
    then = first.submitted_at - timedelta(days=60)
    Query.objects.filter(pk=first.pk).update(submitted_at=then)
    with without_triggers("budgets_charge"):
        Charge.objects.update(created_at=then)
    ask(analyst, epsilon="0.5")
    answer_all()
    address = reverse("dashboards:budget", args=[dataset.slug])
    for chosen in ("30", "90", "all"):
        found = client_for(owner).get(f"{address}?range={chosen}").context["forecast"]
        assert (found.left_nano, found.days_left) == (5 * NANO // 2, 150), chosen
