"""Datasets in the REST API: declarations and budgets, and nothing else."""

import json
from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership
from tests.made_once import made_once
from tests.triggers import without_triggers

ApiFor = Callable[[Membership], APIClient]


@made_once
def api(analyst: Membership, api_for: ApiFor) -> APIClient:
    return api_for(analyst)


def test_the_list_has_the_tenants_own_datasets(
    api: APIClient, dataset: Dataset, foreign_dataset: Dataset
) -> None:
    body = api.get("/api/v1/datasets/").json()
    assert [found["slug"] for found in body["results"]] == [dataset.slug]


def test_the_metadata_is_all_that_a_plan_needs_and_no_more(
    api: APIClient, dataset: Dataset
) -> None:
    """H4: no path, fingerprint of rows, id, owner or true size."""
    body = api.get(f"/api/v1/datasets/{dataset.slug}/").json()
    assert set(body) == {
        "slug",
        "name",
        "description",
        "privacy_unit",
        "private_id",
        "max_rows_per_unit",
        "max_groups_per_unit",
        "neighbouring",
        "group_size",
        "max_rows",
        "public_rows",
        "public_units",
        "mode",
        "unit",
        "delta",
        "per_query_limit_epsilon",
        "per_query_limit_rho",
        "version",
        "partition_column",
        "needs_allocation",
        "named_only",
        "public_table",
        "derived_from",
        "registered_at",
        "refreshed_at",
        "columns",
    }
    age = next(column for column in body["columns"] if column["name"] == "age")
    assert age["type"] == "number"
    assert (age["lower"], age["upper"], age["step"]) == (0, 100, 1)


def test_the_budget_adds_up_exactly(api: APIClient, dataset: Dataset) -> None:
    """A6: shortest decimals, so that no digit is invented on the way."""
    Budget.objects.filter(pk=dataset.budget_id).update(limit_nano=300_000_000)
    response = api.get(f"/api/v1/datasets/{dataset.slug}/budget/")
    assert json.loads(response.content) == {
        "mode": "pure",
        "unit": "epsilon",
        "delta": None,
        "least_price_epsilon": 0.001,
        "least_price_rho": None,
        "paused": False,
        "limit_epsilon": 0.3,
        "limit_rho": None,
        "committed_epsilon": 0.0,
        "committed_rho": None,
        "remaining_epsilon": 0.3,
        "remaining_rho": None,
        "per_query_limit_epsilon": 2.0,
        "per_query_limit_rho": None,
        "frozen": False,
        "needs_allocation": False,
        "allocations": [],
    }
    with without_triggers():
        Budget.objects.filter(pk=dataset.budget_id).update(limit_nano=10_000_000_000)


@pytest.mark.parametrize("tail", ["", "budget/"])
def test_foreign_archived_and_missing_look_the_same(
    api: APIClient, foreign_dataset: Dataset, tail: str
) -> None:
    """H1: the same 404 body."""
    foreign = api.get(f"/api/v1/datasets/{foreign_dataset.slug}/{tail}")
    missing = api.get(f"/api/v1/datasets/nowhere/{tail}")
    assert (foreign.status_code, missing.status_code) == (404, 404)
    assert foreign.content == missing.content


def test_nothing_can_be_written(api: APIClient, dataset: Dataset) -> None:
    """H4: not even by an owner's hand; registration is a page."""
    for method in (api.post, api.put, api.patch, api.delete):
        response = method(f"/api/v1/datasets/{dataset.slug}/", {"tenant": 1}, format="json")
        assert response.status_code == 405


def test_without_a_token_there_is_nothing(dataset: Dataset) -> None:
    assert APIClient().get("/api/v1/datasets/").status_code == 401
