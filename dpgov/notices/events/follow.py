"""Follows one tenant's audit log and ledger, and turns what is new into events.

The cursor moves in the transaction that writes the events, so a crash repeats a stretch and never
skips one; an event that is there already is not told again. Must never hold up those who write the
log: it only reads what they have committed, in short stretches.
"""

from collections.abc import Iterable
from itertools import islice
from uuid import UUID

import structlog
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from dpgov.audit.selectors import log_size, stream
from dpgov.notices.events.alarms import alarms
from dpgov.notices.events.happenings import Entry, happening_of
from dpgov.notices.events.levels import OWN, SHARED, reached
from dpgov.notices.events.registrations import registrations
from dpgov.notices.events.telling import Happening, tell
from dpgov.notices.models import Cursor

_STRETCH = 500
_log = structlog.get_logger("dpgov.notices")


def follow(tenant_id: UUID) -> int:
    """Tell what is new in the tenant's log and ledger; returns how many events that made."""
    told = 0
    while _read_up_to(tenant_id) < log_size(tenant_id):
        told += _follow_stretch(tenant_id)
    told += _tell_all(tenant_id, registrations(tenant_id))
    told += _tell_all(tenant_id, reached(tenant_id, SHARED, timezone.now()))
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
    told += _tell_all(tenant_id, reached(tenant_id, OWN, timezone.now()))
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
