"""What guarantees that every accepted query ends: messages may be lost, rows are not."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from uuid import UUID

from django.conf import settings
from django.db.models import Q, QuerySet

from dpgov.audit.actor import SWEEPER
from dpgov.queries import ending
from dpgov.queries.clock import database_now
from dpgov.queries.crossing import tenants_with_unfinished_queries
from dpgov.queries.lease import LostLease
from dpgov.queries.models import Query
from dpgov.queries.tasks import wake
from dpgov.tenants.boundary import acting_for

# A fresh query's own message is still on its way; sending it again would only be noise.
_PATIENCE = timedelta(seconds=2)
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Swept:
    """How many queries were sent again, and how many were given up."""

    sent: int
    given_up: int


def sweep() -> Swept:
    """One round: give up what is exhausted or expired, send again what nobody works on."""
    now = database_now()
    sent = given_up = 0
    broker_is_there = True
    for tenant_id in tenants_with_unfinished_queries():
        with acting_for(tenant_id):
            given_up += _give_up_all(tenant_id, now)
            if broker_is_there:
                waiting = list(_waiting(tenant_id, now))
                taken = sum(1 for _ in takewhile(wake, waiting))
                # Each message to a broker that is away costs a second; the next round tries again.
                broker_is_there = taken == len(waiting)
                sent += taken
    return Swept(sent=sent, given_up=given_up)


def _give_up_all(tenant_id: UUID, now: datetime) -> int:
    given_up = sum(_give_up(query, expired=False) for query in _exhausted(tenant_id, now))
    return given_up + sum(_give_up(query, expired=True) for query in _expired(tenant_id, now))


def _waiting(tenant_id: UUID, now: datetime) -> QuerySet[Query]:
    return _oldest(
        tenant_id,
        Q(state=Query.State.QUEUED, submitted_at__lt=now - _PATIENCE)
        | Q(state=Query.State.RUNNING, lease_until__lt=now),
    ).filter(attempts__lt=settings.DPGOV_QUERY_ATTEMPTS)[:_BATCH]


def _exhausted(tenant_id: UUID, now: datetime) -> QuerySet[Query]:
    over = Q(state=Query.State.RUNNING, lease_until__lt=now)
    return _oldest(tenant_id, over).filter(attempts__gte=settings.DPGOV_QUERY_ATTEMPTS)[:_BATCH]


def _expired(tenant_id: UUID, now: datetime) -> QuerySet[Query]:
    longest = timedelta(seconds=settings.DPGOV_EXPIRY_SECONDS)
    idle = Q(state=Query.State.QUEUED) | Q(state=Query.State.RUNNING, lease_until__lt=now)
    return _oldest(tenant_id, idle).filter(submitted_at__lt=now - longest)[:_BATCH]


def _oldest(tenant_id: UUID, condition: Q) -> QuerySet[Query]:
    queries = Query.objects.filter(condition, tenant_id=tenant_id)
    return queries.select_related("dataset").order_by("submitted_at")


def _give_up(query: Query, *, expired: bool) -> bool:
    try:
        ending.give_up(query, fence=query.fence, actor=SWEEPER, expired=expired)
    except LostLease:
        return False
    return True
