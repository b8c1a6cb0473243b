"""F5: a partition column divides the budget for good, and allocations decide who may ask."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, BudgetPart
from dpgov.datasets.models import Dataset, Upload
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from tests.eager import refused
from tests.integration.datasets.invented import as_csv, people
from tests.integration.datasets.registering import register, uploaded
from tests.integration.datasets.test_versions import add_version
from tests.made_once import made_once


@made_once
def divided(browser: Client, upload: Upload) -> Dataset:
    """Divided by sex."""
    register(browser, upload, partition_column="sex")
    return Dataset.objects.get()


def test_each_category_and_the_others_get_a_line_with_the_whole_limit(divided: Dataset) -> None:
    """F5: within the registration's transaction."""
    lines = BudgetPart.objects.filter(dataset_budget=divided.budget).order_by("position")
    assert [line.part for line in lines] == ["f", "m", "other"]
    assert {line.budget.limit_nano for line in lines} == {3 * NANO}
    assert divided.partition_column == "sex"


def test_a_declared_category_may_be_called_other(browser: Client, upload: Upload) -> None:
    register(browser, upload, partition_column="sex", sex__categories="f\nother")
    parts = BudgetPart.objects.order_by("position").values_list("part", flat=True)
    assert list(parts) == ["f", "other", "(other)"]


@pytest.mark.parametrize("column", ["age", "city", "nonsense", "SEX"])
def test_only_a_declared_category_column_divides(
    browser: Client, upload: Upload, column: str
) -> None:
    """F5: numbers, columns left out and unknown ones are refused at the field."""
    response = register(browser, upload, partition_column=column)
    assert response.status_code == 422
    assert 'id="id_partition_column_error"' in response.content.decode()
    assert not Dataset.objects.exists()
    assert not Budget.objects.exists()


def test_it_is_public(
    divided: Dataset,
    browser: Client,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
) -> None:
    body = api_for(analyst).get("/api/v1/datasets/people/").json()
    assert (body["partition_column"], body["needs_allocation"]) == ("sex", False)
    page = browser.get(reverse("datasets:detail", args=["people"])).content.decode()
    assert "a question about some of its categories is paid by those alone" in page


@pytest.mark.parametrize(
    "changes",
    [{"partition_column": ""}, {"partition_column": "sex", "sex__categories": "m\nf"}],
    ids=["without it", "with other categories"],
)
def test_the_same_data_must_be_divided_in_the_same_way(
    browser: Client, divided: Dataset, changes: dict[str, str]
) -> None:
    """F5, F11: the earlier budget has these lines and no others."""
    response = register(browser, uploaded(browser), name="Again", **changes)
    assert refused(response)
    assert 'id="id_partition_column_error"' in response.content.decode()
    alike = register(browser, uploaded(browser), name="Again", partition_column="sex")
    assert alike.status_code == 302
    assert BudgetPart.objects.count() == 3


def test_data_with_an_undivided_budget_cannot_be_divided_later(browser: Client) -> None:
    """F5, F11: registering again would otherwise give each part a fresh line."""
    register(browser, uploaded(browser))
    response = register(browser, uploaded(browser), name="Again", partition_column="sex")
    assert refused(response)
    assert "without a partition column" in response.content.decode()
    assert not BudgetPart.objects.exists()


def test_a_version_keeps_the_parts(browser: Client) -> None:
    """F5: the column must be there, with its categories; everything else may change."""
    register(browser, uploaded(browser, as_csv(people(1))), partition_column="sex")
    dataset = Dataset.objects.get()
    for changes in (
        {"sex__kind": "", "sex__categories": ""},
        {"sex__categories": "m\nf"},
        {"sex__categories": "f"},
        {"sex__categories": "f\nx\nm"},
        {"sex__categories": "f\nm\nother"},
    ):
        response = add_version(browser, dataset, as_csv(people(1)), **changes)
        assert response.status_code == 422, changes
        assert "sex" in response.content.decode()
    assert add_version(browser, dataset, as_csv(people(1)), age__upper="99").status_code == 302


def test_who_may_ask_is_declared_and_changed_later(browser: Client, upload: Upload) -> None:
    """G1: one entry for the change."""
    register(browser, upload, needs_allocation="on")
    assert Dataset.objects.get().needs_allocation
    address = reverse("datasets:access", args=["people"])
    assert "checked" in browser.get(address).content.decode()
    entries = AuditEntry.objects.count()
    assert browser.post(address, {}).status_code == 302
    assert not Dataset.objects.get().needs_allocation
    assert AuditEntry.objects.count() == entries + 1
    assert AuditEntry.objects.latest("sequence").action == "ALLOCATION_RULE_CHANGED"
