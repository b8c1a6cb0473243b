"""A question given to a worker that misbehaves, and what must have become of it."""

from pathlib import Path
from typing import Any

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Charge
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.models import Query, Release
from tests.cast import publish_now
from tests.integration.queries.answering.workers import prefork_fleet
from tests.servers.waiting import end_of, until

HUNGRY_APP = "tests.integration.operation.hungry"


def ended(
    query: Query, settings: Any, folder: Path, *, way: str, lease: int = 1, **changes: str
) -> Query:
    """Let a hungry worker at it and sweep until it has ended, the lease being so many seconds."""
    settings.DPGOV_LEASE_SECONDS = lease
    changes |= {"DPGOV_LEASE_SECONDS": str(lease), "HUNGRY": way}
    log = folder / "worker.log"

    def has_ended() -> bool:
        sweep()
        publish_now()
        query.refresh_from_db()
        return query.state in Query.ENDED

    with prefork_fleet(log, app=HUNGRY_APP, **changes):
        until(has_ended, end_of(log), every=0.3)
    return query


def failed_and_charged(query: Query) -> None:
    assert query.state == Query.State.FAILED
    assert Charge.objects.get(query_id=query.pk).amount_nano == query.cost_nano
    assert not Release.objects.exists()
    assert AuditEntry.objects.filter(subject=f"query:{query.pk}").count() == 2
