"""An organisation that has just begun: every page says what belongs there and how it gets there."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.budgets.services import freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db

EMPTY = {
    "owner": [
        *("/", "/datasets/", "/find/", "/history/", "/requests/", "/approvals/"),
        *("/shared-budgets/", "/projects/", "/notices/"),
    ],
    "analyst": [
        *("/", "/datasets/", "/find/", "/history/", "/requests/", "/saved/"),
        *("/tokens/", "/notices/"),
    ],
    "officer": [
        *("/", "/datasets/", "/history/", "/requests/", "/approvals/", "/month/"),
        *("/shared-budgets/", "/audit/", "/audit/checkpoints/", "/audit/mechanisms/", "/frozen/"),
    ],
    "admin": ["/datasets/", "/history/", "/webhooks/", "/members/invitations/", "/notices/"],
}
CASES = [(role, path) for role, paths in EMPTY.items() for path in paths]


@pytest.mark.parametrize(("role", "path"), CASES)
def test_a_page_without_anything_says_what_to_do(
    role: str,
    path: str,
    request: pytest.FixtureRequest,
    client_for: Callable[[Membership], Client],
) -> None:
    page = client_for(request.getfixturevalue(role)).get(path)
    assert page.status_code == 200
    empty = re.search(r'<div class="empty">(.*?)</div>', page.text, re.DOTALL)
    assert empty is not None, "say what will be here"
    assert len(re.findall(r"<p|<a class=.btn", empty[1])) >= 2, "say how it gets here"


@pytest.mark.parametrize("path", ["/", "/datasets/", "/find/", "/shared-budgets/"])
def test_an_owner_begins_from_any_empty_list(
    path: str, owner: Membership, client_for: Callable[[Membership], Client]
) -> None:
    page = client_for(owner).get(path)
    assert re.search(
        r'<a class="btn btn-primary" href="/(datasets|shared-budgets)/new/"', page.text
    )


def test_nobody_is_told_of_a_restore_that_never_was(
    officer: Membership, dataset: Dataset, client_for: Callable[[Membership], Client]
) -> None:
    told = "This installation was restored from a backup"
    assert told not in client_for(officer).get("/frozen/").text
    freeze_tenant(tenant_id=officer.tenant_id, reason="restored")
    assert told in client_for(officer).get("/frozen/").text
