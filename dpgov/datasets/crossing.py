"""What is asked of datasets across tenants, each question as narrow as what it is asked for.

On PostgreSQL each is a door through the wall (a function of the database, made in the migrations);
on SQLite the same question to the models. Never a name, a time, or whose data it is.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Now

from dpgov.datasets.models import (
    Arrival,
    DatasetVersion,
    FingerprintMark,
    FingerprintPart,
    Upload,
    VersionFingerprint,
)
from dpgov.tenants.crossing import through_door


class StoredPart(NamedTuple):
    """A part of an earlier fingerprint; `kind` is None when only the whole is the same.

    `own_dataset` is the dataset if it is the asking tenant's, and None for every other one.
    """

    fingerprint: int
    own_dataset: UUID | None
    whole: str
    kind: str | None
    total: int
    digest: str
    span: int
    sketch: bytes


def parts_like(tenant_id: UUID, whole: str, marks: list[int]) -> Iterable[StoredPart]:
    """The parts with one of these marks and the fingerprints with this whole, oldest first.

    Of every tenant; discarded datasets are left out.
    """
    if connection.vendor == "postgresql":
        rows = through_door(
            "SELECT * FROM datasets_fingerprints_like(%s, %s, %s::bigint[])",
            tenant_id,
            whole,
            marks,
        )
        return [StoredPart(*row) for row in rows]
    return _parts_like(tenant_id, whole, marks)


def _parts_like(tenant_id: UUID, whole: str, marks: list[int]) -> Iterator[StoredPart]:
    shared = FingerprintMark.objects.filter(mark__in=marks).values("part")
    parts = FingerprintPart.objects.filter(pk__in=shared).order_by("pk")
    alike = VersionFingerprint.objects.filter(
        Q(whole=whole) | Q(pk__in=parts.order_by().values("fingerprint"))
    ).exclude(version__dataset__held_at__isnull=False, version__dataset__archived_at__isnull=False)
    by_fingerprint: dict[int, list[FingerprintPart]] = {}
    for part in parts.filter(fingerprint__in=alike.order_by()):
        by_fingerprint.setdefault(part.fingerprint_id, []).append(part)
    for found in alike.select_related("version").order_by("pk"):
        own = found.version.dataset_id if found.tenant_id == tenant_id else None
        whole_only = StoredPart(found.pk, own, found.whole, None, 0, "", 0, b"")
        yield from [
            whole_only._replace(
                kind=part.kind,
                total=part.total,
                digest=part.digest,
                span=part.span,
                sketch=bytes(part.sketch),
            )
            for part in by_fingerprint.get(found.pk, [])
        ] or [whole_only]


def versions_among(ids: list[UUID]) -> set[UUID]:
    """Which of these are versions of any dataset."""
    if connection.vendor == "postgresql":
        rows = through_door("SELECT datasets_versions_among(%s)", ids)
        return {row[0] for row in rows}
    return set(DatasetVersion.objects.filter(pk__in=ids).values_list("pk", flat=True))


def waiting_uploads_among(ids: list[UUID]) -> set[UUID]:
    """Which of these are uploads that can still be registered."""
    if connection.vendor == "postgresql":
        rows = through_door("SELECT datasets_waiting_uploads_among(%s)", ids)
        return {row[0] for row in rows}
    ready = Upload.objects.filter(pk__in=ids, state=Upload.State.READY)
    return set(ready.values_list("pk", flat=True))


def next_arrivals(attempts: int, most: int) -> list[tuple[UUID, UUID]]:
    """(id, tenant) of what could be read now, at most so many; fewer than `attempts` were made.

    By turns: first of the tenant whose last turn is longest ago, so that nobody's many files hold
    up another tenant's one. Of one tenant the oldest first.
    """
    if connection.vendor == "postgresql":
        rows = through_door("SELECT id, tenant FROM datasets_next_arrivals(%s, %s)", attempts, most)
        return [(row[0], row[1]) for row in rows]
    turns = Arrival.objects.filter(tenant=OuterRef("tenant")).order_by().values("tenant")
    last = Subquery(turns.annotate(last=Max("taken_at")).values("last"))
    free = Q(state=Arrival.State.WAITING) | Q(state=Arrival.State.READING, lease_until__lt=Now())
    found = Arrival.objects.filter(free, attempts__lt=attempts).annotate(last=last)
    ordered = found.order_by(F("last").asc(nulls_first=True), "asked_at", "pk")
    return list(ordered.values_list("pk", "tenant_id")[:most])


def tenants_with_arrivals() -> list[UUID]:
    """Every tenant with a file that shall be read or is being read; in no particular order."""
    if connection.vendor == "postgresql":
        return [row[0] for row in through_door("SELECT datasets_tenants_with_arrivals()")]
    unfinished = Arrival.objects.filter(state__in=Arrival.UNFINISHED).order_by()
    return list(unfinished.values_list("tenant_id", flat=True).distinct())
