"""What two persons decided in a month, with names and reasons, and what proves the log of it."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from django.db.models import Count, QuerySet

from dpgov.approvals.kinds import title_of
from dpgov.approvals.models import ChangeRequest
from dpgov.audit.selectors import checkpoints_of

Span = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Decided:
    """A request that two persons decided: what, who asked and why, who decided, how and why."""

    day: date
    title: str
    dataset: str
    outcome: str
    asked_by: str
    reason: str
    decided_by: str
    answer: str


@dataclass(frozen=True, slots=True)
class Proof:
    """The checkpoint that covers the month, or the newest there is: its size and root."""

    size: int
    root: str
    at: datetime
    covers: bool


_MOST_DECISIONS = 200


def decided_in(tenant_id: UUID, span: Span) -> tuple[Decided, ...]:
    """The decisions of a span, the earliest first; the first two hundred of them."""
    found = _of(tenant_id, span).select_related("requested_by", "decided_by")
    return tuple(_in_names(one) for one in found.order_by("decided_at")[:_MOST_DECISIONS])


def decisions(tenant_id: UUID, span: Span) -> dict[str, int]:
    """How many ended in each way."""
    counts = dict(_of(tenant_id, span).values_list("state").annotate(number=Count("pk")))
    states = ChangeRequest.State
    return {str(states(state).label): number for state, number in sorted(counts.items())}


def _of(tenant_id: UUID, span: Span) -> QuerySet[ChangeRequest]:
    begin, end = span
    found = ChangeRequest.objects.filter(tenant_id=tenant_id, decided_at__gte=begin)
    return found.filter(decided_at__lt=end).order_by()


def _in_names(request: ChangeRequest) -> Decided:
    decided_at = request.decided_at or request.requested_at
    return Decided(
        day=decided_at.astimezone(UTC).date(),
        title=title_of(request),
        dataset=request.dataset,
        outcome=str(ChangeRequest.State(request.state).label),
        asked_by=str(request.requested_by),
        reason=request.reason,
        decided_by=str(request.decided_by or "–"),
        answer=request.decision_reason,
    )


def proof_of(tenant_id: UUID, end: datetime) -> Proof | None:
    """The first checkpoint after the month; as long as there is none, the newest."""
    signed = checkpoints_of(tenant_id)
    first = signed.filter(at__gte=end).order_by("size").first()
    found = first or signed.first()
    if found is None:
        return None
    return Proof(found.size, bytes(found.root).hex(), found.at, first is not None)
