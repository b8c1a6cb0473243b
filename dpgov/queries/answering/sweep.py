"""What guarantees that every accepted query ends: messages may be lost, rows are not.

Messages are sent again sparingly: never more than questions wait, and for the same question after
pauses that double, so that a backlog cannot fill the broker.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from dpgov.audit.actions import Action
from dpgov.audit.actor import SWEEPER
from dpgov.audit.selectors import EntryFilter, entries_of
from dpgov.datasets.models import Dataset, DerivedFrom
from dpgov.datasets.selectors import present
from dpgov.operation.away import ends_the_round
from dpgov.operation.clock import database_now
from dpgov.queries.answering import ending
from dpgov.queries.answering.lease import FROZEN, GONE, LostLease, Stopped, free
from dpgov.queries.answering.tasks import MOST_MESSAGES, messages, wake
from dpgov.queries.answering.turns import number_waiting
from dpgov.queries.crossing import UNFINISHED, tenants_with_unfinished_queries
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for

# A fresh query's own message is still on its way; sending it again would only be noise.
_PATIENCE = timedelta(seconds=2)
_LONGEST_PAUSE = timedelta(minutes=5)
_MOST_DOUBLINGS = 8
_BATCH = 500
_log = structlog.get_logger("dpgov.sweep")


@dataclass(frozen=True, slots=True)
class Swept:
    """How many queries were sent again, and how many were given up."""

    sent: int
    given_up: int


def sweep() -> Swept:
    """One round: give up what is exhausted or expired, send again what nobody works on."""
    now = database_now()
    sent = given_up = 0
    tenants = tenants_with_unfinished_queries()
    for tenant_id in tenants:
        with acting_for(tenant_id):
            given_up += _give_up_all(tenant_id, now)
    places = _free_places()
    for tenant_id in tenants:
        if sent >= places:
            break
        with acting_for(tenant_id):
            reminded = _remind(list(_due(tenant_id, now)[: places - sent]), now)
        if reminded is None:
            # Each message to a broker that is away costs a second; the next round tries again.
            break
        sent += reminded
    return Swept(sent=sent, given_up=given_up)


def _free_places() -> int:
    """How many messages may be sent: no more than questions wait, those that lie there included.

    None as long as the broker does not say how many lie there.
    """
    there = messages()
    if there is None or there >= MOST_MESSAGES:
        return 0
    return max(0, min(number_waiting(), MOST_MESSAGES) - there)


def _remind(due: list[Query], now: datetime) -> int | None:
    """Wake a worker for each, and remember it; how many, or None when the broker is away."""
    sent = wake(len(due)) if due else 0
    if sent:
        for query in due[:sent]:
            doublings = min(query.sends + 1, _MOST_DOUBLINGS)
            pause = min(_PATIENCE * 2**doublings, _LONGEST_PAUSE)
            Query.objects.filter(pk=query.pk, state__in=UNFINISHED).update(
                sends=F("sends") + 1, send_after=now + pause
            )
    return sent


def _give_up_all(tenant_id: UUID, now: datetime) -> int:
    over = (*_exhausted(tenant_id, now), *_of_what_is_gone(tenant_id, now))
    given_up = sum(_give_up(query, expired=False) for query in over)
    return given_up + sum(_give_up(query, expired=True) for query in _expired(tenant_id, now))


def _due(tenant_id: UUID, now: datetime) -> QuerySet[Query]:
    """Free, and not sent too lately; a moment far ahead was written by a clock that went back."""
    never = Q(send_after__isnull=True, submitted_at__lt=now - _PATIENCE)
    again = Q(send_after__lte=now) | Q(send_after__gt=now + _LONGEST_PAUSE)
    return free(now).filter(never | again, tenant_id=tenant_id).order_by("submitted_at")


def _exhausted(tenant_id: UUID, now: datetime) -> QuerySet[Query]:
    over = Q(state=Query.State.RUNNING, lease_until__lt=now)
    return _oldest(tenant_id, over).filter(attempts__gte=settings.DPGOV_QUERY_ATTEMPTS)[:_BATCH]


def _of_what_is_gone(tenant_id: UUID, now: datetime) -> QuerySet[Query]:
    """Those that no decision lets go on. What they have sealed already, the publisher ends."""
    idle = Q(state=Query.State.QUEUED) | Q(state=Query.State.RUNNING, lease_until__lt=now)
    return _oldest(tenant_id, idle & Q(Exists(GONE)))[:_BATCH]


def _expired(tenant_id: UUID, now: datetime) -> QuerySet[Query]:
    longest = timedelta(seconds=settings.DPGOV_EXPIRY_SECONDS)
    idle = Q(state=Query.State.QUEUED) | Q(state=Query.State.RUNNING, lease_until__lt=now)
    waited = _oldest(tenant_id, idle).filter(submitted_at__lt=now - longest)
    stood_still = Exists(_paused_since(now - longest)) | _frozen_since(tenant_id, now - longest)
    return waited.exclude(stood_still)[:_BATCH]


def _paused_since(moment: datetime) -> QuerySet[Dataset]:
    """A pause costs no question its patience; of what was archived or held, nothing is resumed."""
    lately = Q(paused_at__isnull=False) | Q(resumed_at__gt=moment)
    of_parent = Q(parent__paused_at__isnull=False) | Q(parent__resumed_at__gt=moment)
    beside = DerivedFrom.objects.filter(of_parent, dataset=OuterRef("pk"))
    return Dataset.objects.filter(present(), lately | Q(Exists(beside)), pk=OuterRef("dataset_id"))


def _frozen_since(tenant_id: UUID, moment: datetime) -> Q:
    """Nor does a freeze: whoever lets a question go on says that it is answered, not given back."""
    confirmed = EntryFilter(action=Action.BUDGET_CONFIRMED.value, since=moment)
    subjects = entries_of(tenant_id, confirmed).values_list("subject", flat=True)
    budgets = [UUID(subject.removeprefix("budget:")) for subject in subjects]
    beside = DerivedFrom.objects.filter(parent__budget__in=budgets, dataset=OuterRef("dataset_id"))
    return Q(dataset__budget__in=budgets) | Q(Exists(beside))


def _oldest(tenant_id: UUID, condition: Q) -> QuerySet[Query]:
    """None that is frozen: whether its hold may come back is an officer's to say."""
    queries = Query.objects.filter(condition, ~Exists(FROZEN), tenant_id=tenant_id)
    return queries.select_related("dataset").order_by("submitted_at")


def _give_up(query: Query, *, expired: bool) -> bool:
    """One that cannot be ended stands in no other's way, of no organisation: it is tried again."""
    try:
        ending.give_up(query, fence=query.fence, actor=SWEEPER, expired=expired)
    except (LostLease, Stopped):
        return False
    except Exception as error:
        if ends_the_round(error):
            raise
        _log.exception("a question could not be given up", query=str(query.pk))
        return False
    return True
