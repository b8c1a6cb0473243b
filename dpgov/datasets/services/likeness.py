"""Which earlier data has the same people as a new file; keeps and reads their fingerprints.

Whether a file resembles other people's data is a function of their rows. So at once, and with
consequences that its owner can see, a file is compared with what the same person brought
(`compared`); everything else is looked at when an officer looks (`in_tenant`, `in_agreed`). Neither
the time nor the statements of `compared` touch a row of anybody else's.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from dpgov.datasets.crossing import AgreedPart, parts_of_agreed, same_content
from dpgov.datasets.discarded import discarded
from dpgov.datasets.models import (
    Dataset,
    DatasetVersion,
    FingerprintMark,
    FingerprintPart,
    VersionFingerprint,
)
from dpgov.datasets.services.fingerprint_key import key_id
from dpgov.datasets.store.base import Beat, quiet
from dpgov.engines.fingerprint import MultisetFingerprint, TableFingerprint
from dpgov.engines.likeness import Likeness, likeness, likest

# By how many of its smallest hashes a part is found again.
_MARKS_OF_ROWS, _MARKS_OF_COLUMN = 64, 16
# The class of advisory locks of PostgreSQL under which one person's data is compared and stored.
_LOCK = 0x647067


@dataclass(frozen=True, slots=True)
class Match:
    """Earlier data that resembles the given one."""

    fingerprint_id: int
    dataset: Dataset
    likeness: Likeness

    @property
    def dataset_id(self) -> UUID:
        """Whose version it is."""
        return self.dataset.pk


@dataclass(frozen=True, slots=True)
class Compared:
    """What resembles a file among everything that one person had brought up to a point."""

    found: tuple[Match, ...] = ()
    up_to: int = 0


def one_at_a_time(tenant_id: UUID, user_id: UUID) -> None:
    """Nothing else that this person brings is compared or stored before the transaction ends.

    Two of their files that arrive together would otherwise both be the first one. Nobody else
    waits for it.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_LOCK, f"{tenant_id} {user_id}"]
            )


def compared(
    tenant_id: UUID,
    user_id: UUID,
    fingerprint: TableFingerprint,
    before: Compared | None = None,
    *,
    beat: Beat = quiet,
) -> Compared:
    """What this person brought to the tenant earlier that has the same people, oldest first.

    Discarded datasets are left out. With `before`, only what came since then is looked at: it is
    asked outside any transaction first, and again for the little that is left under
    `one_at_a_time`. Fingerprints are numbered under the turn of their tenant, so that none comes
    later with a lower number. `beat` hears of each that was compared.
    """
    before = before or Compared()
    own = VersionFingerprint.objects.filter(
        tenant_id=tenant_id, version__added_by_id=user_id, pk__gt=before.up_to
    )
    newest = own.order_by("-pk").values_list("pk", flat=True).first()
    if newest is None:
        return before
    marked = FingerprintMark.objects.filter(tenant_id=tenant_id, added_by_id=user_id)
    found = _like(fingerprint, own, marked, beat)
    recognised = (match for match in found if match.likeness.is_recognised)
    return Compared((*before.found, *recognised), newest)


def resembled_by(
    version: DatasetVersion, fingerprint_ids: Collection[int], *, beat: Beat = quiet
) -> set[int]:
    """Which of these fingerprints have the same people as this version."""
    among = VersionFingerprint.objects.filter(pk__in=fingerprint_ids)
    marked = FingerprintMark.objects.filter(part__fingerprint__in=fingerprint_ids)
    found = (_like(each, among, marked, beat) for each in kept_fingerprints(version))
    return {
        match.fingerprint_id for each in found for match in each if match.likeness.is_recognised
    }


def in_tenant(tenant_id: UUID, fingerprint: TableFingerprint) -> list[Match]:
    """Everything of the tenant, for officers: also what has only some rows in common."""
    everything = VersionFingerprint.objects.filter(tenant_id=tenant_id)
    return _like(fingerprint, everything, FingerprintMark.objects.filter(tenant_id=tenant_id))


def in_agreed(tenant_id: UUID, fingerprint: TableFingerprint) -> dict[str, Likeness]:
    """The strongest likeness with anything of each organisation that agreed, for officers.

    By the slugs of the organisations; those without any likeness are left out.
    """
    marks = sorted(set(_all_marks(fingerprint)))
    by_fingerprint: dict[int, list[AgreedPart]] = {}
    for part in parts_of_agreed(tenant_id, fingerprint.whole, marks, fingerprint.file):
        by_fingerprint.setdefault(part.fingerprint, []).append(part)
    found: dict[str, list[Likeness]] = {}
    for parts in by_fingerprint.values():
        how = _likest(fingerprint, _assembled(parts[0].whole, parts[0].file, parts))
        found.setdefault(parts[0].organisation, []).append(how)
    strongest = {slug: likest(each) for slug, each in found.items()}
    return {slug: how for slug, how in strongest.items() if how is not Likeness.NONE}


def _like(
    fingerprint: TableFingerprint,
    among: QuerySet[VersionFingerprint],
    marked: QuerySet[FingerprintMark],
    beat: Beat = quiet,
) -> list[Match]:
    shared = marked.filter(mark__in=set(_all_marks(fingerprint))).values("part__fingerprint")
    alike = (
        among.filter(same_content(fingerprint.whole, fingerprint.file) | Q(pk__in=shared))
        .exclude(discarded("version__dataset__"))
        .select_related("version__dataset")
        .prefetch_related("parts")
        .order_by("pk")
    )
    found = []
    for row in alike:
        how = _likest(fingerprint, stored_fingerprints(row))
        if how is not Likeness.NONE:
            found.append(Match(row.pk, row.version.dataset, how))
        beat()
    return found


def is_in_budget(budget_id: UUID, user_id: UUID, fingerprint: TableFingerprint) -> bool:
    """Whether a file that this person brought to this budget has exactly this content.

    By the rule of Likeness.EXACT.
    """
    same, rows = same_content(fingerprint.whole, fingerprint.file), fingerprint.rows
    if rows.total:
        same |= Q(parts__kind=FingerprintPart.Kind.ROWS, parts__digest=rows.digest)
    stored = VersionFingerprint.objects.filter(
        version__dataset__budget=budget_id, version__added_by=user_id
    )
    return stored.filter(same).exists()


def _likest(fingerprint: TableFingerprint, stored: list[TableFingerprint]) -> Likeness:
    return likest(likeness(fingerprint, each) for each in stored)


def _all_marks(fingerprint: TableFingerprint) -> Iterator[int]:
    yield from marks_of(fingerprint.rows, is_rows=True)
    for part in fingerprint.columns:
        yield from marks_of(part, is_rows=False)


def marks_of(part: MultisetFingerprint, *, is_rows: bool) -> list[int]:
    """The smallest hashes, as the database can hold them."""
    kept = part.hashes[: _MARKS_OF_ROWS if is_rows else _MARKS_OF_COLUMN]
    return [int(value) >> 1 for value in kept]


def stored_fingerprints(row: VersionFingerprint) -> list[TableFingerprint]:
    """What is kept of a version with its parts, and of the rows that it added, if it did."""
    return _assembled(row.whole, row.file, sorted(row.parts.all(), key=lambda part: part.pk))


def _assembled(
    whole: str, file: str, stored: "list[FingerprintPart] | list[AgreedPart]"
) -> list[TableFingerprint]:
    kind = FingerprintPart.Kind
    if not any(row.kind == kind.ADDED_ROWS for row in stored):
        return [_of_kinds(whole, file, stored, kind.ROWS, kind.COLUMN)]
    # Added rows have no hash of the whole; this one is of no other table. The file has them alone.
    added = f"added {whole}"
    return [
        _of_kinds(whole, "", stored, kind.ROWS, kind.COLUMN),
        _of_kinds(added, file, stored, kind.ADDED_ROWS, kind.ADDED_COLUMN),
    ]


def _of_kinds(
    whole: str,
    file: str,
    stored: "list[FingerprintPart] | list[AgreedPart]",
    of_rows: FingerprintPart.Kind,
    of_column: FingerprintPart.Kind,
) -> TableFingerprint:
    (rows,) = (_part(row) for row in stored if row.kind == of_rows)
    columns = tuple(_part(row) for row in stored if row.kind == of_column)
    return TableFingerprint(whole, rows, columns, file)


def _part(row: "FingerprintPart | AgreedPart") -> MultisetFingerprint:
    return MultisetFingerprint.unpacked(
        total=row.total, digest=row.digest, span=row.span, sketch=bytes(row.sketch)
    )


def keep_fingerprint(
    version: DatasetVersion,
    fingerprint: TableFingerprint,
    addition: TableFingerprint | None = None,
) -> None:
    """Store it with the version, in the caller's transaction; and of rows that it added, if any."""
    row = VersionFingerprint.objects.create(
        tenant_id=version.tenant_id,
        version=version,
        key_id=key_id(),
        whole=fingerprint.whole,
        file=(fingerprint if addition is None else addition).file,
    )
    kind = FingerprintPart.Kind
    _keep_parts(row, fingerprint, kind.ROWS, kind.COLUMN)
    if addition is not None:
        _keep_parts(row, addition, kind.ADDED_ROWS, kind.ADDED_COLUMN)


def _keep_parts(
    row: VersionFingerprint,
    fingerprint: TableFingerprint,
    of_rows: FingerprintPart.Kind,
    of_column: FingerprintPart.Kind,
) -> None:
    kinds = [of_rows, *[of_column] * len(fingerprint.columns)]
    parts = FingerprintPart.objects.bulk_create(
        _part_row(row, kind, part) for kind, part in zip(kinds, fingerprint.parts, strict=True)
    )
    FingerprintMark.objects.bulk_create(
        FingerprintMark(
            tenant_id=row.tenant_id,
            part=stored,
            added_by_id=row.version.added_by_id,
            mark=mark,
        )
        for stored, part in zip(parts, fingerprint.parts, strict=True)
        for mark in marks_of(part, is_rows=stored.kind == of_rows)
    )


def _part_row(
    row: VersionFingerprint, kind: FingerprintPart.Kind, part: MultisetFingerprint
) -> FingerprintPart:
    return FingerprintPart(
        tenant_id=row.tenant_id,
        fingerprint=row,
        kind=kind,
        total=part.total,
        digest=part.digest,
        span=part.span,
        sketch=part.packed(),
    )


def kept_fingerprint(version: DatasetVersion) -> TableFingerprint:
    """What `keep_fingerprint` stored of the whole."""
    return kept_fingerprints(version)[0]


def kept_fingerprints(version: DatasetVersion) -> list[TableFingerprint]:
    """The same, and that of the rows that the version added, if it did; none of a live table."""
    try:
        return stored_fingerprints(version.fingerprint)
    except VersionFingerprint.DoesNotExist:
        return []
