"""What guarantees that every accepted query ends: messages may be lost, rows are not."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from django.conf import settings
from django.db.models import Q, QuerySet

from dpgov.audit.actor import SWEEPER
from dpgov.queries import ending
from dpgov.queries.clock import database_now
from dpgov.queries.lease import LostLease
from dpgov.queries.models import Query
from dpgov.queries.tasks import wake

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
    given_up = sum(_give_up(query, expired=False) for query in _exhausted(now))
    given_up += sum(_give_up(query, expired=True) for query in _expired(now))
    # Each message to a broker that is away costs a second; the next round will try again.
    sent = sum(1 for _ in takewhile(wake, _waiting(now)))
    return Swept(sent=sent, given_up=given_up)


def _waiting(now: datetime) -> QuerySet[Query]:
    return _oldest(
        Q(state=Query.State.QUEUED, submitted_at__lt=now - _PATIENCE)
        | Q(state=Query.State.RUNNING, lease_until__lt=now)
    ).filter(attempts__lt=settings.DPGOV_QUERY_ATTEMPTS)[:_BATCH]


def _exhausted(now: datetime) -> QuerySet[Query]:
    over = Q(state=Query.State.RUNNING, lease_until__lt=now)
    return _oldest(over).filter(attempts__gte=settings.DPGOV_QUERY_ATTEMPTS)[:_BATCH]


def _expired(now: datetime) -> QuerySet[Query]:
    longest = timedelta(seconds=settings.DPGOV_EXPIRY_SECONDS)
    idle = Q(state=Query.State.QUEUED) | Q(state=Query.State.RUNNING, lease_until__lt=now)
    return _oldest(idle).filter(submitted_at__lt=now - longest)[:_BATCH]


def _oldest(condition: Q) -> QuerySet[Query]:
    return Query.objects.filter(condition).select_related("dataset").order_by("submitted_at")


def _give_up(query: Query, *, expired: bool) -> bool:
    try:
        ending.give_up(query, fence=query.fence, actor=SWEEPER, expired=expired)
    except LostLease:
        return False
    return True
