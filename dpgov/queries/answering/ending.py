"""How a question leaves the workers' hands: sealed until its moment, or given back at once.

Sealing writes one row and nothing that is numbered: what was spent, the answer and the entry in the
log come when it is published (`queries.answering.publishing`). What never opened the data tells
nothing and ends at once.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.entry import canonical_json
from dpgov.audit.services import append
from dpgov.budgets import services as ledger
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.words import noted
from dpgov.operation.clock import database_now
from dpgov.queries.answering import lease
from dpgov.queries.answering.moments import doublings_of, due_at
from dpgov.queries.models import Query
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of


def seal(claim: lease.Claim, *, body: dict[str, Any], started: timedelta) -> None:
    """Keep the answer in the row until it is due. One seal, ever: no later attempt draws again.

    `started` says how long after the claim the work began. Nothing is kept, and LostLease raised,
    when another worker was faster; Stopped, when its dataset was frozen meanwhile.
    """
    _seal_work(claim, started, Query.Outcome.RELEASED, canonical_json(body))


def seal_failure(claim: lease.Claim, *, started: timedelta, never_read: bool = False) -> None:
    """Keep until then that it failed: charged, in one wording, at the moment of an answer.

    `never_read` is the word of the worker that found the data impossible to open: charged all the
    same, but two persons may refund it.
    """
    _seal_work(claim, started, Query.Outcome.UNREAD if never_read else Query.Outcome.FAILED)


def _seal_work(
    claim: lease.Claim, started: timedelta, outcome: Query.Outcome, text: str = ""
) -> None:
    passed = claim.passed()
    _seal(
        claim.query,
        claim.fence,
        outcome,
        text,
        doublings=doublings_of(claim.query.class_ms, passed - started),
        started_at=claim.at + started,
        now=claim.at + passed,
    )


def _seal(
    query: Query,
    fence: int,
    outcome: Query.Outcome,
    text: str,
    *,
    doublings: int,
    started_at: datetime,
    now: datetime,
) -> None:
    due = due_at(
        submitted_at=query.submitted_at,
        started_at=started_at,
        now=now,
        class_ms=query.class_ms,
        doublings=doublings,
    )
    lease.seal(query.pk, fence, lease.Found(outcome, text, due, doublings))


@transaction.atomic
def give_up(query: Query, *, fence: int, actor: Actor, expired: bool = False) -> None:
    """End without an answer: charged if the data was ever opened, given back if it never was.

    What is charged is sealed like an answer. A worker that vanished was held up by something else
    than its work, as far as anybody can tell, so nothing is doubled for it.
    The row is read again under its lock, so that a worker that opens the data at this moment is
    either seen here or loses its lease.
    Nothing ends while its dataset is frozen: it may have been charged in what the backup lacks, and
    what an officer sees as remaining must not grow behind their back.
    """
    current = Query.objects.select_for_update().get(pk=query.pk)
    if lease.is_frozen(current):
        return
    if current.opened_at is not None:
        now = database_now()
        _seal(current, fence, Query.Outcome.FAILED, "", doublings=0, started_at=now, now=now)
    elif expired:
        _end(current, fence, Query.State.EXPIRED)
        lines = ledger.expire(query_id=current.pk)
        _record(current, actor, Action.QUERY_EXPIRED, lines)
    else:
        _end(current, fence, Query.State.VOIDED)
        lines = ledger.void(query_id=current.pk)
        _record(current, actor, Action.QUERY_VOIDED, lines)


def withdraw(query: Query, *, user: User) -> None:
    """End a question that a person cancelled, in the caller's transaction and under its lock.

    Only one whose data was never opened; its hold is given back. Raises BudgetFrozen.
    """
    if lease.is_frozen(query):
        raise BudgetFrozen
    _end(query, query.fence, Query.State.VOIDED)
    lines = ledger.void(query_id=query.pk)
    _record(query, actor_of(user), Action.QUERY_VOIDED, lines, cancelled="yes")


def charge_unanswered(query: Query, *, actor: Actor) -> None:
    """End a question that may have been answered in what a backup lacks: what it holds is charged.

    In the caller's transaction and under its lock. Its row has no outcome, as no work of this
    database came to any: by that it is known (`queries.selectors.ended_after_restore`).
    """
    _end(query, query.fence, Query.State.FAILED)
    lines = ledger.settle(query_id=query.pk, amount_nano=query.cost_nano)
    _record(query, actor, Action.QUERY_FAILED, lines, restored="yes")


def _end(query: Query, fence: int, state: Query.State) -> None:
    now = database_now()
    lease.end(query.pk, fence, state, ended_at=now, visible_at=now)


def _record(
    query: Query, actor: Actor, action: Action, lines: Sequence[ledger.Line], **more: str
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
            "lines": ledger.noted_lines(lines, currency),
            **more,
        },
    )
