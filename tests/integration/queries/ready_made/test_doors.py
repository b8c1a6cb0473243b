"""Ready-made questions on their pages and in the API."""

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.audit.models import AuditEntry
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query, ReadyMade
from dpgov.queries.web.forms.ready_made import PublishForm
from dpgov.queries.workbench.ready_made import withdraw
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.queries.ready_made.published import (
    PARAMETERS,
    PLAN,
    VALUES,
    ask,
    published,
)
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db
LIST = "/datasets/visits/ready-made/"
NEW = f"{LIST}new/"
API = "/api/v1/datasets/visits/ready-made/"


@made_once
def women(owner: Membership, dataset: Dataset) -> ReadyMade:
    return published(owner, dataset, per_analyst=2)


@made_once
def publisher(owner: Membership, dataset: Dataset, client_for: Callable[[Any], Client]) -> Client:
    """The owner's browser."""
    return client_for(owner)


@made_once
def asker(analyst: Membership, client_for: Callable[[Any], Client]) -> Client:
    """The analyst's browser."""
    return client_for(analyst)


def test_an_analyst_asks_with_one_press(women: ReadyMade, asker: Client) -> None:
    shown = asker.get("/datasets/visits/").content.decode()
    assert women.name in shown
    page = asker.get(LIST).content.decode()
    assert "where age is at least [from age] and sex is [sex]" in page
    assert "2 of 2" in page
    assert "Publish one" not in page
    asked = asker.post(f"{LIST}{women.pk}/ask/", {"key": "k-1", "p0": "30", "p1": "Female"})
    assert asked["Location"] == f"/queries/{Query.objects.get().pk}/"
    again = asker.post(f"{LIST}{women.pk}/ask/", {"key": "k-1", "p0": "30", "p1": "Female"})
    assert again["Location"] == asked["Location"]
    assert "1 of 2" in asker.get(LIST).content.decode()


def test_a_value_outside_is_refused_at_its_field(women: ReadyMade, asker: Client) -> None:
    """L29: and what was typed stays."""
    page = asker.post(f"{LIST}{women.pk}/ask/", {"key": "k-1", "p0": "99", "p1": "Female"})
    assert page.status_code == 422
    assert "Choose from 18 to 65." in page.content.decode()
    assert 'value="99"' in page.content.decode()
    page = asker.post(f"{LIST}{women.pk}/ask/", {"key": "k-1", "p0": "30", "p1": "Male"})
    assert page.status_code == 422
    assert not Query.objects.exists()


def test_the_upper_end_of_a_range_is_refused_at_its_own_field(
    owner: Membership, dataset: Dataset, asker: Client
) -> None:
    """Of two names of which one begins with the other: as they are called where nobody chooses."""
    ends = [{"parameter": "age"}, {"parameter": "age 2"}]
    plan = {**PLAN, "where": [{"column": "age", "op": "between", "value": ends}]}
    ranges = [
        {"name": "age", "column": "age", "from": 0, "to": 50},
        {"name": "age 2", "column": "age", "from": 50, "to": 90},
    ]
    made = published(owner, dataset, plan=plan, parameters=ranges)
    page = asker.post(f"{LIST}{made.pk}/ask/", {"key": "k-1", "p0": "10", "p1": "95"})
    (row,) = page.context["rows"]
    assert row.form.errors == {"p1": ["Choose from 50 to 90."]}


def test_a_used_up_quota_leaves_no_button(
    women: ReadyMade, analyst: Membership, asker: Client
) -> None:
    first = ask(analyst, women)
    ask(analyst, women)
    page = asker.get(LIST).content.decode()
    assert f"{women.pk}/ask/" not in page
    refused = asker.post(f"{LIST}{women.pk}/ask/", {"key": "k-9", "p0": "30", "p1": "Female"})
    assert "You asked this question as often as you may (2)." in refused.content.decode()
    assert Query.objects.latest("submitted_at").pk != first.pk


def test_one_that_was_withdrawn_meanwhile_is_said_to_be(
    women: ReadyMade, owner: Membership, dataset: Dataset, asker: Client
) -> None:
    withdraw(membership=owner, dataset=dataset, ready_made_id=women.pk)
    sent = {"key": "k-1", "p0": "30", "p1": "Female"}
    page = asker.post(f"{LIST}{women.pk}/ask/", sent, follow=True)
    assert "no such ready-made question, or not any more" in page.content.decode()
    assert not Query.objects.exists()


def test_an_owner_publishes_from_sql(publisher: Client) -> None:
    sql = "SELECT sex, COUNT(*) FROM data WHERE age BETWEEN 18 AND 65 GROUP BY sex"
    begun = publisher.post(NEW, {"sql": sql, "epsilon": "0.2"})
    assert begun.status_code == 200
    plan = begun.context["plan"]
    sent = {
        "plan": plan,
        "name": "By sex",
        "purpose": "The report.",
        "price": "0.25",
        "per_analyst": "3",
        "blank-0-open": "on",
        "blank-0-name": "youngest",
        "blank-0-low": "18",
        "blank-0-high": "40",
        "blank-2-open": "on",
        "blank-2-name": "sexes",
        "blank-2-choices": ["Female", "Male"],
    }
    assert publisher.post(NEW, sent)["Location"] == LIST
    made = ReadyMade.objects.get()
    assert (made.cost_nano, made.per_analyst, made.altogether) == (NANO // 4, 3, None)
    assert made.plan["where"][0]["value"] == [{"parameter": "youngest"}, 65]
    assert made.plan["group_by"][0]["categories"] == {"parameter": "sexes"}
    page = publisher.get(LIST).content.decode()
    assert "age is between [youngest] and 65" in page
    publisher.post(f"{LIST}{made.pk}/withdraw/")
    assert AuditEntry.objects.filter(action="READY_MADE_WITHDRAWN").count() == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"price": "5"}, "may cost at most"),
        ({"price": "nothing"}, "number"),
        ({"name": ""}, "required"),
        ({"blank-0-name": "a;b"}, "A name has 1 to 40"),
        ({"blank-0-low": "-5"}, "outside the declared range"),
        ({"plan": "[["}, "Begin again"),
        ({"plan": json.dumps({"statistics": []})}, "Begin again"),
    ],
)
def test_what_cannot_be_published_is_said_where_it_was_typed(
    publisher: Client, changed: dict[str, str], said: str
) -> None:
    plan = {"statistics": [{"statistic": "count"}], "epsilon": 0.1}
    age = {"column": "age", "op": ">=", "value": 30}
    sent = {
        "plan": json.dumps({**plan, "where": [age]}),
        "name": "Older",
        "purpose": "The report.",
        "price": "0.1",
        "blank-0-open": "on",
        "blank-0-name": "age",
        "blank-0-low": "18",
        "blank-0-high": "65",
    }
    page = publisher.post(NEW, {**sent, **changed})
    assert page.status_code == 422
    assert said in page.content.decode()
    assert not ReadyMade.objects.exists()


def test_the_price_of_a_ready_made_question_is_refused_in_its_own_unit() -> None:
    """It was read as an ε also where the dataset counts ρ, and refused above the page."""
    for unit, symbol in (("epsilon", "ε"), ("rho", "ρ")):
        form = PublishForm({"price": "nothing"}, unit=unit)
        (said,) = form.errors["price"]
        assert str(said).startswith(f"{symbol} must be")


def test_an_owner_begins_with_a_question_that_was_asked(
    publisher: Client, analyst: Membership, ask: Callable[..., Query]
) -> None:
    query = ask(analyst, where=({"column": "sex", "op": "=", "value": "Male"},))
    assert f"?from={query.pk}" in publisher.get(NEW).content.decode()
    assert "sex is Male" in publisher.get(f"{NEW}?from={query.pk}").content.decode()
    assert publisher.get(f"{NEW}?from=nothing").status_code == 404


def test_the_api_lists_and_asks(
    women: ReadyMade, analyst: Membership, api_for: Callable[[Membership], APIClient]
) -> None:
    api = api_for(analyst)
    (listed,) = api.get(API).json()
    assert listed["parameters"][0] == {
        "name": "from age",
        "column": "age",
        "from": "18",
        "to": "65",
    }
    assert (listed["epsilon"], listed["left_for_you"], listed["left_for_all"]) == (0.1, 2, None)
    assert len(listed["parameters"]) == len(PARAMETERS)
    key = {"Idempotency-Key": "k-1"}
    for _again in range(2):
        asked = api.post(f"{API}{women.pk}/", {"values": VALUES}, format="json", headers=key)
        assert asked.status_code == 202
    assert Query.objects.get().ready_made == women


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"values": {"from age": 99, "sex": "Female"}}, 400, "invalid_plan"),
        ({"values": {}}, 400, "invalid_plan"),
        ({"plan": {}}, 400, "invalid"),
        ([], 400, "invalid"),
    ],
)
def test_the_api_refuses_everything_else(
    women: ReadyMade,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
    body: Any,
    status: int,
    code: str,
) -> None:
    """L29: a plan sent in place of values is no question."""
    key = {"Idempotency-Key": "k-1"}
    response = api_for(analyst).post(f"{API}{women.pk}/", body, format="json", headers=key)
    assert response.status_code == status
    assert response.json()["errors"][0]["code"] == code
    assert not Query.objects.exists()


@pytest.mark.parametrize("which", ["withdrawn", "another dataset's", "never was"])
def test_what_cannot_be_asked_any_more_is_to_the_api_as_what_never_was(
    women: ReadyMade,
    owner: Membership,
    analyst: Membership,
    api_for: Callable[[Membership], APIClient],
    which: str,
) -> None:
    """L29: missing, and nothing is reserved."""
    named = {"never was": uuid4(), "withdrawn": women.pk}.get(which)
    if which == "withdrawn":
        withdraw(membership=owner, dataset=women.dataset, ready_made_id=women.pk)
    if named is None:
        named = published(owner, register_small_dataset(owner, name="Traffic")).pk
    key = {"Idempotency-Key": "k-1"}
    answer = api_for(analyst).post(f"{API}{named}/", {"values": VALUES}, "json", headers=key)
    (error,) = answer.json()["errors"]
    assert (answer.status_code, error["code"], error["attr"]) == (404, "not_found", None)
    assert error["detail"].startswith("There is no such ready-made question")
    assert not Query.objects.exists()


def test_the_api_says_that_a_quota_is_used_up(
    women: ReadyMade, analyst: Membership, api_for: Callable[[Membership], APIClient]
) -> None:
    """L29: for this analyst; another one may still ask."""
    for _ in range(2):
        ask(analyst, women)
    body, key = {"values": VALUES}, {"Idempotency-Key": "k-1"}
    refused = api_for(analyst).post(f"{API}{women.pk}/", body, format="json", headers=key)
    assert refused.status_code == 409
    assert refused.json()["errors"][0]["code"] == "quota_used_up"
    other = api_for(join(women.tenant, Role.ANALYST, "bert"))
    assert other.post(f"{API}{women.pk}/", body, format="json", headers=key).status_code == 202
