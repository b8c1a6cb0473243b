"""Requests for budget, as they stand in their rows: who is told that one waits, and its answer.

A granted request has no entry of its own in the log (the allocation and the permit have), so it is
read off the rows. Those for the approval of one question are told from the log.
"""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from django.db.models import Q

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
    found = list(others.select_related("dataset").order_by("-asked_at")[:_MOST])
    known = told_before(tenant_id, map(_key, found))
    return (_happening(sent) for sent in found if _key(sent) not in known)


def _key(sent: BudgetRequest) -> str:
    return f"budget_request:{sent.pk}:{'asked' if sent.is_waiting else 'answered'}"


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
    return Happening(_key(sent), kind, due_at, people, detail, dataset=sent.dataset_id)
