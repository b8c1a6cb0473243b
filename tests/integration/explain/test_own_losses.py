"""M82: losses of one's own datasets and surveys, by the people they are about.

What could leak: who shares a budget and what its total is, to a role that may not see shared
budgets; a dataset that this person does not see; anything of another organisation. What could be
told wrong: a sum in which the same people count twice, or a survey that is in no sum.
"""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget
from dpgov.budgets.services.shared_budgets import join_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.explain.own_losses import People, own_losses
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from dpgov.surveys.models import Survey
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from tests.integration.budgets.shared.sharing import divided, merged
from tests.integration.dashboards.reading import page
from tests.integration.limits.test_shared_budgets import register  # noqa: F401 - a fixture
from tests.integration.surveys.made import agreed, asked_for, drafted, opened, shared
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
YEARLY, ALONE = "Who pays?", "Who smokes?"


@made_once
def residents(owner: Membership, officer: Membership, dataset: Dataset) -> Budget:
    """Shared by the dataset “Visits” and a survey of ε 1; a survey of its own stands beside it."""
    budget = shared(owner, limit_nano=8 * NANO, name="Residents")
    join_shared_budget(shared_budget=budget, dataset_budget=dataset.budget, actor=OPERATOR)
    agreed(officer, asked_for(owner, drafted(owner, question=YEARLY, shared_budget=budget)))
    opened(owner, question=ALONE)
    return budget


def told(membership: Membership) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Each group: its name, its total, and what is in it."""
    with acting_for(membership.tenant_id):
        return [_told(one) for one in own_losses(membership)]


def _told(people: People) -> tuple[str, str, list[tuple[str, str]]]:
    name = people.shared_budget.label if people.shared_budget else ""
    return name, people.so_far, [(one.name, one.so_far) for one in people.losses]


def test_datasets_and_surveys_of_the_same_people_stand_under_their_total(
    residents: Budget,
    in_use: list[Query],
    register: Dataset,  # noqa: F811
    owner: Membership,
) -> None:
    """M82: the total is the ledger's: 1.875 of answers and 1 of the survey; the rest by itself."""
    assert told(owner) == [
        ("Residents", "ε 2.875", [("Visits", "ε 1.875"), (YEARLY, "ε 1")]),
        ("", "", [("Register", "ε 0"), (ALONE, "ε 1")]),
    ]


def test_who_may_not_see_shared_budgets_sees_each_by_itself(
    residents: Budget, analyst: Membership, admin: Membership, client_for: ClientFor
) -> None:
    """M82: neither a name nor a total of them; a survey where its role may see surveys."""
    losses = [("Visits", "ε 0"), (YEARLY, "ε 1"), (ALONE, "ε 1")]
    assert told(analyst) == [("", "", losses)]
    assert told(admin) == [("", "", losses[:1])]
    for member in (analyst, admin):
        html = page(client_for(member), reverse("explain:lesson", args=["many-databases"]))
        assert "Residents" not in html
        assert str(residents.pk) not in html


def test_a_merge_carries_a_survey_to_its_peoples_new_total(
    residents: Budget, owner: Membership, officer: Membership
) -> None:
    """M82: what was charged to the ended budget is in the sum of the one that goes on."""
    kept = shared(owner, limit_nano=8 * NANO, name="Everybody")
    merged(owner, officer, kept, residents)
    own, alone = ("Visits", "ε 0"), (ALONE, "ε 1")
    assert told(owner) == [("Everybody", "ε 1", [own, (YEARLY, "ε 1")]), ("", "", [alone])]


def test_a_division_leaves_a_survey_on_both_sides(
    residents: Budget,
    register: Dataset,  # noqa: F811
    owner: Membership,
    officer: Membership,
) -> None:
    """M82: nobody can tell whose loss it was, so that it counts in both sums."""
    join_shared_budget(shared_budget=residents, dataset_budget=register.budget, actor=OPERATOR)
    divided(owner, officer, residents, register.budget)
    survey = (YEARLY, "ε 1")
    assert told(owner) == [
        ("B", "ε 1", [("Register", "ε 0"), survey]),
        ("Residents", "ε 1", [("Visits", "ε 0"), survey]),
        ("", "", [(ALONE, "ε 1")]),
    ]


def test_another_organisation_sees_nothing_of_it(residents: Budget, stranger: Membership) -> None:
    """M82"""
    assert told(stranger) == []


def test_the_page_leads_to_each_of_them(
    residents: Budget, owner: Membership, client_for: ClientFor
) -> None:
    """M82: by links that open."""
    browser = client_for(owner)
    html = page(browser, reverse("explain:lesson", args=["many-databases"]))
    survey = Survey.objects.get(question=YEARLY)
    for address in (
        reverse("limits:shared_budget", args=[residents.pk]),
        reverse("surveys:detail", args=[survey.pk]),
    ):
        assert f'href="{address}"' in html
        assert browser.get(address).status_code == 200
