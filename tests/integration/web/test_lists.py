"""E11: a list of thousands is shown a page at a time, and found by words."""

from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Allocation
from dpgov.budgets.services import allocate
from dpgov.budgets.services.shared_budgets import open_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE
from dpgov.tenants.models import Membership, Project, Role
from dpgov.tenants.projects import add_project_member, create_project
from tests.agreed import given_a_budget_of_its_own
from tests.cast import join
from tests.integration.dashboards.reading import page
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("long")]
ClientFor = Callable[[Membership], Client]


@made_once
def odon(analyst: Membership) -> Membership:
    """Somebody with a letter that SQLite knows no capital of."""
    found = join(analyst.tenant, Role.ANALYST, "odon")
    found.user.name = "Ödön Ökörszem"
    found.user.save()
    return found


def test_every_member_is_on_one_page_and_found_by_name_or_address(
    admin: Membership, odon: Membership, client_for: ClientFor
) -> None:
    browser = client_for(admin)
    everybody = {one.user.email for one in admin.tenant.memberships.select_related("user")}
    shown = [
        {
            email
            for email in everybody
            if f"<td>{email}</td>" in page(browser, f"/members/?page={number}")
        }
        for number in range(1, len(everybody) + 1)
    ]
    assert all(len(emails) == 1 for emails in shown)
    assert set.union(*shown) == everybody
    for words in (odon.user.email, "ödön", "ÖKÖR ödö", "odon@"):
        found = page(browser, f"/members/?q={words}")
        assert f"<td>{odon.user.email}</td>" in found
        assert "1 member" in found
    assert "Nothing matches “nobody here”" in page(browser, "/members/?q=nobody here")


def test_turning_a_page_keeps_the_words(
    owner: Membership, analyst: Membership, odon: Membership, client_for: ClientFor
) -> None:
    project = _project(owner, analyst, odon)
    html = page(client_for(owner), f"/projects/{project.pk}/?q=example")
    assert "Page 1 of 2" in html
    assert 'href="?q=example&amp;page=2"' in html
    second = page(client_for(owner), f"/projects/{project.pk}/?q=example&page=2")
    assert (odon.user.email in second) is not (odon.user.email in html)


def test_projects_are_searched_and_each_has_the_number_of_its_people(
    owner: Membership, analyst: Membership, odon: Membership, client_for: ClientFor
) -> None:
    _project(owner, analyst, odon)
    create_project(tenant=owner.tenant, name="Another", actor=OPERATOR)
    html = page(client_for(owner), "/projects/?q=commut")
    assert ">Commuting study<" in html
    assert "<td>2</td>" in html
    assert "Another" not in html


def _project(owner: Membership, *people: Membership) -> Project:
    project = create_project(tenant=owner.tenant, name="Commuting study", actor=OPERATOR)
    for one in people:
        add_project_member(project=project, membership=one, actor=OPERATOR)
    return project


def test_allocations_are_by_name_and_what_was_granted_together_is_of_all_pages(
    dataset: Dataset, owner: Membership, analyst: Membership, odon: Membership,
    client_for: ClientFor,
) -> None:  # fmt: skip
    for one in (analyst, odon):
        allocate(
            dataset_budget=dataset.budget, holder=one.user, limit_nano=NANO, actor=OPERATOR,
            reason="the study",
        )  # fmt: skip
    assert Allocation.objects.count() == 2
    address = f"/datasets/{dataset.slug}/limits/"
    first, second = (page(client_for(owner), f"{address}?page={n}") for n in (1, 2))
    assert "Granted together: ε 2" in " ".join(text_of(first.encode()).split())
    assert (str(analyst.user) in first, str(odon.user) in first) == (True, False)
    assert (str(analyst.user) in second, str(odon.user) in second) == (False, True)
    assert str(odon.user) in page(client_for(owner), f"{address}?q=ökör")


def test_what_could_join_a_shared_budget_is_found_by_any_dataset_of_its_budget(
    dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    """One line for a budget, however many datasets are about its people."""
    register_small_dataset(owner, name="Visits again")
    stays = register_small_dataset(owner, name="Stays")
    given_a_budget_of_its_own(stays, label="Stays", limit_nano=NANO)
    shared = open_shared_budget(
        tenant=owner.tenant, name="Residents", limit_nano=NANO, currency=PURE, actor=OPERATOR
    )
    address = f"/shared-budgets/{shared.pk}/join/"
    browser = client_for(owner)
    html = page(browser, f"{address}?q=again")
    assert "Visits and Visits again" in html
    assert "Stays" not in html
    assert "Nothing matches “nothing”" in page(browser, f"{address}?q=nothing")
