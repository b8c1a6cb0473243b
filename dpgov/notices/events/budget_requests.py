"""Requests for budget, as they stand in their rows: who is told that one waits, and its answer.

A granted request has no entry of its own in the log (the allocation and the permit have), so it is
read off the rows. Those for the approval of one question are told from the log.
"""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from dpgov.notices.events.telling import NEWS, Happening, people_having, told_before
from dpgov.notices.kinds import Kind
from dpgov.operation.clock import Now
from dpgov.queries.models import BudgetRequest
from dpgov.tenants.models import Role

_MOST = 200
_UNTOLD = (BudgetRequest.State.WITHDRAWN,)


def budget_requests(tenant_id: UUID) -> Iterator[Happening]:
    """What to tell about those that were sent or answered lately and is not told yet."""
    since = Now() - NEWS
    rows = BudgetRequest.objects.filter(
        Q(asked_at__gt=since) | Q(answered_at__gt=since), tenant_id=tenant_id
    )
    others = rows.exclude(about=BudgetRequest.About.QUESTION).exclude(state__in=_UNTOLD)
    found = others.filter(pk__in=_not_told(tenant_id, others)).select_related("dataset")
    return (_happening(sent) for sent in found)


def _not_told(tenant_id: UUID, rows: QuerySet[BudgetRequest]) -> list[UUID]:
    """Those to tell in this round, longest known first: an answer is as new as its moment, however
    many requests were sent after its own. What was told before takes nobody's turn.
    """
    moment = Coalesce("answered_at", "asked_at")
    known = list(rows.order_by(moment, "pk").values_list("pk", "state"))
    owed: list[UUID] = []
    for begin in range(0, len(known), _MOST):
        keys = {_key(pk, state): pk for pk, state in known[begin : begin + _MOST]}
        told = told_before(tenant_id, keys)
        owed += [pk for key, pk in keys.items() if key not in told]
    return owed[:_MOST]


def _key(sent_id: UUID, state: str) -> str:
    waits = state == BudgetRequest.State.WAITING
    return f"budget_request:{sent_id}:{'asked' if waits else 'answered'}"


def _happening(sent: BudgetRequest) -> Happening:
    about = {"budget_request": str(sent.pk), "dataset": sent.dataset.name}
    if sent.is_waiting:
        owners = people_having(sent.tenant_id, Role.OWNER) - {sent.asked_by_id}
        return _told(sent, Kind.REQUEST, owners, about, sent.asked_at)
    people = frozenset({sent.asked_by_id})
    at = sent.answered_at or sent.asked_at
    return _told(sent, Kind.DECISION, people, about | {"state": sent.state}, at)


def _told(
    sent: BudgetRequest,
    kind: Kind,
    people: frozenset[UUID],
    detail: dict[str, str],
    due_at: datetime,
) -> Happening:
    return Happening(
        _key(sent.pk, sent.state), kind, due_at, people, detail, dataset=sent.dataset_id
    )
