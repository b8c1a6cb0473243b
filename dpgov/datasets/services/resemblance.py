"""Which earlier data has the same people as a new file, in the whole installation.

The only place that compares data across tenants. Its answer never says more about another tenant
than that there is such data; the caller may show that to officers, never to owners or analysts.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from django.conf import settings
from django.db import connection

from dpgov.datasets.crossing import StoredPart, parts_like
from dpgov.datasets.models import FingerprintPart
from dpgov.engines.fingerprint import Part, TableFingerprint
from dpgov.engines.likeness import Likeness, likeness

# By how many of its smallest hashes a part is found again.
_MARKS_OF_ROWS, _MARKS_OF_COLUMN = 64, 16
# The advisory lock of PostgreSQL under which fingerprints are compared and stored.
_LOCK = 0x64706701


@dataclass(frozen=True, slots=True)
class Match:
    """Earlier data with the same people; `dataset_id` only if it is the asking tenant's own."""

    fingerprint_id: int
    dataset_id: UUID | None
    likeness: Likeness


def one_at_a_time() -> None:
    """Nobody else compares or stores fingerprints before this transaction has ended.

    Two files that arrive together, of whatever tenants, would otherwise both be the first one.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def matches(tenant_id: UUID, fingerprint: TableFingerprint) -> list[Match]:
    """Everything earlier with the same people, oldest first; discarded datasets left out."""
    marks = sorted(set(_all_marks(fingerprint)))
    stored = parts_like(tenant_id, fingerprint.whole, marks)
    found = []
    for (number, dataset_id), parts in groupby(stored, lambda part: part[:2]):
        how = likeness(fingerprint, assembled(list(parts)))
        if how is not Likeness.NONE:
            found.append(Match(number, dataset_id, how))
    return found


def key_id() -> str:
    """Names the secret of the installation without telling it."""
    key = settings.DPGOV_FINGERPRINT_KEY
    return hashlib.blake2b(b"id", key=key, digest_size=8).hexdigest()


def _all_marks(fingerprint: TableFingerprint) -> Iterator[int]:
    if fingerprint.rows is not None:
        yield from marks_of(fingerprint.rows, is_rows=True)
    for part in fingerprint.columns:
        yield from marks_of(part, is_rows=False)


def marks_of(part: Part, *, is_rows: bool) -> list[int]:
    """The smallest hashes, as the database can hold them."""
    kept = part.hashes[: _MARKS_OF_ROWS if is_rows else _MARKS_OF_COLUMN]
    return [int(value) >> 1 for value in kept]


def assembled(stored: list[StoredPart]) -> TableFingerprint:
    """The value of one fingerprint's stored parts."""
    rows, columns = None, []
    for row in stored:
        if row.kind is None:
            continue
        part = Part.unpacked(
            total=row.total, digest=row.digest, span=row.span, sketch=bytes(row.sketch)
        )
        if row.kind == FingerprintPart.Kind.ROWS:
            rows = part
        else:
            columns.append(part)
    return TableFingerprint(stored[0].whole, rows, tuple(columns))
