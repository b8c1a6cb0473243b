"""Whose turn it is: which waiting question a worker takes next, and how many wait.

Among tenants the one with the fewest questions at work comes first, then the one whose last turn
is longest ago; within a tenant the oldest question. Turns are counted, not timed, so that no clock
matters. What is asked across tenants is asked through gates; on SQLite of the models.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Count, Max, Min, Q

from dpgov.queries.answering.lease import free
from dpgov.queries.clock import database_now
from dpgov.queries.models import Query
from dpgov.tenants.crossing import through_gate


@dataclass(frozen=True, slots=True)
class Turn:
    """The question that comes next, its tenant, and the number of this turn."""

    tenant_id: UUID
    query_id: UUID
    number: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many questions of a lane could be taken now, and since when the oldest waits."""

    number: int = 0
    oldest: datetime | None = None


def next_turn(*, light_only: bool = False, unseen: frozenset[UUID] = frozenset()) -> Turn | None:
    """The question that comes next, locked until the caller's transaction ends; None if none waits.

    Questions about the versions `unseen` are passed over, and those that another worker looks at.
    """
    if connection.vendor == "postgresql":
        rows = through_gate(
            "SELECT tenant_id, query_id, turn FROM queries_next(%s, %s, %s::uuid[])",
            settings.DPGOV_QUERY_ATTEMPTS,
            light_only,
            list(unseen),
        )
        return Turn(*rows[0]) if rows else None
    return _next_of_models(light_only, unseen)


def _next_of_models(light_only: bool, unseen: frozenset[UUID]) -> Turn | None:
    now = database_now()
    waiting = free(now).exclude(version_id__in=unseen).order_by()
    if light_only:
        waiting = waiting.filter(heavy=False)
    oldest = dict(waiting.values_list("tenant_id").annotate(Min("submitted_at")))
    if not oldest:
        return None
    everything = Query.objects.order_by()
    counted = everything.filter(tenant_id__in=oldest).values("tenant_id")
    at_work = Q(state=Query.State.RUNNING, lease_until__gte=now)
    standing = counted.annotate(working=Count("pk", filter=at_work), last=Max("turn"))
    first = min(standing, key=lambda of: (of["working"], of["last"], oldest[of["tenant_id"]]))[
        "tenant_id"
    ]
    query_id = waiting.filter(tenant_id=first).order_by("submitted_at").values_list("pk", flat=True)
    latest = everything.aggregate(latest=Max("turn"))["latest"] or 0
    return Turn(first, query_id[:1].get(), latest + 1)


def version_asked(query_id: UUID) -> tuple[UUID, str, str | None]:
    """The version that a question of the acting tenant is about, its seal and its key's name."""
    known = ("version_id", "version__file_seal", "version__fingerprint__key_id")
    version_id, seal, key_id = Query.objects.values_list(*known).get(pk=query_id)
    return version_id, seal, key_id


def waiting_by_lane() -> dict[bool, Waiting]:
    """What could be taken now, over all tenants: of the light lane (False) and the heavy (True)."""
    if connection.vendor == "postgresql":
        rows = through_gate(
            "SELECT heavy, number, oldest FROM queries_waiting(%s)", settings.DPGOV_QUERY_ATTEMPTS
        )
    else:
        lanes = free(database_now()).order_by().values_list("heavy")
        rows = list(lanes.annotate(number=Count("pk"), oldest=Min("submitted_at")))
    found = {heavy: Waiting(number, oldest) for heavy, number, oldest in rows}
    return {lane: found.get(lane, Waiting()) for lane in (False, True)}


def number_waiting() -> int:
    """How many questions of all tenants a worker could take now."""
    return sum(lane.number for lane in waiting_by_lane().values())
