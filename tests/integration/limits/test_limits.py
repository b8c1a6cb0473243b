"""The limits of a dataset on its owner's pages, and what an analyst is told of them."""

from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Allocation, Budget, RateLimit
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership, Project
from tests.cast import Ask
from tests.integration.dashboards.reading import page
from tests.integration.limits.limits import divide, grant, said
from tests.made_once import made_once

ClientFor = Callable[[Membership], Client]
LIMITS = "/datasets/visits/limits/"
BUDGET = "/datasets/visits/budget/"


@made_once
def office(owner: Membership, client_for: ClientFor) -> Client:
    """The owner's browser."""
    return client_for(owner)


def test_an_owner_grants_an_allocation(
    dataset: Dataset, analyst: Membership, office: Client
) -> None:
    form = {"holder": str(analyst.user_id), "epsilon_limit": "1.5", "reason": "the study"}
    response = office.post(f"{LIMITS}allocations/new/", form, follow=True)
    html = said(response.content.decode())
    assert "Anna has an allocation." in html
    assert "Granted together: ε 1.5 of the dataset's ε 10." in html.replace("&#x27;", "'")
    assert Allocation.objects.get().budget.limit_nano == 3 * NANO // 2
    assert AuditEntry.objects.filter(action="BUDGET_ALLOCATED").count() == 1


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"holder": "", "epsilon_limit": "1", "reason": "x"}, "holder"),
        ({"holder": "nobody", "epsilon_limit": "1", "reason": "x"}, "holder"),
        ({"epsilon_limit": "0", "reason": "x"}, "epsilon_limit"),
        ({"epsilon_limit": "-1", "reason": "x"}, "epsilon_limit"),
        ({"epsilon_limit": "NaN", "reason": "x"}, "epsilon_limit"),
        ({"epsilon_limit": "", "reason": "x"}, "epsilon_limit"),
        ({"epsilon_limit": "1", "reason": ""}, "reason"),
    ],
)
def test_an_allocation_that_makes_no_sense_is_refused_at_its_field(
    dataset: Dataset, analyst: Membership, office: Client, form: dict[str, str], field: str
) -> None:
    """A5: what was typed is still there, and nothing has changed."""
    response = office.post(f"{LIMITS}allocations/new/", {"holder": str(analyst.user_id), **form})
    assert response.status_code == 422
    assert f'id="id_{field}_error"' in response.content.decode()
    assert not Allocation.objects.exists()


def test_only_analysts_and_projects_of_the_organisation_are_offered(
    dataset: Dataset,
    analyst: Membership,
    project: Project,
    stranger: Membership,
    office: Client,
) -> None:
    """H4: a forged holder is refused like any other wrong choice."""
    html = page(office, f"{LIMITS}allocations/new/")
    assert str(analyst.user_id) in html
    assert "Ageing" in html
    assert "Olga</option>" not in html
    forged = {"holder": str(stranger.user_id), "epsilon_limit": "1", "reason": "x"}
    assert office.post(f"{LIMITS}allocations/new/", forged).status_code == 422
    assert not Allocation.objects.exists()


def test_allocations_that_promise_too_much_are_said_so(
    dataset: Dataset, analyst: Membership, project: Project, office: Client
) -> None:
    """F4: allowed, and shown plainly."""
    grant(dataset, analyst.user, 8 * NANO)
    assert "more than there is" not in page(office, LIMITS)
    grant(dataset, project, 8 * NANO)
    html = said(page(office, LIMITS))
    assert "Granted together: ε 16" in html
    assert "That is more than there is." in html


def test_lowering_an_allocation_below_its_use_names_the_numbers(
    dataset: Dataset, analyst: Membership, office: Client, ask: Ask
) -> None:
    """A8: refused at the field."""
    allocation = grant(dataset, analyst.user, NANO)
    ask(analyst)
    form = {"epsilon_limit": "0.4", "reason": "less"}
    response = office.post(f"{LIMITS}allocations/{allocation.pk}/", form)
    assert response.status_code == 422
    assert "ε 0.5 is already spent or reserved" in response.content.decode()
    assert Budget.objects.get(pk=allocation.pk).limit_nano == NANO


def test_an_allocation_is_withdrawn_and_granted_again(
    dataset: Dataset, analyst: Membership, office: Client
) -> None:
    allocation = grant(dataset, analyst.user, NANO)
    address = f"{LIMITS}allocations/{allocation.pk}/"
    html = office.post(f"{address}withdraw/", {"reason": "over"}, follow=True).content.decode()
    assert "Grant again" in html
    again = office.post(f"{address}withdraw/", {"reason": "over"}, follow=True).content.decode()
    assert "was withdrawn before" in again
    office.post(address, {"epsilon_limit": "2", "reason": "on again"})
    assert Budget.objects.get(pk=allocation.pk).closed_at is None


def test_an_allocation_of_another_dataset_looks_missing(
    dataset: Dataset, foreign_dataset: Dataset, stranger: Membership, office: Client
) -> None:
    """H1: by its id alone nothing is found."""
    project = Project.objects.create(tenant=stranger.tenant, name="Theirs")
    foreign = grant(foreign_dataset, project, NANO)
    for address in (
        f"{LIMITS}allocations/{foreign.pk}/",
        f"{LIMITS}allocations/{foreign.pk}/withdraw/",
    ):
        assert office.get(address).status_code == 404
        assert office.post(address, {"epsilon_limit": "1", "reason": "x"}).status_code == 404
    assert AuditEntry.objects.filter(action="ALLOCATION_WITHDRAWN").count() == 0


@pytest.mark.parametrize("period", ["day", "week", "month"])
def test_a_rate_is_set_changed_and_lifted(dataset: Dataset, office: Client, period: str) -> None:
    """F7: by the owner alone, and one entry each time."""
    address = f"{LIMITS}rates/{period}/"
    for typed in ("0.5", "0.75", ""):
        office.post(address, {"epsilon_limit": typed, "reason": "pace"})
        rates = list(RateLimit.objects.values_list("period", "limit_nano"))
        assert rates == ([(period, int(float(typed) * NANO))] if typed else [])
    assert AuditEntry.objects.filter(action="BUDGET_RATE_CHANGED").count() == 3
    assert office.get(f"{LIMITS}rates/year/").status_code == 404


def test_the_page_says_why_a_rate_is_the_owners_alone(dataset: Dataset, office: Client) -> None:
    html = said(page(office, LIMITS))
    assert "nothing comes back to the lifetime limit" in html
    assert "raising it takes two persons" in html


def test_an_officer_reads_the_limits_and_changes_none(
    dataset: Dataset, analyst: Membership, officer: Membership, client_for: ClientFor
) -> None:
    allocation = grant(dataset, analyst.user, NANO)
    html = page(client_for(officer), LIMITS)
    assert "Anna" in html
    assert f"allocations/{allocation.pk}" not in html
    assert "Grant an allocation" not in html


def test_a_frozen_dataset_says_so(dataset: Dataset, office: Client) -> None:
    """A9: with the reason, before anybody asks."""
    Budget.objects.filter(pk=dataset.budget_id).update(
        frozen_at="2026-01-01T00:00:00Z", frozen_reason={"text": "restored from a backup"}
    )
    html = said(page(office, LIMITS))
    assert "Frozen since" in html
    assert "restored from a backup" in html


def test_each_part_has_its_row_and_the_most_used_one_is_marked(
    dataset: Dataset, analyst: Membership, office: Client, ask: Ask
) -> None:
    """F5: the dataset's loss is its most used part."""
    divide(dataset)
    dataset.refresh_from_db()
    ask(analyst, where=({"column": "education", "op": "=", "value": "Secondary"},))
    html = said(page(office, LIMITS))
    assert "Secondary Most used 0 0.5 9.5" in html
    assert "Primary 0 0 10" in html
