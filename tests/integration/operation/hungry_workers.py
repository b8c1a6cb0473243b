"""A question given to a worker that misbehaves, and what must have become of it."""

import threading
import time
from pathlib import Path
from typing import Any

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Charge
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.models import Query, Release
from tests.cast import publish_now
from tests.integration.queries.answering.workers import prefork_fleet

PATIENCE = 180
HUNGRY_APP = "tests.integration.operation.hungry"


def ended(
    query: Query, settings: Any, folder: Path, *, way: str, lease: int = 1, **changes: str
) -> Query:
    """Let a hungry worker at it and sweep until it has ended, the lease being so many seconds."""
    settings.DPGOV_LEASE_SECONDS = lease
    changes |= {"DPGOV_LEASE_SECONDS": str(lease), "HUNGRY": way}
    pause, until = threading.Event(), time.monotonic() + PATIENCE
    with prefork_fleet(folder / "worker.log", app=HUNGRY_APP, **changes):
        while query.state not in Query.ENDED:
            assert time.monotonic() < until, (folder / "worker.log").read_text()[-3000:]
            sweep()
            publish_now()
            pause.wait(0.3)
            query.refresh_from_db()
    return query


def failed_and_charged(query: Query) -> None:
    assert query.state == Query.State.FAILED
    assert Charge.objects.get(query_id=query.pk).amount_nano == query.cost_nano
    assert not Release.objects.exists()
    assert AuditEntry.objects.filter(subject=f"query:{query.pk}").count() == 2
