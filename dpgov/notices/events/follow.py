"""Follows one tenant's audit log and ledger, and turns what is new into events.

The cursor moves in the transaction that writes the events, so a crash repeats a stretch and never
skips one; an event that is there already is not told again. Must never hold up those who write the
log: it only reads what they have committed, in short stretches.

The log says nothing of a file that was refused: what became of files that somebody asked to have
registered is read off the arrivals, and told to them and to nobody else; and what became of
requests for budget off their rows.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from uuid import UUID

import structlog
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from dpgov.audit.selectors import log_size, stream
from dpgov.datasets.models import Arrival
from dpgov.notices.events.budget_requests import budget_requests
from dpgov.notices.events.happenings import Entry, happening_of
from dpgov.notices.events.levels import OWN, SHARED, reached
from dpgov.notices.events.routine import alarms, ended_months
from dpgov.notices.events.telling import NEWS, Happening, tell, told_before
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Cursor
from dpgov.operation import clock
from dpgov.operation.clock import Now

_MOST = 200


def registrations(tenant_id: UUID) -> Iterator[Happening]:
    """What to tell about the tenant's files that were read or given up lately."""
    ended = list(_ended(tenant_id)[:_MOST])
    told = told_before(tenant_id, map(_key, ended))
    return (_happening(arrival) for arrival in ended if _key(arrival) not in told)


def _ended(tenant_id: UUID) -> QuerySet[Arrival]:
    rows = Arrival.objects.filter(
        tenant_id=tenant_id,
        state__in=[Arrival.State.DONE, Arrival.State.REFUSED],
        ended_at__gt=Now() - NEWS,
    )
    return rows.select_related("upload", "dataset").order_by("-ended_at")


def _key(arrival: Arrival) -> str:
    return f"arrival:{arrival.pk}"


def _happening(arrival: Arrival) -> Happening:
    detail: dict[str, str] = {"state": arrival.state}
    if arrival.upload is None:
        detail["arrival"] = str(arrival.pk)
    else:
        detail |= {"file": arrival.upload.original_name, "upload": str(arrival.upload_id)}
    if arrival.dataset is not None:
        detail["dataset"] = arrival.dataset.name
    return Happening(
        key=_key(arrival),
        kind=Kind.REGISTRATION,
        due_at=arrival.ended_at or arrival.asked_at,
        people=frozenset({arrival.asked_by_id}),
        detail=detail,
        personal=True,
        dataset=arrival.dataset_id,
    )


_STRETCH = 500
_log = structlog.get_logger("dpgov.notices")


def follow(tenant_id: UUID) -> int:
    """Tell what is new in the tenant's log and ledger; returns how many events that made."""
    told, before = 0, -1
    while before < (so_far := _read_up_to(tenant_id)) < log_size(tenant_id):
        told, before = told + _follow_stretch(tenant_id), so_far
    if so_far == before:
        # Entries are missing that the head counts: the verifier says so, and others get their turn.
        _log.error("a log cannot be followed", tenant=str(tenant_id), upto=so_far)
    told += _tell_all(tenant_id, registrations(tenant_id))
    told += _tell_all(tenant_id, budget_requests(tenant_id))
    told += _tell_all(tenant_id, reached(tenant_id, SHARED, clock.now()))
    told += _tell_all(tenant_id, ended_months(tenant_id, clock.now()))
    return told + _tell_all(tenant_id, alarms(tenant_id))


def _read_up_to(tenant_id: UUID) -> int:
    rows = Cursor.objects.filter(tenant_id=tenant_id)
    return rows.values_list("sequence", flat=True).first() or 0


@transaction.atomic
def _follow_stretch(tenant_id: UUID) -> int:
    Cursor.objects.get_or_create(tenant_id=tenant_id)
    cursor = Cursor.objects.select_for_update().get(tenant_id=tenant_id)
    entries = stream(tenant_id, upto=log_size(tenant_id), after=cursor.sequence)
    told = 0
    for entry in islice(entries, _STRETCH):
        happening = _understood(entry)
        told += happening is not None and tell(tenant_id, happening)
        cursor.sequence = entry["sequence"]
    # Together with the cursor: a level must not wait for the log to move once more.
    told += _tell_all(tenant_id, reached(tenant_id, OWN, clock.now()))
    cursor.save(update_fields=["sequence"])
    return told


def _understood(entry: Entry) -> Happening | None:
    """An entry that cannot be understood tells nobody, and stands in nobody's way."""
    try:
        return happening_of(entry)
    except (ValueError, KeyError, ValidationError) as error:
        _log.warning("an entry tells nobody", action=entry["action"], kind=type(error).__name__)
        return None


def _tell_all(tenant_id: UUID, happenings: Iterable[Happening]) -> int:
    return sum(tell(tenant_id, happening) for happening in list(happenings))
