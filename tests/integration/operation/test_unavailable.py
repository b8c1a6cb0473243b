"""While a server is away: 503 with a moment to come back, in a form that whoever asks can read."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.db import InterfaceError, OperationalError, close_old_connections, connection
from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.operation.away import is_outage
from dpgov.tenants.models import Membership
from tests.servers.waiting import PATIENCE

THREADS, EACH = 8, 4


@contextmanager
def _no_database() -> Iterator[None]:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("connection to 10.1.2.3 refused")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connection, "cursor", away)
        patch.setattr(connection, "ensure_connection", away)
        yield


def _reads(answer: Any, status: int) -> None:
    assert answer.status_code == status
    assert answer.headers["Retry-After"] == "5"
    assert b"10.1.2.3" not in answer.content


@pytest.mark.django_db
def test_the_api_answers_in_its_one_form(
    analyst: Membership, dataset: Dataset, api_for: Callable[..., APIClient]
) -> None:
    """B9, R10: 503 and Retry-After, wherever in the request the database is missed."""
    client = api_for(analyst)
    client.raise_request_exception = False
    for path in ("/api/v1/datasets/", f"/api/v1/datasets/{dataset.slug}/"):
        with _no_database():
            answer = client.get(path)
        _reads(answer, 503)
        assert answer.json()["type"] == "server_error"
        assert [error["code"] for error in answer.json()["errors"]] == ["unavailable"]


@pytest.mark.django_db
def test_an_outage_in_the_middle_of_a_view_reads_the_same(
    analyst: Membership,
    dataset: Dataset,
    api_for: Callable[..., APIClient],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """B9, R10: raised where REST framework catches it."""

    def cut(*_: object, **__: object) -> None:
        raise InterfaceError("connection already closed")

    monkeypatch.setattr("dpgov.datasets.rest.datasets.DatasetListView.get_queryset", cut)
    client = api_for(analyst)
    client.raise_request_exception = False
    answer = client.get("/api/v1/datasets/")
    _reads(answer, 503)
    assert [error["code"] for error in answer.json()["errors"]] == ["unavailable"]


@pytest.mark.django_db
def test_people_read_a_page_and_prometheus_a_line(
    client_for: Callable[[Membership], Client], analyst: Membership, settings: Any
) -> None:
    """B9, R10: without a question to the database."""
    settings.DPGOV_METRICS_TOKEN = "x"  # noqa: S105
    client = client_for(analyst)
    client.raise_request_exception = False
    with _no_database():
        page = client.get("/")
        told = client.get("/metrics", headers={"Authorization": "Bearer x"})
    _reads(page, 503)
    assert "Load this page again" in page.content.decode()
    _reads(told, 503)
    assert told.headers["Content-Type"] == "text/plain"


def test_a_full_disk_is_an_outage_and_a_fault_of_ours_is_none() -> None:
    """R12: whatever it was wrapped into."""
    wrapped = RuntimeError()
    wrapped.__cause__ = OSError(28, "No space left on device")
    assert is_outage(wrapped)
    assert not is_outage(OSError(2, "No such file"))
    assert not is_outage(ValueError())
    assert not is_outage(None)


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_after_every_connection_was_cut_the_next_requests_work(
    api_for: Callable[..., APIClient], analyst: Membership
) -> None:
    """B9, R9: each thread of the web server had kept one; 32 requests, no error."""
    opened, cut = threading.Barrier(THREADS + 1, timeout=PATIENCE), threading.Event()
    statuses: list[int] = []
    token = vars(api_for(analyst))["_credentials"]
    path = "/api/v1/datasets/"

    def visit() -> None:
        client = APIClient(raise_request_exception=False)
        client.credentials(**token)
        assert client.get(path).status_code == 200
        opened.wait()
        cut.wait(PATIENCE)
        for _ in range(EACH):
            # What a server's signal does before each request; Django's test client leaves it out.
            close_old_connections()
            statuses.append(client.get(path).status_code)
        connection.close()

    threads = [threading.Thread(target=visit, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    opened.wait()
    _cut_all()
    cut.set()
    for thread in threads:
        thread.join()
    assert statuses == [200] * (THREADS * EACH)


def _cut_all() -> None:
    """All connections of programs; the server's own, such as a vacuum's, are not ours to cut."""
    told = connection.settings_dict
    with psycopg.connect(
        host=told["HOST"], port=told["PORT"], user=told["USER"],
        password=told["PASSWORD"], dbname=told["NAME"],
    ) as other:  # fmt: skip
        cut = other.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        ).fetchone()
    assert cut is not None
    assert cut[0] >= THREADS
    connection.close()
