"""M68: an owner puts two datasets together by page and by API; refusals stand at their inputs.

What could leak: the pages and answers tell of rows, of how far it is, or of a dataset that somebody
does not see. Nothing is on them but declarations.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Arrival, Dataset
from dpgov.datasets.services import change_audience
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.eager import read_waiting
from tests.integration.datasets.derived.family import DAYS, registered

Pair = tuple[Dataset, Dataset]
SignIn = Callable[[Membership], Client]
Api = Callable[[Membership], APIClient]
TYPED: dict[str, Any] = {
    "name": "Visits and costs",
    "description": "",
    "columns_first": ["ward", "days"],
    "rows_first": "2",
    "prefix_first": "",
    "columns_second": ["paid"],
    "rows_second": "2",
    "prefix_second": "",
    "rows_of_unit": "3",
    "epsilon_limit": "4",
    "epsilon_per_query": "1",
}
SENT: dict[str, Any] = {
    "name": "Visits and costs",
    "first": {"dataset": "visits", "rows_of_unit": 2, "columns": ["ward"]},
    "second": {"dataset": "costs", "rows_of_unit": 2, "columns": ["paid"], "prefix": "cost "},
    "rows_of_unit": 3,
    "epsilon_limit": "4",
    "epsilon_per_query": 1,
}


def _address(other: str = "costs") -> str:
    return reverse("datasets:derive", args=["visits"]) + f"?other={other}"


def test_an_owner_joins_two_datasets_and_the_label_names_both(
    owner: Membership, client_for: SignIn, visits_and_costs: Pair
) -> None:
    """M68: from the settings to the dataset's page; the waiting page tells nothing."""
    browser = client_for(owner)
    assert reverse("datasets:derive", args=["visits"]) in _text(
        browser.get(reverse("datasets:settings", args=["visits"]))
    )
    assert "Costs" in _text(browser.get(reverse("datasets:derive", args=["visits"])))
    form = browser.get(_address())
    assert (form.status_code, form.context["form"]["epsilon_limit"].initial) == (200, "10")
    sent = browser.post(_address(), TYPED)
    arrival = Arrival.objects.get()
    assert sent.headers["Location"] == reverse("datasets:deriving", args=[arrival.pk])
    waiting = browser.get(sent.headers["Location"])
    assert "Not there yet" in _text(waiting)
    assert not {"2 rows", "progress", "Read so far"} & set(_text(waiting).split("\n"))
    read_waiting()
    done = browser.get(reverse("datasets:deriving", args=[arrival.pk]), follow=True)
    assert done.redirect_chain[0][0] == reverse("datasets:detail", args=["visits-and-costs"])
    label = " ".join(_text(done).split())
    assert "Derived from" in label
    assert "Visits, version 1: 2 rows of each person at most" in label
    assert "Costs, version 1: 2 rows of each person at most" in label
    settings = _text(browser.get(reverse("datasets:settings", args=["visits-and-costs"])))
    assert "Join with another dataset" not in settings
    assert "New version" not in settings


def _text(response: Any) -> str:
    assert response.status_code == 200
    content: bytes = response.content
    return content.decode()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"columns_second": ["paid", "days"]}, "prefix_second"),
        ({"rows_first": "3"}, "rows_first"),
        ({"epsilon_limit": "11"}, "epsilon_limit"),
        ({"rows_of_unit": "5"}, "rows_of_unit"),
        ({"columns_first": ["id"]}, "columns_first"),
        ({"name": ""}, "name"),
        ({"name": "costs "}, "name"),
    ],
)
def test_a_refusal_stands_at_its_input(
    owner: Membership,
    client_for: SignIn,
    visits_and_costs: Pair,
    changes: dict[str, Any],
    field: str,
) -> None:
    """M68: what was typed is kept, and nothing waits."""
    response: Any = client_for(owner).post(_address(), TYPED | changes)
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [field]
    assert not Arrival.objects.exists()


def test_only_what_fits_can_be_chosen(
    owner: Membership, client_for: SignIn, visits_and_costs: Pair
) -> None:
    """M68: a dataset outside the shared budget is not offered, and not taken by its address."""
    registered(owner, "Alone", "who,days\nz1,7\nz2,8\nz3,6\nz4,0\n", (DAYS,))
    browser = client_for(owner)
    assert "Alone" not in _text(browser.get(reverse("datasets:derive", args=["visits"])))
    assert browser.get(_address("alone")).status_code == 422
    nothing = _text(browser.get(reverse("datasets:derive", args=["alone"])))
    assert "There is no other dataset" in nothing


def test_it_can_be_stopped(owner: Membership, client_for: SignIn, visits_and_costs: Pair) -> None:
    """Nothing is made, and a page that waits is sent on."""
    browser = client_for(owner)
    browser.post(_address(), TYPED)
    arrival = Arrival.objects.get()
    now = reverse("datasets:deriving_now", args=[arrival.pk])
    assert "Not there yet" in _text(browser.get(now))
    browser.post(reverse("datasets:cancel_deriving", args=[arrival.pk]))
    assert read_waiting() == 0
    assert browser.get(now).headers["HX-Redirect"]
    assert Dataset.objects.count() == 2
    assert not AuditEntry.objects.filter(action="DATASET_NOT_DERIVED").exists()


def test_the_api_does_the_same(
    owner: Membership, analyst: Membership, api_for: Api, visits_and_costs: Pair
) -> None:
    """M68: 202 and an address to look at; the dataset names its parents."""
    api, reader, path = api_for(owner), api_for(analyst), reverse("v1:dataset-derive")
    refused: Any = api.post(path, SENT | {"rows_of_unit": 9}, format="json")
    assert (refused.status_code, refused.json()["errors"][0]["attr"]) == (400, "rows_of_unit")
    assert reader.post(path, SENT, format="json").status_code == 403
    asked: Any = api.post(path, SENT, format="json")
    assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
    look = reverse("v1:dataset-derived", args=[asked.json()["id"]])
    assert api.get(look).json()["dataset"] is None
    again: Any = api.post(path, SENT, format="json")
    assert again.json()["id"] == asked.json()["id"]
    assert api.post(path, SENT | {"name": "Other"}, format="json").status_code == 409
    read_waiting()
    found = api.get(look).json()
    assert (found["state"], found["dataset"], found["refusal"]) == (
        "done",
        "visits-and-costs",
        None,
    )
    told = reader.get(reverse("v1:dataset-detail", args=["visits-and-costs"])).json()
    parents = [(one["dataset"], one["prefix"]) for one in told["derived_from"]]
    assert parents == [("visits", ""), ("costs", "cost ")]
    assert [column["name"] for column in told["columns"]] == ["ward", "cost paid"]


def test_one_too_many_on_a_day_is_said_by_page_and_api(
    owner: Membership, client_for: SignIn, api_for: Api, visits_and_costs: Pair, settings: Any
) -> None:
    """M68, L1: in the words of files, and nothing waits."""
    settings.DPGOV_FILES_A_DAY_PERSON = 2
    page: Any = client_for(owner).post(_address(), TYPED)
    assert page.status_code == 422
    assert "Go on tomorrow" in page.content.decode()
    refused: Any = api_for(owner).post(reverse("v1:dataset-derive"), SENT, format="json")
    (error,) = refused.json()["errors"]
    assert (refused.status_code, error["code"]) == (409, "too_many_files")
    assert "Go on tomorrow" in error["detail"]
    assert not Arrival.objects.exists()


def test_a_name_that_is_taken_is_refused_by_the_api_too(
    owner: Membership, api_for: Api, visits_and_costs: Pair
) -> None:
    """M68: two of one name cannot be told apart, wherever the second comes from."""
    path = reverse("v1:dataset-derive")
    refused: Any = api_for(owner).post(path, SENT | {"name": "VISITS"}, format="json")
    (error,) = refused.json()["errors"]
    assert (refused.status_code, error["attr"]) == (400, "name")
    assert "“Visits”, at /datasets/visits/, is called that already" in error["detail"]
    assert not Arrival.objects.exists()


def test_another_key_than_the_unit_is_refused_where_it_is_named(
    owner: Membership, api_for: Api, visits_and_costs: Pair
) -> None:
    """M73: whoever sends one must not believe that rows were matched by it."""
    api, path = api_for(owner), reverse("v1:dataset-derive")
    beside = SENT["second"] | {"key": "days"}
    for sent, at in ((SENT | {"second": beside}, "second.key"), (SENT | {"on": "days"}, "on")):
        refused: Any = api.post(path, sent, format="json")
        assert [one["attr"] for one in refused.json()["errors"]] == [at]
    assert not Arrival.objects.filter(upload=None).exists()


def test_lineage_is_told_to_whom_both_parents_are(
    owner: Membership, analyst: Membership, api_for: Api, both: Dataset, visits_and_costs: Pair
) -> None:
    """M67, M68: to everybody else the API answers as to a dataset that there never was."""
    reader, path = api_for(analyst), reverse("v1:dataset-detail", args=[both.slug])
    assert reader.get(path).status_code == 200
    named = [join(owner.tenant, Role.ANALYST, "abel").pk]
    change_audience(dataset=visits_and_costs[1], named_only=True, named=named, user=owner.user)
    assert reader.get(path).status_code == 404
