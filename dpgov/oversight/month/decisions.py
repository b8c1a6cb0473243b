"""What two persons decided in a month, with names and reasons, and what proves the log of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
    """A request that two persons decided, said when it is read: a page shows a few of hundreds."""

    request: ChangeRequest
    people: Mapping[UUID, User] = field(repr=False)

    @property
    def day(self) -> date:
        """When it was decided, in UTC."""
        at = self.request.decided_at or self.request.requested_at
        return at.astimezone(UTC).date()

    @property
    def title(self) -> str:
        """What was asked for."""
        return title_of(self.request)

    @property
    def outcome(self) -> str:
        """How it was decided."""
        return str(ChangeRequest.State(self.request.state).label)

    @property
    def asked_by(self) -> str:
        """The name of the first person."""
        return str(self.people[self.request.requested_by_id])

    @property
    def reason(self) -> str:
        """Why they asked."""
        return self.request.reason

    @property
    def decided_by(self) -> str:
        """The name of the second person; a dash where nobody decided."""
        by = self.request.decided_by_id
        return str(self.people[by]) if by else "–"

    @property
    def answer(self) -> str:
        """Why it was decided so."""
        return self.request.decision_reason


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


def proof_of(tenant_id: UUID, end: datetime) -> Proof | None:
    """The first checkpoint after the month; as long as there is none, the newest."""
    covering = Case(When(at__gte=end, then=F("size")), default=None)
    signed = checkpoints_of(tenant_id).annotate(covering=covering)
    found = signed.order_by(F("covering").asc(nulls_last=True), "-size").first()
    if found is None:
        return None
    return Proof(found.size, bytes(found.root).hex(), found.at, found.at >= end)
