"""Shared budgets in the portfolio: own datasets and surveys by name, the rest as one stretch."""

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.db.models import F
from django.test import Client

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget, BudgetAccess, SharedBudgetMember
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.dashboards.forecast.forecast import days_of_all
from dpgov.dashboards.portfolio.shared import SharedBudget, Stretch, members_of, shared_of
from dpgov.datasets.models import Dataset
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.budgets.shared.sharing import merged
from tests.integration.dashboards.reading import figure, page
from tests.integration.surveys.made import agreed, asked_for, drafted
from tests.made_once import made_once
from tests.triggers import without_triggers

# What the other side took is booked by hand: no question of theirs stands behind it.
pytestmark = pytest.mark.tampers_with_ledger
ClientFor = Callable[[Membership], Client]


@made_once
def residents(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, dataset: Dataset,
    foreign_dataset: Dataset,
) -> Budget:  # fmt: skip
    """Ours took 1 before it joined and 0.5 since, theirs 0.25 and a day of its own."""
    shared = open_shared_budget(
        tenant=dataset.tenant, name="Residents", limit_nano=4 * NANO, actor=OPERATOR
    )
    ask(analyst, epsilon=1)
    answer_all()
    dataset.budget.refresh_from_db()
    join_shared_budget(shared_budget=shared, dataset_budget=dataset.budget, actor=OPERATOR)
    ask(analyst, epsilon=0.5)
    answer_all()
    theirs = foreign_dataset.tenant
    BudgetAccess.objects.create(budget=shared, tenant=theirs)
    with without_triggers():  # by no invitation
        SharedBudgetMember.objects.create(
            tenant=theirs, shared_budget=shared, dataset_budget=foreign_dataset.budget
        )
    Budget.objects.filter(pk=shared.pk).update(spent_nano=F("spent_nano") + NANO // 4)
    return shared


def test_both_sides_see_their_own_datasets_and_the_rest_as_one(
    residents: Budget, dataset: Dataset, owner: Membership, stranger: Membership,
    client_for: ClientFor,
) -> None:  # fmt: skip
    """H8: no name, number, link or moment of the other side, in the figure or in the table."""
    ours = client_for(owner).get("/portfolio/")
    (one,) = ours.context["shared_budgets"]
    assert [(part.name, part.nano / NANO) for part in one.parts] == [
        ("Visits", 1.5),
        ("Everything else", 0.25),
    ]
    (other,) = client_for(stranger).get("/portfolio/").context["shared_budgets"]
    assert [(part.name, part.nano / NANO) for part in other.parts if part.nano] == [
        ("Everything else", 1.75)
    ]
    theirs = page(client_for(stranger), "/portfolio/")
    for secret in ("Visits", "Anna", "Olga", f"/datasets/{dataset.slug}/"):
        assert secret not in theirs


def test_every_stretch_leads_to_its_budget_and_the_rest_to_the_shared_one(
    residents: Budget, dataset: Dataset, officer: Membership, client_for: ClientFor
) -> None:
    """E13: and the table beside it has the same links."""
    html = page(client_for(officer), "/portfolio/")
    links = [trace["meta"]["links"][0] for trace in figure(html, "shared-budgets")["data"]]
    assert links == [f"/datasets/{dataset.slug}/budget/", f"/shared-budgets/{residents.pk}/"]
    assert all(f'href="{link}"' in html for link in links)


def test_it_is_told_when_a_shared_budget_would_be_used_up(
    residents: Budget, dataset: Dataset
) -> None:
    today = clock.today()
    (young,) = _shared_of(dataset, today)
    assert (young.forecast.words, young.forecast.ends_on) == ("too early to tell", None)
    month_ago = residents.created_at - timedelta(days=30)
    Budget.objects.filter(pk=residents.pk).update(created_at=month_ago)
    (one,) = _shared_of(dataset, today)
    # Since its first charge here 0.75 were taken, by whomever; 2.25 are left: three times as long.
    assert one.forecast.ends_on == today + timedelta(days=90)
    assert one.parts[0] == Stretch("Visits", 3 * NANO // 2, f"/datasets/{dataset.slug}/budget/")


def test_a_survey_is_named_with_what_it_took_wherever_its_charge_is_carried(
    dataset: Dataset, owner: Membership, officer: Membership, client_for: ClientFor
) -> None:
    """M90: ε 0.5 of the same people, told by the portfolio and by the page of the budget, which
    leads to the survey, and still once the budget was merged into another one.
    """
    ended, kept = (
        open_shared_budget(tenant=owner.tenant, name=name, limit_nano=4 * NANO, actor=OPERATOR)
        for name in ("Students", "Residents")
    )
    join_shared_budget(shared_budget=ended, dataset_budget=dataset.budget, actor=OPERATOR)
    survey = drafted(owner, question="Who pays?", epsilon_nano=NANO // 2, shared_budget=ended)
    agreed(officer, asked_for(owner, survey))
    for budget in (ended, kept):
        page_of = f"/shared-budgets/{budget.pk}/"
        (one,) = _shared_of(dataset, clock.today())[-1:]
        assert (one.href, [(part.name, part.nano / NANO) for part in one.parts]) == (
            page_of,
            [("Visits", 0.0), ("Who pays?", 0.5)],
        )
        for path in ("/portfolio/", page_of):
            html = page(client_for(officer), path)
            assert f'href="/surveys/{survey.pk}/"' in html
        if budget == ended:
            merged(owner, officer, kept, ended)


def _shared_of(dataset: Dataset, today: date) -> list[SharedBudget]:
    days = days_of_all([dataset.tenant_id], today)
    return shared_of(dataset.tenant, [dataset], members_of(dataset.tenant), days, today)
