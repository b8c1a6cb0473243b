"""What a second person sees around a request before deciding."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import reject, withdraw
from dpgov.budgets.services.raising import request_raise
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import lower_limit
from dpgov.oversight.background import background_of
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


@pytest.fixture
def raises(owner: Membership, officer: Membership, dataset: Dataset) -> list[ChangeRequest]:
    """One rejected, one withdrawn, one that waits."""
    found = []
    for end in (
        lambda pk: reject(request_id=pk, decider=officer, reason="not yet"),
        lambda pk: withdraw(request_id=pk, membership=owner),
        lambda pk: None,
    ):
        change = request_raise(
            membership=owner, budget=dataset.budget, limit_nano=20 * NANO, reason="more"
        )
        found.append(change)
        end(change.pk)
    return found


def test_who_asked_and_what_became_of_it_before(raises: list[ChangeRequest]) -> None:
    asker = background_of(raises[-1]).asker
    assert (asker.name, asker.role) == ("Olga", "Data owner")
    assert (asker.requests, asker.approved, asker.rejected) == (3, 0, 1)


def test_the_budget_and_how_its_limit_came_about(
    raises: list[ChangeRequest], owner: Membership, dataset: Dataset
) -> None:
    lower_limit(dataset=dataset, limit_nano=9 * NANO, user=owner.user, reason="less is enough")
    around = background_of(ChangeRequest.objects.get(pk=raises[-1].pk))
    assert around.budget is not None
    assert around.budget.limit_nano == 9 * NANO
    said = [f"{what}: {text}" for what, text in around.lineage]
    assert said[0].startswith("Dataset: Visits, registered by Olga on ")
    assert "changed from ε 10 to ε 9" in said[1]
    assert "(less is enough)" in said[1]
    assert "opened at ε 10" in said[2]


def test_other_requests_about_the_same_item_are_listed(raises: list[ChangeRequest]) -> None:
    earlier = background_of(raises[-1]).earlier
    assert [one.pk for one in earlier] == [raises[1].pk, raises[0].pk]


def test_a_request_about_nothing_known_breaks_nothing(raises: list[ChangeRequest]) -> None:
    strange = raises[-1]
    for subject in ("budget:1", "query:x", "member:", "shared_budget"):
        strange.subject = subject
        assert background_of(strange).budget is None


def test_the_page_shows_it(
    raises: list[ChangeRequest],
    officer: Membership,
    client_for: ClientFor,
    django_assert_max_num_queries: Any,
) -> None:
    browser = client_for(officer)
    browser.get(f"/approvals/{raises[-1].pk}/")
    with django_assert_max_num_queries(12):
        page = browser.get(f"/approvals/{raises[-1].pk}/").text
    assert "Background of the request" in page
    assert "3 requests so far: 0 approved, 1 rejected" in page
    assert "Other requests about it" in page
