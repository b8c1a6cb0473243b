"""J2: every real answer of the API is what its schema says, with nothing that is not described.

One walk through all operations for each currency. Beside it `test_the_schema` tries whatever the
schema allows; here no field may be missing, and none may be there that nobody described.
"""

import json
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import jsonschema
import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from dpgov.audit.actor import OPERATOR
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.budgets.services import allocate
from dpgov.datasets.models import Arrival, Dataset
from dpgov.datasets.services import set_terms
from dpgov.datasets.services.arrivals import states
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE, Currency, Mode
from dpgov.queries.models import ReadyMade
from dpgov.tenants.models import Membership
from tests.integration.datasets.live.invented import become_live
from tests.integration.joint import before as joint
from tests.integration.queries.asking import before as asking
from tests.integration.queries.ready_made.published import VALUES, published
from tests.integration.surveys.made import opened, sent, shared
from tests.small_dataset import register_small_dataset

_RHO = Currency(Mode.ZCDP, Decimal("1e-6"))
# Not JSON: invented rows as CSV.
_OTHERWISE = {"read_mock_rows", "read_synthetic_rows"}
_OF = "/api/v1/datasets/visits/"
_COUNT: dict[str, Any] = {"statistics": [{"statistic": "count"}]}
_BY_SEX = _COUNT | {"group_by": [{"column": "sex"}]}
_EVERYTHING: dict[str, Any] = {
    "statistics": [
        {"statistic": "count"},
        {"statistic": "mean", "column": "age"},
        {"statistic": "quantiles", "column": "hours", "quantiles": [0.25, 0.5]},
        {"statistic": "min", "column": "hours"},
    ],
    "where": [{"or": [{"column": "sex", "op": "=", "value": "Male"}, {"not": {
        "column": "age", "op": "between", "value": [3, 9.5]}}]}],
    "group_by": [{"column": "education"}, {"column": "age", "edges": [0, 50, 100]}],
}  # fmt: skip


def _closed(part: Any) -> Any:
    """The same schema, where an object has only the fields that are named."""
    if isinstance(part, list):
        return [_closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    found = {name: _closed(each) for name, each in part.items()}
    if found.get("type") == "object" and "properties" in found:
        found.setdefault("additionalProperties", False)
    if found.pop("nullable", False):
        return {"anyOf": [{"type": "null"}, found]}
    return found


@cache
def _schema() -> dict[str, Any]:
    described: dict[str, Any] = SchemaGenerator(api_version="v1").get_schema(None, public=True)
    return described


class Doors:
    """Calls operations by their id, and holds each answer against what is described of it."""

    def __init__(self, clients: dict[str, Client]) -> None:
        schema = _schema()
        self.components = _closed(schema["components"])
        self.clients, self.tried = clients, set[str]()
        self.described = {
            each["operationId"]: (method, path, each)
            for path, methods in schema["paths"].items()
            for method, each in methods.items()
        }

    def call(self, operation: str, status: int, body: Any = None, **values: Any) -> Any:
        method, path, described = self.described[operation]
        address = path.format(**{"slug": "visits"} | values) + values.get("ask", "")
        client = self.clients["officer" if "/audit/" in path else values.get("actor", "analyst")]
        sent = {} if body is None else {"data": json.dumps(body)}
        headers = {"Idempotency-Key": str(uuid4())}
        answer = getattr(client, method)(
            address, content_type="application/json", headers=headers, **sent
        )
        assert answer.status_code == status, answer.content
        found = json.loads(answer.content)
        shape = described["responses"][str(status)]["content"]["application/json"]["schema"]
        whole = {"components": self.components, **_closed(shape)}
        problems = list(jsonschema.Draft202012Validator(whole).iter_errors(found))
        assert problems == [], f"{operation}: {problems[0].json_path} {problems[0].message}"
        self.tried.add(operation)
        return found


@pytest.fixture
def doors(
    analyst: Membership,
    officer: Membership,
    owner: Membership,
    api_for: Callable[[Membership], APIClient],
) -> Doors:
    """Everybody who may call the API."""
    people = {"analyst": analyst, "officer": officer, "owner": owner}
    return Doors({name: api_for(one) for name, one in people.items()})


@pytest.mark.parametrize("currency", [PURE, _RHO], ids=["pure", "zcdp"])
def test_every_answer_is_what_the_schema_says(
    currency: Currency,
    doors: Doors,
    owner: Membership,
    analyst: Membership,
    answer_all: Callable[[], int],
) -> None:
    """J2: under pure ε and under zCDP alike."""
    dataset = register_small_dataset(owner, name="Visits", limit_nano=5 * NANO, currency=currency)
    allocate(
        dataset_budget=dataset.budget,
        holder=analyst.user,
        limit_nano=4 * NANO,
        actor=OPERATOR,
        reason="the study",
    )
    amount = {currency.unit: 0.02}
    _declarations(doors)
    _refreshed(doors, owner, currency)
    _audience(doors, analyst)
    _derived(doors)
    _terms(doors, dataset, amount)
    _questions(doors, dataset, amount, answer_all)
    _ready_made(doors, published(owner, dataset))
    asking.cancelling_doors(doors.call, dataset, _COUNT | amount)
    asking.approval_doors(doors.call, dataset, _BY_SEX | amount)
    _surveys(doors, owner)
    joint.every_door(doors.call, owner)
    _officers(doors, owner)
    assert doors.tried | _OTHERWISE == set(doors.described)


def _declarations(doors: Doors) -> None:
    doors.call("datasets_list", 200)
    doors.call("datasets_read", 200)
    assert doors.call("datasets_budget", 200)["allocations"]


def _refreshed(doors: Doors, owner: Membership, currency: Currency) -> None:
    """Of a file, of a live table, and twice."""
    doors.call("datasets_refresh", 409, {"version": 1}, actor="owner")
    doors.call("datasets_refresh", 400, {"version": "one"}, actor="owner")
    become_live(register_small_dataset(owner, name="Live", currency=currency))
    for status in (201, 200):
        doors.call("datasets_refresh", status, {"version": 1}, actor="owner", slug="live")


def _audience(doors: Doors, analyst: Membership) -> None:
    """Open, named-only with one person, refused for a stranger, and open again."""
    doors.call("datasets_audience", 200, actor="owner")
    named = {"named_only": True, "viewers": [analyst.user.email]}
    doors.call("datasets_change_audience", 200, named, actor="owner")
    doors.call("datasets_read", 200)
    nobody = {"viewers": ["nobody@example.org"]}
    doors.call("datasets_change_audience", 400, nobody, actor="owner")
    doors.call("datasets_change_audience", 200, {"named_only": False}, actor="owner")


def _derived(doors: Doors) -> None:
    """Refused, where there is nothing to join; asked for, not twice at once, and looked at."""
    side = {"rows_of_unit": 1, "columns": ["age"]}
    wanted = {
        "name": "Both",
        "first": {"dataset": "visits", **side},
        "second": {"dataset": "nowhere", **side},
        "rows_of_unit": 1,
        "epsilon_limit": "1",
        "epsilon_per_query": 0.5,
    }
    doors.call("datasets_derive", 400, wanted, actor="owner")
    declared: Any = {"name": "Both"}
    with patch.object(states, "planned") as planned:
        planned.return_value.of_these_versions.as_json.return_value = declared
        found = doors.call("datasets_derive", 202, wanted, actor="owner")
        planned.return_value.of_these_versions.as_json.return_value = {"name": "Other"}
        doors.call("datasets_derive", 409, wanted, actor="owner")
    doors.call("datasets_derived", 200, actor="owner", arrival_id=found["id"])
    Arrival.objects.filter(pk=found["id"]).update(state=Arrival.State.CANCELLED)


def _terms(doors: Doors, dataset: Dataset, amount: dict[str, Any]) -> None:
    """Without terms, before they are accepted, refused for another version, and accepted."""
    doors.call("datasets_terms", 200)
    set_terms(dataset=dataset, text="For research alone.", user=dataset.owner)
    doors.call("datasets_terms", 200)
    doors.call("quote_question", 200, _COUNT | amount)
    doors.call("submit_question", 409, _COUNT | amount)
    doors.call("datasets_accept_terms", 400, {"version": "one"})
    doors.call("datasets_accept_terms", 409, {"version": 2})
    doors.call("datasets_accept_terms", 200, {"version": 1})


def _questions(
    doors: Doors, dataset: Dataset, amount: dict[str, Any], answer_all: Callable[[], int]
) -> None:
    doors.call("quote_question", 200, _EVERYTHING | amount)
    doors.call("quote_question", 200, _COUNT | {"accuracy": {"value": 50}})
    doors.call("read_price_curve", 200, _COUNT | amount)
    doors.call("try_on_mock_data", 200, _EVERYTHING | amount)
    sign = next(iter(amount)).upper()
    said = f"SELECT COUNT(*) FROM visits WITH {sign} 0.02"
    doors.call("v1_datasets_sql_create", 200, {"sql": said})
    batch = {"plans": [_COUNT, _EVERYTHING | {"share": 0.5}], **amount}
    doors.call("quote_batch", 200, batch)
    tables = {"columns": [{"column": "sex"}, {"column": "education"}], "tables": 1}
    doors.call("quote_batch", 200, tables | amount)
    rounds = tables | {"method": "adaptive", "rounds": 2} | amount
    doors.call("quote_batch", 200, rounds | {"method": "mwem"})
    doors.call("quote_batch", 200, rounds)
    (chosen,) = doors.call("submit_batch", 202, rounds)["queries"]
    doors.call("submit_batch", 202, batch)
    asked = [doors.call("submit_question", 202, one | amount) for one in (_BY_SEX, _EVERYTHING)]
    doors.call("submit_question", 400, {"statistics": []})
    doors.call("submit_question", 409, _COUNT | {"epsilon": 1.9}, ask=f"?allocation={uuid4()}")
    for one in asked:
        doors.call("read_release", 409, query_id=one["id"])
        doors.call("read_receipt", 409, query_id=one["id"])
    assert answer_all() == 5
    doors.call("read_question", 200, query_id=chosen["id"])
    doors.call("read_release", 200, query_id=chosen["id"])
    for one in asked:
        doors.call("read_question", 200, query_id=one["id"])
        doors.call("read_release", 200, query_id=one["id"])
        doors.call("read_receipt", 200, query_id=one["id"])
        doors.call("read_groups", 200, query_id=one["id"], ask="?sort=-1,g1&first=2")
    doors.call("read_groups", 200, query_id=asked[1]["id"], ask="?ratio=2/1&having=r1>=0")
    doors.call("read_groups", 400, query_id=asked[0]["id"], ask="?sort=9")
    make_checkpoint(tenant_id=dataset.tenant_id)
    doors.call("read_receipt", 200, query_id=asked[0]["id"])
    doors.call("quote_question", 200, _COUNT | amount)
    free = doors.call("reuse_answers", 201, _COUNT | amount)
    doors.call("read_release", 200, query_id=free["id"])
    doors.call("list_questions", 200)
    doors.call("datasets_comparison", 200, actor="owner")


def _surveys(doors: Doors, owner: Membership) -> None:
    """Before the first report and after it, and what is refused."""
    survey = opened(owner, by_token=False)
    assert doors.call("list_surveys", 200)[0]["estimates"] == []
    of = {"survey_code": survey.code}
    doors.call("read_survey_form", 200, **of)
    report = {"token": "0" * 32, "report": "1"}
    doors.call("send_survey_report", 400, report | {"report": "7"}, **of)
    doors.call("send_survey_report", 201, report, **of)
    doors.call("send_survey_report", 409, report, **of)
    assert doors.call("read_survey", 200, survey_id=survey.pk)["estimates"]
    own: dict[str, Any] = {"actor": "owner", "survey_id": survey.pk}
    doors.call("make_survey_tokens", 409, {"number": 1}, **own)
    doors.call("close_survey", 200, **own)
    doors.call("close_survey", 409, **own)
    own["survey_id"] = doors.call("draft_survey", 201, sent(), actor="owner")["id"]
    doors.call("quote_survey", 200, **own)
    doors.call("open_survey", 200, {}, **own)
    doors.call("make_survey_tokens", 201, {"number": 1}, **own)
    named = sent() | {"shared_budget": str(shared(owner).pk)}
    own["survey_id"] = doors.call("draft_survey", 201, named, actor="owner")["id"]
    doors.call("open_survey", 202, {"reason": "the yearly survey"}, **own)
    doors.call("open_survey", 409, {"reason": "the yearly survey"}, **own)


def _ready_made(doors: Doors, ready_made: ReadyMade) -> None:
    assert doors.call("list_ready_made_questions", 200)
    of: dict[str, Any] = {"ready_made_id": ready_made.pk}
    doors.call("ask_ready_made_question", 400, {"values": {"sex": "Male"}}, **of)
    doors.call("ask_ready_made_question", 202, {"values": VALUES}, **of)


def _officers(doors: Doors, owner: Membership) -> None:
    first = make_checkpoint(tenant_id=owner.tenant_id)
    doors.call("v1_audit_verify_create", 200)
    second = make_checkpoint(tenant_id=owner.tenant_id)
    assert first is not None
    assert second is not None
    doors.call("v1_audit_entries_list", 200)
    doors.call("v1_audit_checkpoints_list", 200)
    between = f"?old={first.size}&new={second.size}"
    doors.call("v1_audit_consistency_retrieve", 200, ask=between)
