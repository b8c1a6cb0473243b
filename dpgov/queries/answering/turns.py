"""Whose turn it is: which waiting question a worker takes next, and how many wait.

Among tenants the one with the fewest questions at work comes first, then the one whose last turn is
longest ago; within a tenant the oldest question. Turns are counted, not timed, so that no clock
matters. What is asked across tenants is asked through doors; on SQLite of the models.

Light and heavy questions are told apart by what their plan costs in public, never by data or by how
long anything took: a worker of several processes keeps one of them for light questions, so that
nobody's long scan stands before everybody's short ones.
"""

import fcntl
import os
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Count, Max, Min, Q

from dpgov.operation.clock import database_now
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.duration import longest_microseconds
from dpgov.queries.answering.lease import free
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
    """The version that a question of the acting tenant is about, its seal and its key's name.

    No seal where its data was deleted: a copy that is still somewhere answers nothing.
    """
    gone = ("version__data_deleted_at", "version__dataset__data_deleted_at")
    known = ("version_id", "version__file_seal", "version__fingerprint__key_id")
    version_id, seal, key_id, *deleted = Query.objects.values_list(*known, *gone).get(pk=query_id)
    return version_id, "" if any(deleted) else seal, key_id


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


# The model's bound is at least twice the truth, so that this is about a second.
_LIGHTEST_HEAVY_MICROSECONDS = 2_000_000


def is_heavy(blueprint: Blueprint) -> bool:
    """Whether the plan may take about a second or more, by declared numbers alone.

    Tables that are chosen adaptively always are: fits stand beside nobody's short questions. So are
    live tables: somebody else's server may take its time.
    """
    if blueprint.chooses is not None or blueprint.schema.is_live:
        return True
    return longest_microseconds(blueprint) >= _LIGHTEST_HEAVY_MICROSECONDS


class HeavyPlaces:
    """How many processes of this worker may be at a heavy question at once: all but one.

    A place is a lock on a byte of a file without a name, which children inherit. The kernel takes
    it back from a process that dies, however it does.
    """

    _file: ClassVar[int | None] = None
    _places: ClassVar[int] = 0

    @classmethod
    def open(cls, processes: int) -> None:
        """Called by a worker before it makes its processes; one that is alone does everything."""
        cls._file = os.memfd_create("dpgov-heavy-places")
        cls._places = max(1, processes - 1)

    @classmethod
    def enter(cls) -> bool:
        """Take a place, if there is one; where no worker counted, there always is."""
        return cls._file is None or any(cls._take(cls._file, n) for n in range(cls._places))

    @classmethod
    def leave(cls) -> None:
        """Give back what this process took, if it took any."""
        if cls._file is not None:
            fcntl.lockf(cls._file, fcntl.LOCK_UN, cls._places, 0)

    @staticmethod
    def _take(file: int, place: int) -> bool:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except OSError:
            return False
        return True
