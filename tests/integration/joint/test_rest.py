"""M47: three organisations' programs propose, join, watch, leave and read over the API, by the
rules of the pages; what is refused says where and why, and has changed nothing.

What could leak: a code in an address, a second code for one proposal, a foreign dataset or question
that is told from a missing one. What could overspend: a place without an officer.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone
from rest_framework.test import APIClient

from dpgov.approvals.models import ChangeRequest
from dpgov.datasets.models import Column, Dataset, DatasetVersion
from dpgov.datasets.selectors import schema_of
from dpgov.datasets.services.recording import columns_declared
from dpgov.joint.models import JointQuestion
from dpgov.joint.services import joint_round
from dpgov.operation import clock
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.integration.joint.before import sent
from tests.integration.joint.made import COUNT_BY_SEX, Side, approved, look, proposed, side
from tests.integration.queries.asking.approving import new_version

Api = Callable[[Membership], APIClient]
_BASE = "/api/v1/joint/"
_MEAN = {"statistic": "mean", "column": "age"}
_JOIN = {"dataset": "visits", "reason": "the yearly report"}


def _post(client: APIClient, path: str, body: dict[str, Any], status: int, key: str = "k") -> Any:
    headers = {"Idempotency-Key": key}
    answer = client.post(_BASE + path, body, format="json", headers=headers)
    assert answer.status_code == status, answer.content
    return answer.json()


def _why(client: APIClient, path: str, body: dict[str, Any], status: int = 409) -> list[Any]:
    errors = _post(client, path, body, status, "another")["errors"]
    return [(one["code"], one["attr"]) for one in errors]


def _body(**change: Any) -> dict[str, Any]:
    return sent() | {"dataset": "visits"} | change


def test_three_programs_and_their_officers_get_one_total(sides: list[Side], api_for: Api) -> None:
    """M47: from a proposal to one answer and a receipt for each."""
    owners = [api_for(one.owner) for one in sides]
    made = _post(owners[0], "new/", _body(), 201)
    where = f"{made['id']}/"
    _post(owners[0], f"{where}join/", _JOIN, 201)
    for owner in owners[1:]:
        offer = _post(owner, "code/", {"code": made["code"]}, 200)
        assert (offer["proposed_by"], offer["datasets"][0]["fits"]) == ("Alpha Institute", True)
        waiting = _post(owner, "code/join/", _JOIN | {"code": made["code"]}, 201)
        assert waiting["state"] == "waiting"
        assert owner.get(_BASE + where).status_code == 404
    assert owners[0].get(_BASE + where).json()["state"] == "proposed"
    for one in sides:
        approved(one, ChangeRequest.objects.get(tenant=one.tenant))
    look(sides), joint_round(), look(sides), joint_round(), publish_now()
    totals = []
    for owner in owners:
        told = owner.get(_BASE + where).json()
        assert (told["state"], len(told["who"])) == ("answered", 3)
        totals.append(owner.get(told["links"]["release"]).json()["joint"]["total_sha256"])
        assert owner.get(told["links"]["receipt"]).status_code == 200
    assert len(set(totals)) == 1


def test_the_same_proposal_sent_again_is_the_same_and_shows_no_second_code(
    sides: list[Side], api_for: Api
) -> None:
    """M47: one key, one proposal of a person; another body under it is refused."""
    owner = api_for(sides[0].owner)
    first = _post(owner, "new/", _body(), 201)
    again = _post(owner, "new/", _body(), 201)
    assert (again["id"], again["code"]) == (first["id"], "")
    assert first["code"]
    refused = _post(owner, "new/", _body(title="Another"), 409)["errors"]
    assert [one["code"] for one in refused] == ["idempotency_conflict"]
    assert _post(api_for(sides[1].owner), "new/", _body(), 201)["id"] != first["id"]
    keyless = owner.post(f"{_BASE}new/", _body(), format="json").json()["errors"]
    assert [(one["code"], one["attr"]) for one in keyless] == [
        ("invalid_idempotency_key", "Idempotency-Key")
    ]
    assert JointQuestion.objects.count() == 2


def test_a_key_leads_to_its_proposal_when_the_dataset_is_gone(
    sides: list[Side], api_for: Api
) -> None:
    """M47: another title under it, and a new key, propose nothing."""
    alpha, owner = sides[0], api_for(sides[0].owner)
    first = _post(owner, "new/", _body(), 201)
    Dataset.objects.filter(pk=alpha.dataset.pk).update(archived_at=timezone.now())
    assert _post(owner, "new/", _body(), 201)["id"] == first["id"]
    refused = _post(owner, "new/", _body(title="Another"), 409)["errors"]
    assert [one["code"] for one in refused] == ["idempotency_conflict"]
    assert _why(owner, "new/", _body(), 400) == [("invalid", "dataset")]


def test_another_plan_under_a_used_key_is_refused_though_nobody_could_propose_it(
    sides: list[Side], api_for: Api
) -> None:
    """M47: a plan that cannot be read is not the one that was proposed."""
    owner = api_for(sides[0].owner)
    _post(owner, "new/", _body(), 201)
    for broken in (COUNT_BY_SEX | {"rho": "x"}, COUNT_BY_SEX | {"statistics": [_MEAN]}):
        refused = _post(owner, "new/", _body(plan=broken), 409)["errors"]
        assert [one["code"] for one in refused] == ["idempotency_conflict"]


def test_a_key_leads_to_its_proposal_where_newer_declarations_do_not_know_its_plan(
    sides: list[Side], api_for: Api
) -> None:
    """M47"""
    alpha, owner = sides[0], api_for(sides[0].owner)
    first = _post(owner, "new/", _body(), 201)
    new_version(alpha.dataset, alpha.owner)
    assert {code for code, _at in _why(owner, "new/", _body(), 400)} == {"invalid_plan"}
    assert _post(owner, "new/", _body(), 201)["id"] == first["id"]


def _declared_as_first(dataset: Dataset) -> None:
    first = dataset.versions.get(number=1)
    third = DatasetVersion(tenant=dataset.tenant, dataset=dataset, number=3, file_seal="third")
    third.added_by_id = first.added_by_id
    third.save()
    Column.objects.bulk_create(columns_declared(third, schema_of(first)))


def test_a_key_leads_to_its_proposal_by_a_clock_that_is_behind_the_database_s(
    sides: list[Side], api_for: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M47, B12: it is read as the version says that was the newest, which the database dated."""
    alpha, owner = sides[0], api_for(sides[0].owner)
    monkeypatch.setattr(clock, "database_now", timezone.now)
    new_version(alpha.dataset, alpha.owner)
    before = timezone.now()
    _declared_as_first(alpha.dataset)
    monkeypatch.setattr(clock, "now", lambda: before)
    first = _post(owner, "new/", _body(), 201)
    assert _post(owner, "new/", _body(), 201)["id"] == first["id"]


def test_what_cannot_be_proposed_is_said_at_its_place(db: None, api_for: Api) -> None:
    """M47: and nothing is stored."""
    owner = api_for(side("alpha").owner)
    for change, found in (
        ({"parties": 2}, ("invalid", "parties")),
        ({"colluders": 2}, ("invalid", "colluders")),
        ({"title": "x" * 121}, ("max_length", "title")),
        ({"plan": []}, ("invalid_plan", "plan")),
        ({"plan": COUNT_BY_SEX | {"rho": "x"}}, ("invalid_plan", "plan.rho")),
        ({"plan": COUNT_BY_SEX | {"statistics": [_MEAN]}}, ("invalid", "plan")),
        ({"dataset": "elsewhere"}, ("invalid", "dataset")),
    ):
        assert _why(owner, "new/", _body(**change), 400) == [found]
    assert JointQuestion.objects.count() == 0


def test_a_code_and_a_place_are_refused_as_on_the_pages(sides: list[Side], api_for: Api) -> None:
    """M47: own, unknown, expired, declared otherwise, requested twice, left too late."""
    own, other = (api_for(one.owner) for one in sides[:2])
    question, code = proposed(sides[0])
    assert _why(own, "code/", {"code": code}) == [("own_code", None)]
    assert _why(other, "code/", {"code": "ABCD" * 6}) == [("code_refused", None)]
    otherwise = api_for(side("delta", group_size=2).owner)
    fits = _post(otherwise, "code/", {"code": code}, 200)["datasets"]
    assert "privacy unit" in fits[0]["refusal"]
    joining = _JOIN | {"code": code}
    assert _why(otherwise, "code/join/", joining) == [("declared_otherwise", None)]
    _post(other, "code/join/", joining, 201)
    assert _why(other, "code/join/", joining) == [("already_requested", None)]
    approved(sides[1], ChangeRequest.objects.get(tenant=sides[1].tenant))
    assert _why(other, "code/join/", joining) == [("takes_part", None)]
    assert _post(other, f"{question.pk}/leave/", {}, 200)["state"] == "ended"
    assert _why(other, f"{question.pk}/leave/", {}) == [("too_late", None)]
    _, old = proposed(sides[0])
    JointQuestion.objects.update(expires_at=F("expires_at") - timedelta(days=8))
    assert _why(other, "code/", {"code": old}) == [("code_expired", None)]
    assert _why(own, f"{question.pk}/join/", _JOIN) == [("too_late", None)]


def test_codes_are_not_for_guessing_by_programs_either(
    db: None, api_for: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M47: so many an hour for an organisation."""
    monkeypatch.setattr("dpgov.tenants.codes._MOST_TRIES", 1)
    owner = api_for(side("alpha").owner)
    assert _why(owner, "code/", {"code": "ABCD" * 6}) == [("code_refused", None)]
    assert _why(owner, "code/", {"code": "ABCD" * 6}, 429) == [("too_many_codes", None)]
    again = owner.post(f"{_BASE}code/", {"code": "ABCD" * 6}, format="json")
    assert again["Retry-After"] == "3600"
