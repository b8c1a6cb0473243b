"""Requests for budget, as they stand in their rows: who is told that one waits, and its answer.

A granted request has no entry of its own in the log (the allocation and the permit have), so it is
read off the rows. Those for the approval of one question are told from the log.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q

from dpgov.notices.events.telling import Happening
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Event
from dpgov.operation.clock import Now
from dpgov.queries.models import BudgetRequest
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.roles import having

# A sweeper that was away for longer tells no old news.
_NEWS = timedelta(days=7)
_MOST = 200
_UNTOLD = (BudgetRequest.State.WITHDRAWN,)


def budget_requests(tenant_id: UUID) -> Iterator[Happening]:
    """What to tell about those that were sent or answered lately and is not told yet."""
    since = Now() - _NEWS
    rows = BudgetRequest.objects.filter(
        Q(asked_at__gt=since) | Q(answered_at__gt=since), tenant_id=tenant_id
    )
    others = rows.exclude(about=BudgetRequest.About.QUESTION).exclude(state__in=_UNTOLD)
    found = list(others.select_related("dataset").order_by("-asked_at")[:_MOST])
    told = Event.objects.filter(tenant_id=tenant_id, key__in=map(_key, found))
    known = set(told.values_list("key", flat=True))
    return (_happening(sent) for sent in found if _key(sent) not in known)


def _key(sent: BudgetRequest) -> str:
    return f"budget_request:{sent.pk}:{'asked' if sent.is_waiting else 'answered'}"


def _happening(sent: BudgetRequest) -> Happening:
    about = {"budget_request": str(sent.pk), "dataset": sent.dataset.name}
    if sent.is_waiting:
        return _told(sent, Kind.REQUEST, _owners(sent), about, sent.asked_at)
    people = frozenset({sent.asked_by_id})
    at = sent.answered_at or sent.asked_at
    return _told(sent, Kind.DECISION, people, about | {"state": sent.state}, at)


def _owners(sent: BudgetRequest) -> frozenset[UUID]:
    members = Membership.objects.filter(having(Role.OWNER), tenant_id=sent.tenant_id)
    return frozenset(members.values_list("user_id", flat=True)) - {sent.asked_by_id}


def _told(
    sent: BudgetRequest,
    kind: Kind,
    people: frozenset[UUID],
    detail: dict[str, str],
    due_at: datetime,
) -> Happening:
    return Happening(_key(sent), kind, due_at, people, detail, dataset=sent.dataset_id)
