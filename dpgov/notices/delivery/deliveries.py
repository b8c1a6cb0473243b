"""Events on their way to webhooks: in their order, each until it has arrived or is too old.

A delivery that fails is tried again, later each time; those behind it wait, so that a server that
is away costs one try a pause. Webhooks take turns, for a few seconds a round: one that answers late
holds up neither the others nor the sweeper. Never inside a transaction.
"""

import json
import math
import time
from collections.abc import Sequence
from uuid import UUID

import structlog
from django.db.models import Exists, F, Max, OuterRef, QuerySet, Subquery

from dpgov.audit.entry import iso
from dpgov.language.said import as_values, said
from dpgov.language.spoken import SpokenRefusal
from dpgov.language.translation import english
from dpgov.notices.delivery.pauses import GIVEN_UP_AFTER, is_pausing, next_try
from dpgov.notices.delivery.sending import FAILURES, post
from dpgov.notices.delivery.signing import secret_of, signature
from dpgov.notices.models import Delivery, Event, State, Webhook
from dpgov.notices.selectors import webhooks_of
from dpgov.notices.words import named, page_of, sentence, whole_address
from dpgov.operation import clock
from dpgov.operation.clock import Now

# What one organisation may take of a round: so many messages a webhook, so many seconds in all.
_ROUND, _SECONDS = 20, 10.0
_log = structlog.get_logger("dpgov.notices")


def deliver_waiting(tenant_id: UUID, *, until: float = math.inf) -> int:
    """Try what is due for the webhooks of the tenant, in English; returns how many arrived.

    What there is no time for, by `clock.running`, waits for the next round.
    """
    over = min(until, clock.running() + _SECONDS)
    webhooks = _in_turn(tenant_id)
    for webhook in webhooks:
        _give_up_old(webhook)
    with english():
        return _deliver_by_turns(webhooks, over)


def _in_turn(tenant_id: UUID) -> list[Webhook]:
    """Those for which something waits; first whoever was called longest ago, or never lately."""
    own = Delivery.objects.filter(webhook=OuterRef("pk")).order_by()
    lately = own.filter(tried_at__gte=clock.now() - GIVEN_UP_AFTER).values("webhook")
    called = lately.annotate(at=Max("tried_at")).values("at")
    found = webhooks_of(tenant_id).filter(Exists(own.filter(state=State.WAITING)))
    found = found.annotate(called=Subquery(called))
    return list(found.order_by(F("called").asc(nulls_first=True), "created_at", "id"))


def _deliver_by_turns(webhooks: Sequence[Webhook], over: float) -> int:
    """One message each, then one more for each that took it, until the time is over."""
    arrived = 0
    for _ in range(_ROUND):
        webhooks = [one for one in webhooks if clock.running() < over and _deliver_next(one)]
        arrived += len(webhooks)
    return arrived


def _deliver_next(webhook: Webhook) -> bool:
    """A round takes seconds: each call is by the row as it is then, and none once it has ended."""
    due = _waiting(webhook).filter(due_at__lte=Now()).order_by("due_at", "id").first()
    if due is None or is_pausing(due.next_attempt_at, clock.now()) or not _claim(due):
        return False
    current = Webhook.objects.filter(pk=webhook.pk, ended_at__isnull=True).first()
    return current is not None and _deliver(due, current)


def _waiting(webhook: Webhook) -> QuerySet[Delivery]:
    return webhook.deliveries.filter(state=State.WAITING).select_related("event", "tenant")


def _give_up_old(webhook: Webhook) -> None:
    """What was tried: it may have waited longer for a sweeper that stood still."""
    old = _waiting(webhook).filter(attempts__gt=0, due_at__lt=clock.now() - GIVEN_UP_AFTER)
    old.update(state=State.GIVEN_UP)


def _claim(delivery: Delivery) -> bool:
    """One try for one sender: whoever counts it up first; none for a webhook that has ended."""
    mine = Delivery.objects.filter(
        webhook__ended_at__isnull=True,
        pk=delivery.pk,
        state=State.WAITING,
        attempts=delivery.attempts,
    )
    now = clock.now()
    pause = next_try(delivery.attempts + 1, now)
    return bool(mine.update(attempts=delivery.attempts + 1, next_attempt_at=pause, tried_at=now))


def _deliver(delivery: Delivery, webhook: Webhook) -> bool:
    rows = Delivery.objects.filter(pk=delivery.pk)
    body = message(delivery.event, delivery.tenant.slug)
    try:
        status = post(webhook.url, body, headers(webhook, delivery, body))
    except FAILURES as failure:
        rows.update(status=getattr(failure, "status", None), problem=as_values(why(failure)))
        _log.warning("a webhook was not reached", kind=type(failure).__name__)
        return False
    rows.update(state=State.SENT, status=status, problem={})
    return True


def message(event: Event, tenant: str) -> bytes:
    """What a webhook is sent: JSON that names things and no person, with no number but a level."""
    told = {
        "id": str(event.pk),
        "kind": event.kind,
        "at": iso(event.due_at),
        "tenant": tenant,
        "text": sentence(event.kind, event.detail),
        "url": whole_address(page_of(event.kind, event.detail)),
        "detail": named(event.kind, event.detail),
    }
    return json.dumps(told, sort_keys=True).encode()


def headers(webhook: Webhook, delivery: Delivery, body: bytes) -> dict[str, str]:
    """Signed at the time of this try, so that a receiver can refuse old messages."""
    now = int(time.time())
    return {
        "Dpgov-Event": str(delivery.event_id),
        "Dpgov-Timestamp": str(now),
        "Dpgov-Signature": signature(secret_of(webhook), now, body),
    }


def why(failure: Exception) -> str:
    """What the administrator reads: nothing that the other server could have written."""
    if isinstance(failure, SpokenRefusal):
        return failure.sentence
    return said("Not reached ({kind}).", kind=type(failure).__name__)
