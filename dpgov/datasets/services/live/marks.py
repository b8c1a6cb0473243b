"""By what a live table is recognised when somebody registers it, or what it reads, again.

Its kind names it, and what it reads or lies in; each name is hashed with the installation's key. It
says that a table is the same, never that rows are.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

from django.conf import settings
from django.db import IntegrityError, connection, transaction

from dpgov.datasets.crossing import marked_elsewhere
from dpgov.datasets.discarded import discarded
from dpgov.datasets.models import Dataset, LiveMark, LiveTable
from dpgov.datasets.services.fingerprint_key import recognising_key
from dpgov.datasets.services.live.kinds import kind_of
from dpgov.datasets.services.live.kinds.base import SourceNames
from dpgov.datasets.services.live.refusals import AT_THIS_MOMENT, RefusedTable
from dpgov.engines.likeness import Likeness

# The class of advisory locks of PostgreSQL under which live tables are compared and stored.
_LOCK = 0x64706C


@dataclass(frozen=True, slots=True)
class Marks:
    """Names of a table, hashed: the one that it claims, those kept of it, those it is sought by."""

    claim: str
    kept: dict[str, bool]
    sought: frozenset[str]


def marks_of(names: SourceNames) -> Marks:
    """What is stored and compared of these names; raises FingerprintKeyChanged."""
    recognising_key()
    kept = {_hashed(name): is_itself for name, is_itself in names.kept.items()}
    return Marks(_hashed(names.claim), kept, frozenset(map(_hashed, names.sought)))


def _hashed(name: str) -> str:
    key = settings.DPGOV_FINGERPRINT_KEY
    return hashlib.blake2b(f"live table {name}".encode(), key=key, digest_size=16).hexdigest()


def one_table_at_a_time() -> None:
    """Nobody else's live table is compared or stored before the transaction ends.

    Of two that register the same one at once, the second sees the first.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [_LOCK])


def is_known(live: LiveTable, marks: Collection[str]) -> bool:
    """Whether another live table of this installation has one of these marks."""
    return bool(marked_elsewhere(sorted(marks), live.pk, with_sharing=True))


def is_anothers(live: LiveTable, marks: Collection[str]) -> bool:
    """Whether one has that shares no budget with this one: what people lose is counted twice."""
    return bool(marked_elsewhere(sorted(marks), live.pk, with_sharing=False))


def claim_table(live: LiveTable, marks: Marks) -> None:
    """The one open budget over this table is this one's, in the caller's transaction.

    The database lets nobody else have it, not even who has not seen this one. Raises RefusedTable.
    """
    live.claim = marks.claim
    try:
        with transaction.atomic():
            live.save(update_fields=["claim"])
    except IntegrityError:
        raise RefusedTable(AT_THIS_MOMENT) from None


def new_among(live: LiveTable, marks: Marks) -> frozenset[str]:
    """Those that are not kept of this table yet."""
    return frozenset(marks.kept).difference(live.marks.values_list("mark", flat=True))


def keep_marks(live: LiveTable, marks: Marks, *, own_alone: bool = False) -> None:
    """Store those that are new, in the caller's transaction; `own_alone`: that nobody else has."""
    new = new_among(live, marks)
    if own_alone:
        new -= marked_elsewhere(sorted(new), live.pk, with_sharing=True)
    LiveMark.objects.bulk_create(
        LiveMark(tenant_id=live.tenant_id, live=live, mark=mark, is_itself=marks.kept[mark])
        for mark in sorted(new)
    )


def same_tables(dataset: Dataset) -> list[tuple[Dataset, Likeness]]:
    """The tenant's other datasets over the same table, or over what it reads; oldest first."""
    live = dataset.live
    if live is None:
        return []
    own = dict(live.marks.values_list("mark", "is_itself"))
    names = kind_of(live).sought(live)
    sought = own if names is None else set(map(_hashed, names))
    shared = LiveMark.objects.filter(mark__in=sought, live__dataset__tenant=dataset.tenant_id)
    shared = shared.exclude(discarded("live__dataset__"))
    found: dict[Dataset, Likeness] = {}
    for other in shared.exclude(live=live).select_related("live__dataset"):
        whole = other.is_itself and own.get(other.mark, False)
        if whole or other.live.dataset not in found:
            found[other.live.dataset] = Likeness.EXACT if whole else Likeness.ROWS
    return sorted(found.items(), key=lambda one: one[0].created_at)
