"""The ways a query ends; each is one transaction with ledger, row and audit entry together."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.entry import canonical_json
from dpgov.audit.services import append
from dpgov.budgets import services as ledger
from dpgov.budgets.words import noted
from dpgov.queries import lease
from dpgov.queries.clock import database_now, visible_from
from dpgov.queries.models import Query, Release


@transaction.atomic
def release(claim: lease.Claim, *, body: dict[str, Any], actor: Actor) -> Release:
    """Store the answer, charge for it and record both. One charge, one release, ever.

    Raises LostLease, with nothing stored, when another worker was faster.
    """
    query, text = claim.query, canonical_json(body)
    visible_at = _end(query, claim.fence, Query.State.RELEASED)
    lines = ledger.settle(query_id=query.pk, amount_nano=query.cost_nano)
    digest = hashlib.sha256(text.encode()).hexdigest()
    stored = Release.objects.create(
        query=query, tenant_id=query.tenant_id, body=text, sha256=digest
    )
    # Dated when it may be seen: its receipt must not tell when the worker was done.
    _record(query, actor, Action.QUERY_RELEASED, lines, at=visible_at, release_sha256=digest)
    return stored


@transaction.atomic
def give_up(
    query: Query, *, fence: int, actor: Actor, expired: bool = False, never_read: bool = False
) -> None:
    """End without an answer: charged if the data was ever opened, given back if it never was.

    `never_read` is the word of the worker that found the data impossible to open: charged all the
    same, but two persons may refund it.

    The row is read again under its lock, so that a worker that opens the data at this moment is
    either seen here or loses its lease.
    """
    current = Query.objects.select_for_update().get(pk=query.pk)
    if current.opened_at is not None:
        _fail(current, fence, actor, never_read)
    elif expired:
        _end(current, fence, Query.State.EXPIRED)
        lines = ledger.expire(query_id=current.pk)
        _record(current, actor, Action.QUERY_EXPIRED, lines)
    else:
        _end(current, fence, Query.State.VOIDED)
        lines = ledger.void(query_id=current.pk)
        _record(current, actor, Action.QUERY_VOIDED, lines)


def _fail(query: Query, fence: int, actor: Actor, never_read: bool) -> None:
    _end(query, fence, Query.State.FAILED, never_read_at=database_now() if never_read else None)
    lines = ledger.settle(query_id=query.pk, amount_nano=query.cost_nano)
    if never_read:
        _record(query, actor, Action.QUERY_FAILED, lines, never_read="yes")
    else:
        _record(query, actor, Action.QUERY_FAILED, lines)


def _end(query: Query, fence: int, state: Query.State, **changes: object) -> datetime:
    """End the row; returns when that may be seen."""
    now = database_now()
    visible_at = visible_from(query.submitted_at, now)
    lease.end(query.pk, fence, state, ended_at=now, visible_at=visible_at, **changes)
    return visible_at


def _record(
    query: Query,
    actor: Actor,
    action: Action,
    lines: Sequence[ledger.Line],
    *,
    at: datetime | None = None,
    **detail: str,
) -> None:
    currency = query.dataset.budget.currency
    append(
        tenant_id=query.tenant_id,
        actor=actor,
        action=action,
        subject=f"query:{query.pk}",
        dataset=query.dataset.slug,
        detail={
            **noted(query.cost_nano, currency),
            "lines": [line.as_json(currency) for line in lines],
            **detail,
        },
        at=at,
    )
