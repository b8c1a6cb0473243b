"""A request's id: believed from the proxy alone, given back, and carried on to the worker."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from celery import current_app
from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.services.stored.seals import seal_of
from dpgov.datasets.storage import data_path
from dpgov.operation import request_ids
from dpgov.queries.answering.tasks import wake
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.integration.queries.answering.workers import prefork_fleet
from tests.servers.waiting import end_of, until

OFFERED = "proxy-0123456789"


@pytest.mark.django_db
@pytest.mark.parametrize("behind_proxy", [True, False])
def test_an_id_is_taken_from_a_proxy_only(behind_proxy: bool, settings: Any) -> None:
    settings.DPGOV_BEHIND_PROXY = behind_proxy
    answer = Client().get("/healthz", headers={"X-Request-ID": OFFERED})
    assert (answer.headers["X-Request-ID"] == OFFERED) is behind_proxy


@pytest.mark.django_db
@pytest.mark.parametrize("odd", ["short", "x" * 65, "with space 123", "a\tb-12345678", "ünïcödé-1"])
def test_an_id_that_is_not_plain_is_replaced(odd: str, settings: Any) -> None:
    """G9: it will be in every line about this request."""
    settings.DPGOV_BEHIND_PROXY = True
    answer = Client().get("/healthz", headers={"X-Request-ID": odd})
    assert answer.headers["X-Request-ID"] != odd
    assert len(answer.headers["X-Request-ID"]) == 32


@pytest.mark.django_db
def test_two_requests_have_two_ids_and_nothing_is_left_behind() -> None:
    first, second = (Client().get("/healthz").headers["X-Request-ID"] for _ in range(2))
    assert first != second
    assert request_ids.current() is None


@pytest.mark.django_db(transaction=True)
def test_the_worker_s_lines_bear_the_id_of_the_request_that_asked(
    analyst: Membership,
    dataset: Dataset,
    api_for: Callable[[Membership], APIClient],
    tmp_path: Path,
) -> None:
    """The question fails in a real worker; its line there names the request that submitted it."""
    _damage(dataset.versions.get().pk)
    asked = api_for(analyst).post(
        f"/api/v1/datasets/{dataset.slug}/queries/",
        {"statistics": [{"statistic": "count"}], "epsilon": 0.5},
        format="json",
        headers={"Idempotency-Key": "first"},
    )
    assert asked.status_code == 202, asked.content
    log = tmp_path / "worker.log"
    with prefork_fleet(log, DPGOV_LOG_FORMAT="json"):
        until(lambda: _has_failed(asked.json()["id"]), end_of(log))
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    about = [line for line in lines if asked.json()["id"] in line["event"]]
    assert [line["request_id"] for line in about] == [asked.headers["X-Request-ID"]]
    assert not any("succeeded in" in line["event"] for line in lines), "E8: no durations"


def _damage(version_id: UUID) -> None:
    path = data_path(version_id)
    path.write_bytes(path.read_bytes()[:5000] + b"damaged")
    # Otherwise the file would not even be taken for ours.
    DatasetVersion.objects.filter(pk=version_id).update(file_seal=seal_of(version_id))


def _has_failed(query_id: str) -> bool:
    publish_now()
    return Query.objects.filter(pk=query_id, state=Query.State.FAILED).exists()


@pytest.mark.django_db(transaction=True)
def test_a_message_without_a_request_is_sent_too(
    analyst: Membership, ask: Callable[..., Query]
) -> None:
    request_ids.end()
    ask(analyst)
    current_app.control.purge()
    assert wake() == 1
