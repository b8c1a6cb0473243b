"""A database that only reads, such as a standby in the primary's place: away for whoever writes."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from rest_framework.test import APIClient
from structlog.testing import capture_logs

from dpgov.datasets.models import Dataset
from dpgov.monitoring import health
from dpgov.sweeper.management.commands import sweep
from dpgov.tenants.models import Membership
from tests.integration.audit.logs import write

pytestmark = pytest.mark.django_db(transaction=True)
_SAID = {
    "postgresql": ("SET default_transaction_read_only = on", "RESET default_transaction_read_only"),
    "sqlite": ("PRAGMA query_only = ON", "PRAGMA query_only = OFF"),
}


@pytest.fixture
def only_reads(settings: Any) -> Iterator[Callable[[], None]]:
    """From then on: the connection lets nothing be written."""
    begin, end = _SAID[connection.vendor]
    # As long as it stands: another connection would write.
    settings.DATABASES["default"]["CONN_MAX_AGE"] = None

    def say(words: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(words)

    yield lambda: say(begin)
    say(end)


def test_the_api_says_503_and_keeps_nothing(
    analyst: Membership,
    dataset: Dataset,
    api_for: Callable[..., APIClient],
    only_reads: Callable[[], None],
) -> None:
    """B9, R10: PostgreSQL's refusal is no fault of ours, and the same request will do later."""
    client = api_for(analyst)
    client.raise_request_exception = False
    asked = {"statistics": [{"statistic": "count"}], "epsilon": "0.01"}
    path = f"/api/v1/datasets/{dataset.slug}/queries/"
    only_reads()
    answer = client.post(path, asked, format="json", headers={"Idempotency-Key": "only-reads"})
    assert answer.status_code == 503, answer.content
    assert answer.headers["Retry-After"] == "5"
    assert [error["code"] for error in answer.json()["errors"]] == ["unavailable"]


def test_it_is_not_ready(monkeypatch: pytest.MonkeyPatch, only_reads: Callable[[], None]) -> None:
    """B9: or everybody would be sent to where no question is kept. A file only reads with its disk,
    which is tried by the state folder.
    """
    monkeypatch.setattr(health, "wall_findings", list)
    assert Client().get("/readyz").status_code == 200
    only_reads()
    expected = 503 if connection.vendor == "postgresql" else 200
    assert Client().get("/readyz").status_code == expected


def test_the_sweeper_lives_through_it(
    officer: Membership, settings: Any, only_reads: Callable[[], None]
) -> None:
    """B9: what fails for one log is passed on as the outage of all that it is."""
    settings.DPGOV_CHECKPOINT_ENTRIES = 1
    write(1, tenant_id=officer.tenant_id)
    only_reads()
    with capture_logs() as logged:
        assert sweep._round() is None
    assert [entry["event"] for entry in logged] == ["the database is away"]
