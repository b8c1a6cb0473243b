"""What the queue asks across tenants: whose queries are not finished, and how many there are.

The same questions through the wall on PostgreSQL and to the models on SQLite. Never a plan, a
person or an answer. The backlog is for the operator, never for a page.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Count, Min, QuerySet

from dpgov.operation.clock import database_now
from dpgov.operation.prepared import Prepared
from dpgov.queries.models import Query
from dpgov.tenants.crossing import through_gate

UNFINISHED = (Query.State.QUEUED, Query.State.RUNNING)


def tenants_with_unfinished_queries() -> list[UUID]:
    """Every tenant that a query still waits for; in no particular order."""
    if connection.vendor == "postgresql":
        return [row[0] for row in through_gate("SELECT queries_unfinished_tenants()")]
    unfinished = Query.objects.filter(state__in=UNFINISHED).order_by()
    return list(unfinished.values_list("tenant_id", flat=True).distinct())


def tenants_with_sealed_queries() -> list[UUID]:
    """Every tenant with an answer that is not published yet; in no particular order."""
    if connection.vendor == "postgresql":
        return [row[0] for row in through_gate("SELECT queries_sealed_tenants()")]
    return _sealed_tenants()


@Prepared
def _sealed_tenants() -> QuerySet[Query, UUID]:
    sealed = Query.objects.filter(state=Query.State.SEALED).order_by()
    return sealed.values_list("tenant_id", flat=True).distinct()


def tenants_with_uncounted_queries() -> list[UUID]:
    """Every tenant with an ended query that its tallies do not hold yet; in no particular order."""
    if connection.vendor == "postgresql":
        return [row[0] for row in through_gate("SELECT queries_uncounted_tenants()")]
    uncounted = Query.objects.filter(counted=False, state__in=Query.ENDED).order_by()
    return list(uncounted.values_list("tenant_id", flat=True).distinct())


def counts_by_state() -> dict[str, tuple[int, datetime | None]]:
    """How many queries of the installation are in each state, and since when the oldest."""
    if connection.vendor == "postgresql":
        rows = through_gate("SELECT state, number, oldest FROM queries_counts()")
    else:
        states = Query.objects.order_by().values_list("state")
        rows = list(states.annotate(number=Count("pk"), oldest=Min("submitted_at")))
    return {state: (number, oldest) for state, number, oldest in rows}


@dataclass(frozen=True, slots=True)
class Backlog:
    """Counts for every state, also for those that no question is in, and the longest wait."""

    by_state: dict[str, int]
    oldest_waiting_seconds: float


def backlog() -> Backlog:
    """Counted now, over the whole installation."""
    found = counts_by_state()
    counts = {state: found.get(state, (0, None))[0] for state in Query.State.values}
    unfinished = (found[state][1] for state in UNFINISHED if state in found)
    oldest = min((moment for moment in unfinished if moment), default=None)
    waited = (database_now() - oldest).total_seconds() if oldest else 0.0
    return Backlog(counts, max(0.0, waited))
