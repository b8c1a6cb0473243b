"""What the queue asks across tenants: whose queries are not finished, and how many there are.

The same questions through the wall on PostgreSQL and to the models on SQLite. Never a plan, a
person or an answer.
"""

from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Count, Min

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
    sealed = Query.objects.filter(state=Query.State.SEALED).order_by()
    return list(sealed.values_list("tenant_id", flat=True).distinct())


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
