"""Who works on a query: a lease with a fencing token.

A worker that was away too long finds its fence outdated and can settle nothing.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from dpgov.budgets.services.freezing import confirm_place
from dpgov.datasets.models import Dataset, DerivedFrom
from dpgov.operation.clock import Now, database_now
from dpgov.operation.prepared import Change, Prepared, PreparedChange
from dpgov.queries.models import Query

UNFINISHED = (Query.State.QUEUED, Query.State.RUNNING)


def _is_set(path: str, *moments: str) -> Q:
    return reduce(or_, (Q(**{f"{path}{name}__isnull": False}) for name in moments))


def _frozen(path: str = "") -> Q:
    return _is_set(path, "budget__frozen_at")


def _stopped(path: str = "") -> Q:
    return _frozen(path) | _is_set(path, "held_at", "paused_at")


def _gone(path: str = "") -> Q:
    return _is_set(path, "archived_at") & _is_set(path, "held_at", "paused_at")


def _itself_or_a_parent(which: Callable[[str], Q]) -> QuerySet[Dataset]:
    """Of a question: its dataset, where that or one of its parents is such."""
    such_parent = DerivedFrom.objects.filter(which("parent__"), dataset=OuterRef("pk"))
    asked_about = Dataset.objects.filter(pk=OuterRef("dataset_id"))
    return asked_about.filter(which("") | Q(Exists(such_parent)))


# A derived dataset stands still as long as one of its parents does.
STOPPED = _itself_or_a_parent(_stopped)
# What was archived while it was held or paused stays so: no decision lets its questions go on.
GONE = _itself_or_a_parent(_gone)
# What a backup lacks may have been charged before, so that a frozen budget waits for an officer.
FROZEN = _itself_or_a_parent(_frozen)
ENDS_UNANSWERED = Q(Exists(GONE)) & ~Q(Exists(FROZEN))


class LostLease(Exception):
    """Another worker holds the query now, or it has ended."""


class Stopped(Exception):
    """Since it was taken its dataset was frozen, held or paused: its data stays closed.

    Where it was opened before and is frozen now, nothing of what was found is kept.
    """


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to answer one query until the lease ends.

    Taken at `at` by the database's clock. What passes from then on is told by this process's own
    steady clock, `began`, which nobody sets.
    """

    query: Query
    fence: int
    at: datetime
    began: float

    def passed(self) -> timedelta:
        """How long ago it was taken."""
        return timedelta(seconds=time.monotonic() - self.began)


def free(now: datetime) -> QuerySet[Query]:
    """Questions that a worker may take: they wait, or their last worker's lease is over.

    None of a dataset that is frozen or held: after a restore it may have been answered already, in
    what the backup does not know; nor of one that is paused. The gate `queries_next` says the same.
    """
    return _free(now, settings.DPGOV_QUERY_ATTEMPTS)


def _free(now: datetime, attempts: int) -> QuerySet[Query]:
    return Query.objects.filter(
        Q(state=Query.State.QUEUED) | Q(state=Query.State.RUNNING, lease_until__lt=now),
        ~Exists(STOPPED),
        attempts__lt=attempts,
    )


@transaction.atomic
def claim(query_id: UUID, *, turn: int | None = None) -> Claim | None:
    """Take the query if it is free, as this turn of its tenant; None otherwise.

    Raises BudgetFrozen in a database that moved.
    """
    confirm_place()
    now = database_now()
    until = now + timedelta(seconds=settings.DPGOV_LEASE_SECONDS)
    attempts, in_turn = settings.DPGOV_QUERY_ATTEMPTS, turn is not None
    if not _take(query_id, now, until, attempts, turn or 0, in_turn=in_turn):
        return None
    (query,) = _taken(query_id)
    return Claim(query, query.fence, now, time.monotonic())


@PreparedChange
def _take(
    query_id: UUID, now: datetime, until: datetime, attempts: int, turn: int, *, in_turn: bool
) -> Change:
    return _free(now, attempts).filter(pk=query_id), {
        "state": Query.State.RUNNING,
        "fence": F("fence") + 1,
        "attempts": F("attempts") + 1,
        "lease_until": until,
        "turn": turn if in_turn else F("turn"),
        # Should this worker vanish, the next one is woken at once.
        "sends": 0,
        "send_after": None,
    }


@Prepared
def _taken(query_id: UUID) -> QuerySet[Query]:
    whole = Query.objects.select_related("version__dataset__budget", "dataset__budget")
    return whole.filter(pk=query_id)


def give_back(claim: Claim) -> None:
    """As if it had not been taken: the question waits for another worker, no attempt is counted."""
    held = _running(claim.query.pk, claim.fence)
    held.update(state=Query.State.QUEUED, attempts=F("attempts") - 1, lease_until=None)


def mark_opened(claim: Claim) -> bool:
    """Commit that the data is about to be opened: from here on a failure is charged.

    True if no earlier worker has come this far, so that nobody can have read the data before.
    Must run outside any transaction. Raises LostLease when the claim is no longer good, and Stopped
    when nothing of this dataset may be opened now.
    """
    if _open(claim.query.pk, claim.fence):
        return True
    held = _running(claim.query.pk, claim.fence)
    if not held.exists():
        raise LostLease(claim.query.pk)
    # Also where it was stopped a moment ago and is not any more: nothing is read unmarked.
    if held.filter(Exists(STOPPED) | Q(opened_at__isnull=True)).exists():
        raise Stopped(claim.query.pk)
    return False


@PreparedChange
def _open(query_id: UUID, fence: int) -> Change:
    openable = _running(query_id, fence).filter(~Exists(STOPPED), opened_at__isnull=True)
    return openable, {"opened_at": Now()}


def _running(query_id: UUID, fence: int) -> QuerySet[Query]:
    return Query.objects.filter(pk=query_id, fence=fence, state=Query.State.RUNNING)


def is_frozen(query: Query) -> bool:
    """Whether its dataset or a parent waits for an officer, so that its hold stays as it is."""
    return Query.objects.filter(Exists(FROZEN), pk=query.pk).exists()


def is_gone(query: Query) -> bool:
    """Whether the answer stays unseen: its dataset was archived while it was held or paused.

    Charged like any failure, because the data was read for it.
    """
    return bool(_of_what_is_gone(query.pk))


@Prepared
def _of_what_is_gone(query_id: UUID) -> QuerySet[Query, Any]:
    return Query.objects.filter(Exists(GONE), pk=query_id).values_list("pk")


def end(query_id: UUID, fence: int, state: Query.State, **changes: object) -> None:
    """Move the query out of all workers' hands if the fence is current; LostLease otherwise."""
    if not _unfinished(query_id, fence).update(state=state, lease_until=None, **changes):
        raise LostLease(query_id)


@dataclass(frozen=True, slots=True)
class Found:
    """What a worker came to, with the moment at which it appears and the doublings it owes."""

    outcome: Query.Outcome
    text: str
    due_at: datetime
    doublings_owed: int = 0


def seal(query_id: UUID, fence: int, found: Found) -> None:
    """Keep in the row what was found, until it is due, if the fence is current.

    Raises LostLease otherwise, and Stopped while it is frozen: it may have been answered in what
    the backup lacks, and an officer says first whether it is answered here. What is sealed in the
    moment of the freeze comes before it; the database itself asks again (`guard_sealing`).
    """
    what = (str(found.outcome), found.text, found.due_at, found.doublings_owed)
    try:
        with transaction.atomic():
            if _keep(query_id, fence, *what):
                return
    except IntegrityError:
        # The freeze may have come between the statement's own look and the guard's.
        if not _unfinished(query_id, fence).filter(Exists(FROZEN)).exists():
            raise
    if not _unfinished(query_id, fence).exists():
        raise LostLease(query_id)
    raise Stopped(query_id)


@PreparedChange
def _keep(
    query_id: UUID, fence: int, outcome: str, text: str, due_at: datetime, doublings_owed: int
) -> Change:
    return _unfinished(query_id, fence).filter(~Exists(FROZEN)), {
        "state": Query.State.SEALED,
        "lease_until": None,
        "outcome": outcome,
        "sealed_text": text,
        "due_at": due_at,
        "doublings_owed": doublings_owed,
    }


def _unfinished(query_id: UUID, fence: int) -> QuerySet[Query]:
    return Query.objects.filter(pk=query_id, fence=fence, state__in=UNFINISHED)
