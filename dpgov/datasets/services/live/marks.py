"""By what a live table is recognised when somebody registers it, or what it reads, again.

The server, the database and the number of each relation, and what the table is called there. Each
is hashed with the installation's key. It says that a table is the same, never that rows are.
"""

import hashlib
from collections.abc import Collection

from django.conf import settings
from django.db import connection

from dpgov.datasets.crossing import is_marked_elsewhere
from dpgov.datasets.models import Dataset, LiveMark, LiveTable
from dpgov.engines.likeness import Likeness
from dpgov.engines.postgres.checking import Known

Marks = dict[str, bool]
# The class of advisory locks of PostgreSQL under which live tables are compared and stored.
_LOCK = 0x64706C


def marks_of(live: LiveTable, known: Known) -> Marks:
    """Each mark, and whether it is of the table itself."""
    server = known.system or live.address
    itself, *read = known.relations
    names = {
        f"{server}/{itself}": True,
        f"{live.address}/{live.database}/{live.name}": True,
        **{f"{server}/{relation}": False for relation in read},
    }
    return {_hashed(name): is_itself for name, is_itself in names.items()}


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
    return is_marked_elsewhere(sorted(marks), live.pk)


def keep_marks(live: LiveTable, marks: Marks) -> None:
    """Store those that are new, in the caller's transaction."""
    kept = set(live.marks.values_list("mark", flat=True))
    LiveMark.objects.bulk_create(
        LiveMark(tenant_id=live.tenant_id, live=live, mark=mark, is_itself=is_itself)
        for mark, is_itself in marks.items()
        if mark not in kept
    )


def same_tables(dataset: Dataset) -> list[tuple[Dataset, Likeness]]:
    """The tenant's other datasets over the same table, or over what it reads; oldest first."""
    if dataset.live_id is None:
        return []
    own = dict(LiveMark.objects.filter(live=dataset.live_id).values_list("mark", "is_itself"))
    shared = LiveMark.objects.filter(mark__in=own, live__dataset__tenant=dataset.tenant_id)
    shared = shared.exclude(
        live__dataset__held_at__isnull=False, live__dataset__archived_at__isnull=False
    )
    found: dict[Dataset, Likeness] = {}
    for other in shared.exclude(live=dataset.live_id).select_related("live__dataset"):
        whole = other.is_itself and own[other.mark]
        if whole or other.live.dataset not in found:
            found[other.live.dataset] = Likeness.EXACT if whole else Likeness.ROWS
    return sorted(found.items(), key=lambda one: one[0].created_at)
