"""F11: the budget belongs to the people in the data, not to the row in the database."""

from uuid import uuid4

from django.test import Client
from django.urls import reverse

from dpgov.budgets.models import Budget
from dpgov.budgets.services import Line, reserve, settle
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from tests.eager import refused
from tests.integration.datasets.registering import CSV, register, uploaded

REORDERED = b"city,sex,age\nBasel,f,\nBasel,f,30.0\nBern,m,45\n,x,99\n"

# The names stay where they were, so that each now stands for another column.
_REORDERED_AS_TEXT = {
    "age__kind": "category",
    "age__categories": "Basel",
    "city__kind": "number",
    "city__lower": "0",
    "city__upper": "99",
    "city__step": "1",
}


def spend(dataset: Dataset, nano: int) -> None:
    query_id = uuid4()
    reserve(query_id=query_id, tenant_id=dataset.tenant_id, lines=[Line(dataset.budget_id, nano)])
    settle(query_id=query_id, amount_nano=nano)


def test_archived_and_registered_again_what_was_spent_stays_spent(browser: Client) -> None:
    """F11: the same row of the ledger, with its limit; the owner is told."""
    register(browser, uploaded(browser))
    first = Dataset.objects.get()
    spend(first, 2 * NANO)
    browser.post(reverse("datasets:archive", args=[first.slug]))
    response = register(browser, uploaded(browser), epsilon_limit="100", name="Fresh")
    again = Dataset.objects.get(name="Fresh")
    assert again.budget_id == first.budget_id
    assert (again.budget.limit_nano, again.budget.spent_nano) == (3 * NANO, 2 * NANO)
    page = browser.get(response.url).content.decode()
    assert "shares the earlier budget" in page
    assert "ε 1 of it remains" in page


def test_other_order_names_and_bounds_share_the_budget_too(browser: Client) -> None:
    """F11: neither the form of the file nor new domains open a new budget."""
    register(browser, uploaded(browser))
    response = register(browser, uploaded(browser, REORDERED), name="Again", **_REORDERED_AS_TEXT)
    assert response.status_code == 302
    assert Budget.objects.count() == 1
    assert Dataset.objects.count() == 2


def test_another_relation_or_group_size_cannot_share_a_budget(browser: Client) -> None:
    """F11: losses under two relations cannot be added up, so the second is refused."""
    register(browser, uploaded(browser))
    upload = uploaded(browser)
    for changes in ({"neighbouring": "change_one"}, {"group_size": "2"}):
        response = register(browser, upload, name="Again", **changes)
        assert refused(response)
        assert "Choose the same" in response.content.decode()
    assert Dataset.objects.count() == 1


def test_other_data_and_other_tenants_do_not_share_a_budget_by_themselves(
    browser: Client, client_for: object, stranger: Membership
) -> None:
    """F11, F9, L1: one changed cell is held; another tenant's data is neither shared nor seen."""
    elsewhere = client_for(stranger)  # type: ignore[operator]
    register(browser, uploaded(browser))
    register(browser, uploaded(browser, CSV.replace(b"45", b"46")), name="Nearly")
    register(elsewhere, uploaded(elsewhere))
    assert Budget.objects.count() == 3
    assert Dataset.objects.filter(held_at__isnull=False).count() == 1
