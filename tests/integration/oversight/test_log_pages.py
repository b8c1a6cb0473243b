"""The officer's pages and the audit API: reading, filtering, verifying."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import transaction
from django.test import Client
from rest_framework.test import APIClient

from dpgov.audit.actions import Action
from dpgov.audit.actor import WORKER, Actor
from dpgov.audit.entry import FACT_NAMES, canonical_json, leaf_hash
from dpgov.audit.models import AuditEntry, AuditHead
from dpgov.audit.services import append
from dpgov.datasets.models import Dataset
from dpgov.oversight.log.words import WORDS
from dpgov.oversight.web.log import PAGE_SIZE
from dpgov.tenants.models import Membership
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
ApiFor = Callable[[Membership], APIClient]
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def note(member: Membership, action: Action, *, hours: int = 0, **values: object) -> AuditEntry:
    facts: dict[str, Any] = {"actor": WORKER, "subject": "query:1"}
    facts |= {"at": NOON + timedelta(hours=hours)} | values
    with transaction.atomic():
        return append(tenant_id=member.tenant_id, action=action, **facts)


@made_once
def log(officer: Membership) -> list[AuditEntry]:
    anna = Actor(kind="user", id="1", label="anna@example.org")
    return [
        note(officer, Action.DATASET_REGISTERED, dataset="visits", subject="dataset:1"),
        note(officer, Action.QUERY_SUBMITTED, hours=1, dataset="visits", actor=anna),
        note(officer, Action.QUERY_RELEASED, hours=2, dataset="visits"),
        note(officer, Action.QUERY_SUBMITTED, hours=3, dataset="trips", actor=anna),
    ]


FILTERS = [
    ({}, [4, 3, 2, 1]),
    ({"actor": "anna@example.org"}, [4, 2]),
    ({"actor": "worker"}, [3, 1]),
    ({"action": "QUERY_SUBMITTED"}, [4, 2]),
    ({"dataset": "visits"}, [3, 2, 1]),
    ({"dataset": "visits", "actor": "anna@example.org"}, [2]),
    ({"since": "2026-11-21T13:00"}, [4, 3, 2]),
    ({"until": "2026-11-21T13:00"}, [1]),
    ({"since": "2026-11-21T13:00", "until": "2026-11-21T14:30"}, [3, 2]),
    ({"actor": "nobody@example.org"}, []),
]


@pytest.mark.parametrize(("chosen", "expected"), FILTERS)
def test_the_page_shows_what_the_filter_lets_pass_newest_first(
    log: list[AuditEntry],
    officer: Membership,
    client_for: ClientFor,
    chosen: dict[str, str],
    expected: list[int],
) -> None:
    page = client_for(officer).get("/audit/", chosen)
    assert [row.entry.sequence for row in page.context["entries"]] == expected
    assert ("No entry matches" in page.text) == (expected == [])


@pytest.mark.parametrize(("chosen", "expected"), FILTERS)
def test_the_api_filters_in_the_same_way(
    log: list[AuditEntry],
    officer: Membership,
    api_for: ApiFor,
    chosen: dict[str, str],
    expected: list[int],
) -> None:
    found = api_for(officer).get("/api/v1/audit/entries/", chosen).json()["results"]
    assert [entry["sequence"] for entry in found] == expected


def test_the_api_gives_the_facts_as_they_were_hashed(
    log: list[AuditEntry], officer: Membership, api_for: ApiFor
) -> None:
    """G2: what the API hands out verifies like an export."""
    found = api_for(officer).get("/api/v1/audit/entries/").json()["results"]
    assert len(found) == 4
    for entry in found:
        facts = {name: entry[name] for name in FACT_NAMES}
        assert leaf_hash(canonical_json(facts).encode()).hex() == entry["leaf_hash"]


@pytest.mark.parametrize("chosen", [{"action": "NOTHING"}, {"since": "yesterday"}])
def test_a_filter_that_makes_no_sense_is_named(
    officer: Membership, api_for: ApiFor, client_for: ClientFor, chosen: dict[str, str]
) -> None:
    refused = api_for(officer).get("/api/v1/audit/entries/", chosen)
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["attr"] == next(iter(chosen))
    page = client_for(officer).get("/audit/", chosen)
    assert page.context["form"].errors.keys() == chosen.keys()
    export = client_for(officer).post("/audit/export/csv/", chosen)
    assert export.status_code == 400


def test_an_end_before_the_beginning_is_said_at_the_field(
    officer: Membership, client_for: ClientFor
) -> None:
    chosen = {"since": "2026-11-21T13:00", "until": "2026-11-21T12:00"}
    page = client_for(officer).get("/audit/", chosen)
    assert "must be later than the beginning" in page.text


def test_pages_follow_each_other_without_gap_or_overlap(
    officer: Membership, client_for: ClientFor
) -> None:
    for _ in range(PAGE_SIZE + 3):
        note(officer, Action.QUERY_SUBMITTED)
    browser = client_for(officer)
    first = browser.get("/audit/")
    second = browser.get("/audit/", {"before": first.context["older"]})
    shown = [row.entry.sequence for page in (first, second) for row in page.context["entries"]]
    assert shown == list(range(PAGE_SIZE + 3, 0, -1))
    assert second.context["older"] is None


def test_pages_of_a_span_of_time_follow_each_other_too(
    officer: Membership, client_for: ClientFor
) -> None:
    """K3: an old span is found by time; entries of one moment stay in order."""
    for number in range(PAGE_SIZE + 10):
        note(officer, Action.QUERY_SUBMITTED, hours=number // 20)
    browser = client_for(officer)
    span = {"since": "2026-11-21T12:00", "until": "2026-11-21T14:59"}
    first = browser.get("/audit/", span)
    second = browser.get("/audit/", span | {"before": first.context["older"]})
    shown = [row.entry.sequence for page in (first, second) for row in page.context["entries"]]
    assert shown == list(range(PAGE_SIZE + 10, 0, -1))


def test_the_api_s_pages_of_a_span_of_time_follow_each_other(
    officer: Membership, api_for: ApiFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpgov.oversight.rest.log.NewestFirst.page_size", 3)
    for number in range(7):
        note(officer, Action.QUERY_SUBMITTED, hours=number // 4)
    api, shown = api_for(officer), []
    page = api.get("/api/v1/audit/entries/", {"since": "2026-11-21T12:00"}).json()
    while True:
        shown += [entry["sequence"] for entry in page["results"]]
        if not page["next"]:
            break
        page = api.get(page["next"]).json()
    assert shown == [7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("before", ["", "0", "-1", "x", "²", "9" * 30, "1e3"])
def test_a_forged_page_mark_does_no_harm(
    log: list[AuditEntry], officer: Membership, client_for: ClientFor, before: str
) -> None:
    assert client_for(officer).get("/audit/", {"before": before}).status_code == 200


def test_an_empty_log_says_so(officer: Membership, client_for: ClientFor) -> None:
    assert "Nothing has happened yet" in client_for(officer).get("/audit/").text


def test_every_action_has_words_and_its_code_stands_beside(
    log: list[AuditEntry], officer: Membership, client_for: ClientFor
) -> None:
    assert set(WORDS) == set(Action)
    page = client_for(officer).get("/audit/").text
    assert "Answer released" in page
    assert "QUERY_RELEASED" in page
    assert "14:00:00 UTC" in page


def test_an_entry_s_page_shows_detail_and_links(
    log: list[AuditEntry], officer: Membership, client_for: ClientFor
) -> None:
    page = client_for(officer).get("/audit/2/").text
    assert bytes(log[1].leaf_hash).hex() in page
    assert "it matches" in page
    assert "by the next checkpoint" in page
    assert 'href="/audit/1/"' in page
    assert 'href="/audit/3/"' in page


@pytest.mark.parametrize("sequence", ["0", "5", "9" * 40])
def test_an_entry_that_is_not_there_is_missing(
    log: list[AuditEntry], officer: Membership, client_for: ClientFor, sequence: str
) -> None:
    assert client_for(officer).get(f"/audit/{sequence}/").status_code == 404


def test_markup_in_an_entry_is_inert(officer: Membership, client_for: ClientFor) -> None:
    """J6"""
    script = "<script>alert(1)</script>"
    note(
        officer,
        Action.QUERY_SUBMITTED,
        actor=Actor(kind="user", id="1", label=script),
        subject=script,
        dataset=script,
        detail={script: script},
    )
    browser = client_for(officer)
    for path in ("/audit/", "/audit/1/"):
        assert script not in browser.get(path).text


def test_verifying_shows_the_result_and_is_itself_recorded(
    log: list[AuditEntry], officer: Membership, client_for: ClientFor
) -> None:
    """G1"""
    page = client_for(officer).post("/audit/verify/")
    assert "complete and unchanged" in page.text
    assert "entries 1 to 4 of 4" in page.text
    newest = AuditEntry.objects.latest("sequence")
    assert (newest.sequence, newest.action) == (5, Action.AUDIT_LOG_VERIFIED)
    assert newest.actor_label == officer.user.email


def test_a_broken_log_is_shown_as_broken_and_the_finding_recorded(
    log: list[AuditEntry], officer: Membership, client_for: ClientFor, api_for: ApiFor
) -> None:
    AuditHead.objects.update(sequence=6)
    page = client_for(officer).post("/audit/verify/", headers={"HX-Request": "true"})
    assert "does not hold" in page.text
    assert "<html" not in page.text
    recorded = json.loads(AuditEntry.objects.latest("sequence").detail)["problems"]
    assert [one["values"]["number"] for one in recorded] == [{"value": 5}]
    body = api_for(officer).post("/api/v1/audit/verify/").json()
    assert body["intact"] is False
    assert body["problems"] == ["Entry 5 is missing; the log should reach 7."]


def test_the_ledger_is_checked_along(
    officer: Membership, client_for: ClientFor, api_for: ApiFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A4: the officer's page says when an account does not add up."""
    for door in ("web", "rest"):
        monkeypatch.setattr(
            f"dpgov.oversight.{door}.log.ledger_findings", lambda tenant: [f"{tenant.slug} is off"]
        )
    assert "harbour is off" in client_for(officer).post("/audit/verify/").text
    body = api_for(officer).post("/api/v1/audit/verify/").json()
    assert body["ledger_findings"] == ["harbour is off"]


def test_nothing_of_another_tenant_is_in_the_log_of_this_one(
    officer: Membership, stranger: Membership, client_for: ClientFor, api_for: ApiFor
) -> None:
    """H1"""
    note(stranger, Action.QUERY_SUBMITTED)
    assert client_for(officer).get("/audit/").context["entries"] == []
    assert client_for(officer).get("/audit/1/").status_code == 404
    assert api_for(officer).get("/api/v1/audit/entries/").json()["results"] == []


def test_without_the_data_files_every_page_and_export_is_the_same(
    dataset: Dataset, log: list[AuditEntry], officer: Membership, client_for: ClientFor
) -> None:
    """E10: the log never looks at data."""
    browser = client_for(officer)
    before = [browser.get("/audit/").context["size"], browser.get("/audit/1/").status_code]
    with patch("dpgov.engines.files.duckdb.connect", side_effect=OSError("gone")):
        after = [browser.get("/audit/").context["size"], browser.get("/audit/1/").status_code]
        text = b"".join(browser.post("/audit/export/jsonl/")).decode()
        assert browser.post("/audit/verify/").status_code == 200
    assert before == after
    assert "DATASET_REGISTERED" in text
