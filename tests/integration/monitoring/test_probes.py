"""Alive and ready: what load balancers read, and what they must not learn."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from dpgov.monitoring import health


@pytest.fixture(autouse=True)
def _nothing_said_yet() -> Iterator[None]:
    health._require_migrated.cache_clear()
    health._said[0] = []
    yield
    health._require_migrated.cache_clear()


def ready() -> tuple[int, str]:
    answer = Client().get("/readyz")
    return answer.status_code, answer.content.decode()


@pytest.mark.django_db
def test_an_installation_in_order_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests connect as the owner of the tables, which the wall would report."""
    monkeypatch.setattr(health, "wall_findings", list)
    assert ready() == (200, "ok")


@pytest.mark.django_db
def test_without_a_database_the_process_lives_and_is_not_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """B9: the address of a database that is away stays out of the answer."""

    def away(*_: object, **__: object) -> None:
        raise OperationalError("connection to 10.1.2.3 refused, password authentication failed")

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", away)
        patch.setattr(connection, "ensure_connection", away)
        assert Client().get("/healthz").content == b"ok"
        assert ready() == (503, "not ready")


@pytest.mark.django_db
def test_a_migration_that_waits_makes_it_not_ready(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(health, "wall_findings", list)
    with monkeypatch.context() as patch:
        patch.setattr(MigrationExecutor, "migration_plan", lambda *_: [("queries", False)])
        assert [ready(), ready()] == [(503, "not ready")] * 2
    told = [record for record in caplog.records if record.name == "dpgov.health"]
    assert len(told) == 1, "told once, not at each knock"
    assert "1 migrations wait" in str(told[0].msg)
    assert ready() == (200, "ok")


@pytest.mark.django_db
def test_a_state_folder_that_cannot_be_written_makes_it_not_ready(
    settings: Any, tmp_path: Path
) -> None:
    settings.DPGOV_HOME = tmp_path / "gone"
    assert ready() == (503, "not ready")


@pytest.mark.django_db
def test_a_weak_wall_makes_it_not_ready(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """H2: an installation whose second wall has a hole serves nobody."""
    monkeypatch.setattr(health, "wall_findings", lambda: ["The table x has no row-level security."])
    assert ready() == (503, "not ready")
    assert "row-level security" in caplog.text


@pytest.mark.django_db
def test_a_broker_that_is_away_does_not_keep_it_from_serving(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B8: questions are accepted without one."""
    monkeypatch.setattr(health, "wall_findings", list)
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    assert ready() == (200, "ok")
