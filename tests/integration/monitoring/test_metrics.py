"""Numbers for the operator: who may read them, what they say and what they must not say."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.db import transaction
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.services import append
from dpgov.budgets.errors import InsufficientBudget
from dpgov.operation import clock
from dpgov.queries.answering.heartbeat import Heart, Sweeps
from dpgov.queries.answering.tasks import look, wake
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.house.tree import ROOT

TOKEN = "an-operator-s-token"  # noqa: S105 - opens nothing but this test
COUNTS_ELSEWHERE = """
import sys
from dpgov.operation.tallies import count_broker_failure, registry
from prometheus_client import generate_latest
if sys.argv[1] == "count":
    count_broker_failure()
else:
    print(generate_latest(registry()).decode())
"""


@pytest.fixture
def read(settings: Any) -> Callable[[], dict[str, float]]:
    """Every sample of the page by "name{label=value}", asked with the right token."""
    settings.DPGOV_METRICS_TOKEN = TOKEN

    def samples() -> dict[str, float]:
        answer = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 200
        return {
            _name(sample.name, sample.labels): sample.value
            for family in text_string_to_metric_families(answer.content.decode())
            for sample in family.samples
        }

    return samples


def _name(name: str, labels: dict[str, str]) -> str:
    inner = ",".join(labels[key] for key in sorted(labels))
    return f"{name}{{{inner}}}" if inner else name


@pytest.mark.django_db
def test_without_a_token_in_the_settings_there_is_no_such_page(settings: Any) -> None:
    """E8"""
    settings.DPGOV_METRICS_TOKEN = ""
    for offered in ("", "Bearer ", "Bearer None", f"Bearer {TOKEN}"):
        assert Client().get("/metrics", headers={"Authorization": offered}).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("offered", ["", "Bearer", TOKEN, f"Bearer {TOKEN}x", f"bearer {TOKEN}"])
def test_nobody_reads_them_without_the_token(settings: Any, offered: str) -> None:
    """E8, H1"""
    settings.DPGOV_METRICS_TOKEN = TOKEN
    answer = Client().get("/metrics", headers={"Authorization": offered})
    assert answer.status_code == 401
    assert b"dpgov_" not in answer.content


@pytest.mark.django_db
def test_no_role_and_no_api_token_opens_them(
    settings: Any,
    analyst: Membership,
    admin: Membership,
    client_for: Callable[[Membership], Client],
    api_for: Callable[[Membership], Any],
) -> None:
    """E8, H1: not to analysts, and not to administrators of a tenant either."""
    settings.DPGOV_METRICS_TOKEN = TOKEN
    for person in (analyst, admin):
        assert client_for(person).get("/metrics").status_code == 401
        assert api_for(person).get("/metrics").status_code == 401


@pytest.mark.django_db(transaction=True)
def test_they_count_questions_by_state_over_all_tenants(
    read: Callable[[], dict[str, float]],
    analyst: Membership,
    ask: Callable[..., Query],
    answer_all: Callable[[], int],
) -> None:
    ask(analyst)
    answer_all()
    Query.objects.filter(pk=ask(analyst).pk).update(
        submitted_at=timezone.now() - timedelta(minutes=10)
    )
    told = read()
    states = {name: value for name, value in told.items() if name.startswith("dpgov_queries{")}
    assert states == {
        f"dpgov_queries{{{state}}}": {"released": 1, "queued": 1}.get(state, 0)
        for state in Query.State.values
    }
    assert (told["dpgov_waiting{light}"], told["dpgov_waiting{heavy}"]) == (1, 0)
    assert told["dpgov_messages"] >= 1
    assert told["dpgov_state_folder_free_bytes"] > 0
    assert 590 < told["dpgov_oldest_waiting_seconds"] < 700
    assert told["dpgov_audit_entries"] >= 3
    assert told["dpgov_audit_entries_unsigned"] == told["dpgov_audit_entries"]


@pytest.mark.django_db(transaction=True)
def test_they_tell_how_long_a_log_has_waited_for_its_signature(
    read: Callable[[], dict[str, float]], analyst: Membership, ask: Callable[..., Query]
) -> None:
    """G3: checkpoints that stop are noticed."""
    ask(analyst)
    made = make_checkpoint(tenant_id=analyst.tenant_id)
    assert made is not None
    assert read()["dpgov_audit_entries_unsigned"] == 0
    ask(analyst)
    told = read()
    assert told["dpgov_audit_entries_unsigned"] == 1
    assert 0 < told["dpgov_checkpoint_age_seconds"] < 60


@pytest.mark.django_db(transaction=True)
def test_a_log_that_was_never_signed_waits_since_its_first_entry(
    read: Callable[[], dict[str, float]], analyst: Membership
) -> None:
    """G3: checkpoints that never began are noticed, too."""
    with transaction.atomic():
        append(
            tenant_id=analyst.tenant_id,
            actor=OPERATOR,
            action=Action.TENANT_CREATED,
            subject="x:1",
            at=timezone.now() - timedelta(days=1),
        )
    assert 86_400 <= read()["dpgov_checkpoint_age_seconds"] < 87_000


@pytest.mark.django_db(transaction=True)
def test_a_checkpoint_from_the_future_does_not_pass_for_a_new_one(
    read: Callable[[], dict[str, float]],
    analyst: Membership,
    ask: Callable[..., Query],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """G3: it was dated by a clock that was ahead."""
    ask(analyst)
    with monkeypatch.context() as ahead:
        ahead.setattr(clock, "now", lambda: timezone.now() + timedelta(days=365))
        assert make_checkpoint(tenant_id=analyst.tenant_id) is not None
    ask(analyst)
    assert read()["dpgov_checkpoint_age_seconds"] > 364 * 86_400


@pytest.mark.django_db(transaction=True)
def test_they_count_requests_refusals_and_messages_that_were_not_taken(
    read: Callable[[], dict[str, float]],
    analyst: Membership,
    ask: Callable[..., Query],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = read()
    Client().get("/account/login/")
    Client().generic("BREW", "/no/such/page")
    with pytest.raises(InsufficientBudget):
        for _ in range(6):
            ask(analyst, epsilon=2)
    current_app.control.purge()
    monkeypatch.setattr(look, "apply_async", None)
    assert wake() is None
    after = read()
    grown = {name: value - before.get(name, 0) for name, value in after.items()}
    assert grown["dpgov_requests_total{GET,account_login,2xx}"] == 1
    assert grown["dpgov_requests_total{other,none,4xx}"] == 1
    assert grown["dpgov_budget_refusals_total"] == 1
    assert grown["dpgov_broker_failures_total"] == 1


@pytest.mark.django_db
def test_they_tell_what_the_sweeper_did_and_when(read: Callable[[], dict[str, float]]) -> None:
    Heart().beat(Sweeps(rounds=7, sent=3, given_up=1, broken_off=2))
    told = read()
    assert told["dpgov_sweeper_rounds_total"] == 7
    assert told["dpgov_sweeper_sent_again_total"] == 3
    assert told["dpgov_sweeper_given_up_total"] == 1
    assert told["dpgov_sweeper_broken_off_total"] == 2
    assert told["dpgov_sweeper_age_seconds"] < 60
    assert told["dpgov_sweeper_start_time_seconds"] > 1_700_000_000


@pytest.mark.django_db(transaction=True)
def test_they_name_no_tenant_no_person_no_dataset_and_no_duration(
    settings: Any, analyst: Membership, ask: Callable[..., Query], answer_all: Callable[[], int]
) -> None:
    """E8: and nothing that depends on data: names and labels are a fixed list."""
    settings.DPGOV_METRICS_TOKEN = TOKEN
    query = ask(analyst)
    answer_all()
    body = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).content.decode()
    for secret in (analyst.tenant.slug, analyst.user.email, query.dataset.slug, str(query.pk)):
        assert secret not in body
    labels = {
        label
        for family in text_string_to_metric_families(body)
        for sample in family.samples
        for label in sample.labels
    }
    assert labels <= {"route", "method", "status", "state", "lane"}
    assert "duration" not in body


def test_the_processes_of_one_web_server_add_up(tmp_path: Path) -> None:
    """Whichever process is asked."""
    for _ in range(3):
        _elsewhere(tmp_path, "count")
    assert "dpgov_broker_failures_total 3.0" in _elsewhere(tmp_path, "read")


def _elsewhere(folder: Path, what: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", COUNTS_ELSEWHERE, what],
        cwd=ROOT,
        env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
