"""Choosing what to charge, and being told which limit binds, on the page and in the API."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Allocation, Budget, RateLimit, Reservation
from dpgov.budgets.services import allocate, open_parts, set_rate_limit, withdraw
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership, Project, ProjectMember
from tests.declared import declare_otherwise
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

ASK = "/datasets/visits/ask/"
QUOTE = "/datasets/visits/quote/"
COUNT = {"statistics": [{"statistic": "count"}], "epsilon": 0.5}
Unchanged = Callable[[], AbstractContextManager[None]]


@made_once
def api(analyst: Membership, api_for: Callable[[Membership], APIClient]) -> APIClient:
    return api_for(analyst)


def send(api: APIClient, door: str, **parameters: str) -> Any:
    where = "&".join(f"{name}={value}" for name, value in parameters.items())
    return api.post(
        f"/api/v1/datasets/visits/{door}/?{where}",
        json.dumps(COUNT),
        content_type="application/json",
        headers={"Idempotency-Key": str(uuid4())},
    )


def grant(dataset: Dataset, holder: object, nano: int = NANO) -> Allocation:
    return allocate(
        dataset_budget=dataset.budget,
        holder=holder,  # type: ignore[arg-type]
        limit_nano=nano,
        actor=OPERATOR,
        reason="study",
    )


def project(analyst: Membership, name: str) -> Project:
    made = Project.objects.create(tenant=analyst.tenant, name=name)
    ProjectMember.objects.create(tenant=analyst.tenant, project=made, user=analyst.user)
    return made


@made_once
def own(dataset: Dataset, analyst: Membership) -> Allocation:
    return grant(dataset, analyst.user)


@made_once
def shared(dataset: Dataset, analyst: Membership) -> Allocation:
    return grant(dataset, project(analyst, "Ageing"))


def charged() -> set[Any]:
    return set(Reservation.objects.values_list("budget", flat=True))


def test_with_one_allocation_nothing_has_to_be_chosen(
    browser: Client, dataset: Dataset, own: Allocation, counting: Filled
) -> None:
    page = browser.get(ASK).content.decode()
    assert f'<input type="hidden" name="allocation" value="{own.pk}">' in page
    browser.post(ASK, counting.posted(price="0.5", allocation=str(own.pk)))
    assert charged() == {own.pk, dataset.budget_id}


def test_of_several_allocations_one_is_chosen_and_remembered(
    browser: Client, dataset: Dataset, own: Allocation, shared: Allocation, counting: Filled
) -> None:
    first = browser.get(ASK).content.decode()
    assert f'<option value="{own.pk}" selected>Your own allocation' in first
    browser.post(ASK, counting.posted(price="0.5", allocation=str(shared.pk)))
    assert charged() == {shared.pk, dataset.budget_id}
    assert (
        f'<option value="{shared.pk}" selected>Ageing (project)'
        in browser.get(ASK).content.decode()
    )


def test_of_two_projects_none_is_taken_for_granted(
    browser: Client,
    dataset: Dataset,
    analyst: Membership,
    shared: Allocation,
    counting: Filled,
    unchanged: Unchanged,
) -> None:
    grant(dataset, project(analyst, "Income"))
    with unchanged():
        said = text_of(browser.post(QUOTE, counting.posted()).content)
        refused = browser.post(ASK, counting.posted(price="0.5"))
    assert "Choose what to charge: Ageing, Income." in said
    assert refused.status_code == 422


def test_the_lines_for_a_notebook_charge_what_is_chosen(
    browser: Client, own: Allocation, shared: Allocation, counting: Filled
) -> None:
    """F4: and not what would be charged where nobody chooses."""
    page = browser.post(QUOTE, counting.posted(allocation=str(shared.pk)))
    lines = str(page.context["lines"])
    assert f'/quote/?allocation={shared.pk}"' in lines
    assert f'/queries/?allocation={shared.pk}"' in lines
    assert str(own.pk) not in lines


def test_an_allocation_that_ended_meanwhile_is_not_replaced_silently(
    browser: Client,
    dataset: Dataset,
    own: Allocation,
    shared: Allocation,
    counting: Filled,
    unchanged: Unchanged,
) -> None:
    """F4: the person agreed to one allocation; another one is not charged in its place."""
    withdraw(allocation=shared, actor=OPERATOR, reason="over")
    with unchanged():
        response = browser.post(ASK, counting.posted(price="0.5", allocation=str(shared.pk)))
    assert response.status_code == 422
    assert "That allocation has ended" in response.content.decode()


def test_without_a_needed_allocation_nothing_is_admitted(
    browser: Client, api: APIClient, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    Dataset.objects.filter(pk=dataset.pk).update(needs_allocation=True)
    with unchanged():
        page = browser.post(ASK, counting.posted(price="0.5"))
        answer = send(api, "queries")
    assert page.status_code == 422
    assert "Ask its owner to grant you one" in page.content.decode()
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "allocation_needed")


def test_a_price_that_is_too_small_has_a_button_with_the_least(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    """L4: in place of the most that fits; what it fills in is accepted."""
    said = text_of(browser.post(QUOTE, counting.posted(epsilon="0.0005")).content)
    assert "costs at least ε 0.001" in said
    assert "Use ε 0.001, the least that is accepted" in said
    assert "the most that fits" not in said
    filled = text_of(browser.post(QUOTE, counting.posted(epsilon="0.001")).content)
    assert "the least that is accepted" not in filled


def test_the_quote_names_every_limit_with_the_binding_one_first(
    browser: Client, dataset: Dataset, own: Allocation, counting: Filled
) -> None:
    set_rate_limit(
        budget=dataset.budget, period=RateLimit.Period.WEEK, limit_nano=NANO // 4, actor=OPERATOR
    )
    said = text_of(browser.post(QUOTE, counting.posted()).content)
    assert "This question has to fit under each limit that it touches." in said
    assert "The tightest is what may be used a week of the dataset's budget" in said
    assert "Only ε 0.25 remains of what may be used a week of the dataset's budget, until" in said
    assert "Use ε 0.25, the most that fits" in said
    assert "a week of the dataset's budget binds" in said


def test_the_api_lists_ones_allocations_and_charges_the_named_one(
    api: APIClient, dataset: Dataset, own: Allocation, shared: Allocation
) -> None:
    budget = api.get("/api/v1/datasets/visits/budget/").json()
    assert [(one["id"], one["name"]) for one in budget["allocations"]] == [
        (str(own.pk), "Anna"),
        (str(shared.pk), "Ageing"),
    ]
    assert budget["allocations"][0]["remaining_epsilon"] == 1
    assert send(api, "queries", allocation=str(shared.pk)).status_code == 202
    assert charged() == {shared.pk, dataset.budget_id}
    again = api.get("/api/v1/datasets/visits/budget/").json()
    assert again["allocations"][1]["committed_epsilon"] == 0.5


def test_each_door_of_a_price_takes_what_is_to_be_charged(
    api: APIClient, dataset: Dataset, analyst: Membership, shared: Allocation
) -> None:
    """Of two projects none is taken for granted, so that without it nothing fits."""
    grant(dataset, project(analyst, "Income"))
    named = f"?allocation={shared.pk}"
    curve, sql = "/api/v1/datasets/visits/quote/curve/", "/api/v1/datasets/visits/sql/"
    said = {"sql": "SELECT COUNT(*) FROM visits WITH EPSILON 0.5"}
    assert api.post(curve + named, COUNT, format="json").json()["points"][0]["verdict"] == "fits"
    assert api.post(sql + named, said, format="json").json()["accepted"] is True
    assert api.post(sql, said, format="json").json()["refusal"].startswith("Choose what to charge")


def test_who_names_an_allocation_that_is_not_theirs_is_told_to_name_another(
    api: APIClient, dataset: Dataset, own: Allocation
) -> None:
    """And who has none left, to ask for one."""
    (error,) = send(api, "queries", allocation=str(uuid4())).json()["errors"]
    assert (error["code"], error["detail"]) == (
        "allocation_needed",
        "That allocation has ended or was never yours. Choose another one.",
    )
    withdraw(allocation=own, actor=OPERATOR, reason="over")
    (error,) = send(api, "queries", allocation=str(own.pk)).json()["errors"]
    assert "Ask its owner to grant you one" in error["detail"]


def test_the_apis_quote_has_the_limits(api: APIClient, dataset: Dataset, own: Allocation) -> None:
    limits = send(api, "quote").json()["limits"]
    assert [limit["kind"] for limit in limits] == ["allocation", "dataset"]
    assert limits[0] == {
        "limit": "your allocation",
        "kind": "allocation",
        "period": None,
        "limit_epsilon": 1,
        "limit_rho": None,
        "remaining_epsilon": 1,
        "remaining_rho": None,
        "factor": 1,
        "largest_fit_epsilon": 1,
        "largest_fit_rho": None,
        "renews_on": None,
    }


def test_what_fits_is_the_least_of_all_limits(
    api: APIClient, dataset: Dataset, analyst: Membership, unchanged: Unchanged
) -> None:
    """F2: asking for what the refusal says fits is then admitted."""
    grant(dataset, analyst.user, NANO // 4)
    set_rate_limit(
        budget=dataset.budget, period=RateLimit.Period.DAY, limit_nano=NANO // 10, actor=OPERATOR
    )
    with unchanged():
        refused = send(api, "queries")
    assert refused.status_code == 409
    assert refused.json()["errors"][0]["code"] == "insufficient_budget"
    assert refused.json()["largest_fit_epsilon"] == 0.1


def test_a_frozen_dataset_admits_nothing(
    api: APIClient, browser: Client, dataset: Dataset, counting: Filled, unchanged: Unchanged
) -> None:
    """A9: refused with its own code; nothing is offered that would be refused again."""
    Budget.objects.filter(pk=dataset.budget_id).update(frozen_at="2026-01-01T00:00:00Z")
    with unchanged():
        answer = send(api, "queries")
        quoted = send(api, "quote").json()
        page = browser.post(ASK, counting.posted(price="0.5"))
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "budget_frozen")
    assert (quoted["accepted"], quoted["largest_fit_epsilon"]) == (False, 0)
    assert page.status_code == 422
    assert "fill_epsilon" not in page.content.decode()


def test_a_frozen_dataset_in_parts_admits_nothing_either(api: APIClient, dataset: Dataset) -> None:
    """A9, F5: the parts are not frozen by themselves, their dataset is."""
    open_parts(budget=dataset.budget, parts=["Primary", "other"])
    declare_otherwise(Dataset.objects.filter(pk=dataset.pk), partition_column="education")
    Budget.objects.filter(pk=dataset.budget_id).update(frozen_at="2026-01-01T00:00:00Z")
    quoted = send(api, "quote").json()
    assert (quoted["accepted"], quoted["largest_fit_epsilon"]) == (False, 0)
    assert send(api, "queries").json()["errors"][0]["code"] == "budget_frozen"


@pytest.mark.parametrize("named", ["x", "00000000-0000-4000-8000-000000000000", "colleague"])
def test_an_allocation_of_nobody_or_of_somebody_else_is_refused_alike(
    named: str,
    api: APIClient,
    dataset: Dataset,
    analyst: Membership,
    unchanged: Unchanged,
) -> None:
    """H8: a colleague's id tells no more than an invented one."""
    from tests.cast import join

    carla = join(dataset.tenant, "analyst", "carla")  # type: ignore[arg-type]
    theirs = grant(dataset, carla.user)
    chosen = str(theirs.pk) if named == "colleague" else named
    with unchanged():
        answer = send(api, "queries", allocation=chosen)
    expected = (400, "invalid") if named == "x" else (409, "allocation_needed")
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == expected
