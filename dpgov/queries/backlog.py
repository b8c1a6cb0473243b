"""How many questions of all tenants are in which state: for the operator, never for a page."""

from dataclasses import dataclass

from django.db.models import Count, Min

from dpgov.queries.clock import database_now
from dpgov.queries.models import Query


@dataclass(frozen=True, slots=True)
class Backlog:
    """Counts for every state, also for those that no question is in, and the longest wait."""

    by_state: dict[str, int]
    oldest_waiting_seconds: float


def backlog() -> Backlog:
    """Counted now, over the whole installation."""
    counts = dict.fromkeys(Query.State.values, 0)
    counts |= dict(Query.objects.order_by().values_list("state").annotate(Count("pk")))
    unfinished = Query.objects.filter(state__in=[Query.State.QUEUED, Query.State.RUNNING])
    oldest = unfinished.aggregate(oldest=Min("submitted_at"))["oldest"]
    waited = (database_now() - oldest).total_seconds() if oldest else 0.0
    return Backlog(counts, max(0.0, waited))
