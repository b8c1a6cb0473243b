"""Sealed answers appear at their moment: charge, answer and entry in the log, in one transaction.

Done by a process that computes nothing, so that nothing that is numbered tells when a worker was
done (`queries.answering.publisher`). Safe when two do it at once, and again after a crash: the
row's state lets one through.
"""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models import Exists, Q, QuerySet

from dpgov.audit.actions import Action
from dpgov.audit.actor import WORKER
from dpgov.audit.services import append
from dpgov.budgets import services as ledger
from dpgov.budgets.errors import BudgetFrozen, NotAdmitted
from dpgov.budgets.services.freezing import confirm_place
from dpgov.budgets.words import noted
from dpgov.datasets.rules import least_price_nano
from dpgov.operation.away import ends_the_round
from dpgov.operation.clock import database_now
from dpgov.operation.prepared import Change, Prepared, PreparedChange
from dpgov.queries.answering.lease import ENDS_UNANSWERED, STOPPED, is_gone
from dpgov.queries.answering.moments import horizon, latest_at
from dpgov.queries.crossing import tenants_with_sealed_queries
from dpgov.queries.models import Query, Release
from dpgov.tenants.boundary import acting_for

logger = logging.getLogger(__name__)

# A publisher that lives is never this late; then whoever looks at the answer publishes it.
PATIENCE = timedelta(seconds=2)
_BATCH = 500
# What nobody can let go on ends too, or it would hold its budgets for ever.
_MAY_END = ~Q(Exists(STOPPED)) | ENDS_UNANSWERED


@dataclass(frozen=True, slots=True)
class PublishingRound:
    """How many were published, and how long from its beginning until the next one is due, if any
    is sealed.
    """

    published: int
    next_after: timedelta | None = None


def publish_due(now: datetime | None = None) -> int:
    """Publish whatever is due in the whole installation, the first due first; how many.

    `now` is for tests: by the database's clock as a rule.
    """
    return publish_round(now).published


def publish_round(now: datetime | None = None) -> PublishingRound:
    """The same, and when it is worth coming back."""
    published, ahead, sealed = 0, [], tenants_with_sealed_queries()
    if not sealed:
        return PublishingRound(0)
    moment = now or database_now()
    for tenant_id in sealed:
        with acting_for(tenant_id):
            published += _publish_tenant(tenant_id, moment)
            ahead += _next_in(tenant_id)
    waits = [at - moment for at in ahead if at is not None and at > moment]
    return PublishingRound(published, min(waits, default=None))


def publish_overdue(query: Query) -> bool:
    """Publish this answer if it should have appeared a while ago; whether it was.

    For the person who looks at it while no publisher runs: what they learn is that it was due.
    """
    if query.state != Query.State.SEALED:
        return False
    now = database_now()
    late = Query.objects.filter(_due(now - PATIENCE, now, _impossible_from(now)), pk=query.pk)
    return late.exists() and publish(query.pk)


def _publish_tenant(tenant_id: UUID, now: datetime) -> int:
    ids = _due_in(tenant_id, now, _impossible_from(now))
    return sum(_try_to_publish(query_id, now) for query_id in ids)


@Prepared
def _due_in(tenant_id: UUID, now: datetime, impossible_from: datetime) -> QuerySet[Query, UUID]:
    due = _sealed_in(tenant_id).filter(_due(now, now, impossible_from)).order_by("due_at", "pk")
    return due.values_list("pk", flat=True)[:_BATCH]


@Prepared
def _next_in(tenant_id: UUID) -> QuerySet[Query, datetime | None]:
    return _sealed_in(tenant_id).order_by("due_at").values_list("due_at", flat=True)[:1]


def _sealed_in(tenant_id: UUID) -> QuerySet[Query]:
    """Those that may end, in the tenant that is acted for."""
    return Query.objects.filter(_MAY_END, state=Query.State.SEALED, tenant_id=tenant_id)


def _due(until: datetime, now: datetime, impossible_from: datetime) -> Q:
    """Its moment came by then, or cannot be right, because a clock was set: then it is now."""
    impossible = Q(due_at__gt=impossible_from) | Q(submitted_at__gt=now)
    return Q(due_at__lte=until) | impossible


def _impossible_from(now: datetime) -> datetime:
    return now + horizon() + PATIENCE


def _try_to_publish(query_id: UUID, now: datetime) -> bool:
    """One that cannot be published stands in nobody's way: it is tried again later."""
    try:
        return publish(query_id)
    except BudgetFrozen:
        return False
    except Exception as error:
        if ends_the_round(error):
            raise
        logger.exception("query %s could not be published: %s", query_id, type(error).__name__)
        if isinstance(error, DatabaseError):
            return False
        later = Query.objects.filter(pk=query_id, state=Query.State.SEALED)
        later.update(due_at=now + PATIENCE)
        return False


def publish(query_id: UUID) -> bool:
    """Charge for a sealed answer, store and record it; False if it is not sealed (any more).

    Its doublings are paid first, as a step of their own; where the budget has no room for them,
    it waits for the latest moment instead, and where a budget that its dataset shares is frozen,
    for the officer. Raises BudgetFrozen in a database that moved.
    """
    confirm_place()
    return _pay_doublings(query_id) and _publish(query_id)


@transaction.atomic
def _pay_doublings(query_id: UUID) -> bool:
    """Whether nothing is owed (any more), so that it may appear."""
    query = _locked(query_id)
    if query is None or not query.doublings_owed:
        return query is not None
    owed, price = query.doublings_owed, _price_of_a_doubling(query)
    try:
        with transaction.atomic():
            lines = ledger.extend(query_id=query.pk, amount_nano=owed * price)
    except BudgetFrozen:
        # In what a backup lacks it may have appeared, and paid for them: they stay owed.
        return _put_off(query, due_at=database_now() + PATIENCE)
    except NotAdmitted:
        latest = latest_at(query.submitted_at, database_now())
        return _put_off(query, due_at=latest, doublings_owed=0)
    cost = query.cost_nano + owed * price
    Query.objects.filter(pk=query.pk).update(doublings_owed=0, doublings=owed, cost_nano=cost)
    _record(query, Action.QUERY_EXTENDED, owed * price, lines, doublings=owed)
    return True


def _put_off(query: Query, **changes: object) -> bool:
    """False: it does not appear now."""
    Query.objects.filter(pk=query.pk).update(**changes)
    return False


def _price_of_a_doubling(query: Query) -> int:
    """What the cheapest question costs, and never more than this one did.

    When it was accepted it cost the least price at least, which an owner may have raised since:
    nobody is charged by a rule that came after their question.
    """
    return min(least_price_nano(query.dataset), query.cost_nano)


@transaction.atomic
def _publish(query_id: UUID) -> bool:
    query = _locked(query_id)
    if query is None:
        return False
    text, at = query.sealed_text, _dated(query, database_now())
    answered = query.outcome == Query.Outcome.RELEASED and not is_gone(query)
    unread = query.outcome == Query.Outcome.UNREAD
    _end(query.pk, at, answered=answered, unread=unread)
    lines = ledger.settle(query_id=query.pk, amount_nano=query.cost_nano)
    if not answered:
        noted = {"never_read": "yes"} if unread else {}
        _record(query, Action.QUERY_FAILED, query.cost_nano, lines, at=at, **noted)
        return True
    digest = hashlib.sha256(text.encode()).hexdigest()
    Release.objects.create(query=query, tenant_id=query.tenant_id, body=text, sha256=digest)
    _record(query, Action.QUERY_RELEASED, query.cost_nano, lines, at=at, release_sha256=digest)
    return True


@PreparedChange
def _end(query_id: UUID, at: datetime, *, answered: bool, unread: bool) -> Change:
    return Query.objects.filter(pk=query_id), {
        "state": Query.State.RELEASED if answered else Query.State.FAILED,
        "sealed_text": "",
        "ended_at": at,
        "visible_at": at,
        "never_read_at": at if unread else None,
    }


def _locked(query_id: UUID) -> Query | None:
    """The row under its lock while it is sealed: of two publishers the second finds None.

    None while its dataset is frozen, too (it may have been published in what a backup lacks), and
    while it is paused: who pauses sees nothing come out any more, however far the work had got.
    """
    return _to_publish.first(query_id)


@Prepared
def _to_publish(query_id: UUID) -> QuerySet[Query]:
    sealed = Query.objects.filter(_MAY_END, pk=query_id, state=Query.State.SEALED)
    return sealed.select_for_update(of=("self",)).select_related("dataset__budget")


def _dated(query: Query, now: datetime) -> datetime:
    """The moment itself, where it is believable; otherwise the true one."""
    due = query.due_at or now
    return due if due <= now <= due + PATIENCE else now


def _record(
    query: Query,
    action: Action,
    nano: int,
    lines: Sequence[ledger.Line],
    *,
    at: datetime | None = None,
    **detail: Any,
) -> None:
    currency = query.dataset.budget.currency
    append(
        tenant_id=query.tenant_id,
        actor=WORKER,
        action=action,
        subject=f"query:{query.pk}",
        dataset=query.dataset.slug,
        detail={
            **noted(nano, currency),
            "lines": ledger.noted_lines(lines, currency),
            **detail,
        },
        at=at,
    )
