"""What two persons decided in a month, with names and reasons, and what proves the log of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from django.db.models import Case, Count, F, Q, When, Window

from dpgov.approvals.kinds import title_of
from dpgov.approvals.models import ChangeRequest
from dpgov.audit.selectors import checkpoints_of
from dpgov.tenants.models import User

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
_ENDED = sorted(set(ChangeRequest.State.values) - {ChangeRequest.State.WAITING})


def decided_in(tenant_id: UUID, span: Span) -> tuple[list[ChangeRequest], dict[str, int]]:
    """The decisions of a span and how many ended in each way, in one statement.

    The earliest first, and the first two hundred of them; all of them are counted.
    """
    begin, end = span
    found = ChangeRequest.objects.filter(tenant_id=tenant_id, decided_at__gte=begin)
    counts = {state: Window(Count("pk", filter=Q(state=state))) for state in _ENDED}
    within = found.filter(decided_at__lt=end).annotate(**counts).order_by("decided_at")
    decided = list(within.defer("requested_at", "outcome")[:_MOST_DECISIONS])
    numbers = {state: getattr(decided[0], state) for state in _ENDED} if decided else {}
    labels = ChangeRequest.State
    return decided, {str(labels(state).label): n for state, n in numbers.items() if n}


def people_of(requests: Iterable[ChangeRequest]) -> set[UUID]:
    """Who asked for them and who decided them, by id."""
    people = ((one.requested_by_id, one.decided_by_id) for one in requests)
    return {person for both in people for person in both if person is not None}


def in_names(request: ChangeRequest, people: Mapping[UUID, User]) -> Decided:
    """With the names that these people have."""
    decided_at = request.decided_at or request.requested_at
    by = request.decided_by_id
    return Decided(
        day=decided_at.astimezone(UTC).date(),
        title=title_of(request),
        dataset=request.dataset,
        outcome=str(ChangeRequest.State(request.state).label),
        asked_by=str(people[request.requested_by_id]),
        reason=request.reason,
        decided_by=str(people[by]) if by else "–",
        answer=request.decision_reason,
    )


def proof_of(tenant_id: UUID, end: datetime) -> Proof | None:
    """The first checkpoint after the month; as long as there is none, the newest."""
    covering = Case(When(at__gte=end, then=F("size")), default=None)
    signed = checkpoints_of(tenant_id).annotate(covering=covering)
    found = signed.order_by(F("covering").asc(nulls_last=True), "-size").first()
    if found is None:
        return None
    return Proof(found.size, bytes(found.root).hex(), found.at, found.at >= end)
