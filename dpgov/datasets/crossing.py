"""What is asked of datasets across tenants, each question as narrow as what it is asked for.

On PostgreSQL each is a gate through the wall (a function of the database, made in the migrations);
on SQLite the same question to the models. Data of two tenants is compared only after officers of
both agreed; of the rest never a name, a time, or whose data it is.
"""

from collections.abc import Iterator
from typing import NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery

from dpgov.budgets.models import SharedBudgetMember
from dpgov.datasets.discarded import discarded
from dpgov.datasets.models import (
    Agreement,
    Arrival,
    Dataset,
    DatasetVersion,
    FingerprintMark,
    FingerprintPart,
    LiveMark,
    StoredFile,
    Upload,
    VersionFingerprint,
)
from dpgov.operation.clock import Now
from dpgov.tenants.crossing import through_gate
from dpgov.tenants.models import Tenant


class AgreedPart(NamedTuple):
    """A part of a fingerprint of another organisation, by that organisation's slug."""

    organisation: str
    fingerprint: int
    whole: str
    kind: str
    total: int
    digest: str
    span: int
    sketch: bytes
    file: str


def agreed_with(tenant_id: UUID) -> dict[str, str]:
    """The names, by slug, of the tenants whose officers and this one's agreed, both.

    Nobody agrees for both sides: two consents of one person are none.
    """
    if connection.vendor == "postgresql":
        return dict(through_gate("SELECT slug, name FROM datasets_agreed_with(%s)", tenant_id))
    return {tenant.slug: tenant.name for tenant in _agreed_with(tenant_id)}


def _agreed_with(tenant_id: UUID) -> QuerySet[Tenant]:
    given = Agreement.objects.filter(ended_at__isnull=True)
    here = Tenant.objects.filter(pk=tenant_id).values("slug")
    ours = given.filter(tenant_id=tenant_id, other=OuterRef("tenant__slug"))
    theirs = given.filter(other__in=here).filter(
        Exists(ours.exclude(given_by=OuterRef("given_by")))
    )
    return Tenant.objects.filter(pk__in=theirs.values("tenant")).order_by("slug")


def parts_of_agreed(
    tenant_id: UUID, whole: str, marks: list[int], file: str = ""
) -> list[AgreedPart]:
    """The whole fingerprints, of the tenants of `agreed_with`, with one of these marks or this one.

    Or of this file, if one is given. Oldest first; discarded datasets are left out.
    """
    if connection.vendor == "postgresql":
        rows = through_gate(
            "SELECT * FROM datasets_fingerprints_agreed(%s, %s, %s::bigint[], %s)",
            tenant_id,
            whole,
            marks,
            file,
        )
        return [AgreedPart(*row) for row in rows]
    return list(_parts_of_agreed(tenant_id, same_content(whole, file), marks))


def same_content(whole: str, file: str) -> Q:
    """The fingerprints of a table as it is, or of the file that it was read from, if it has one."""
    return Q(whole=whole) | Q(file=file) if file else Q(whole=whole)


def _parts_of_agreed(tenant_id: UUID, same: Q, marks: list[int]) -> Iterator[AgreedPart]:
    agreed = _agreed_with(tenant_id).order_by()
    shared = FingerprintMark.objects.filter(tenant__in=agreed, mark__in=marks)
    alike = (
        VersionFingerprint.objects.filter(tenant__in=agreed)
        .filter(same | Q(pk__in=shared.values("part__fingerprint")))
        .exclude(discarded("version__dataset__"))
    )
    parts = FingerprintPart.objects.filter(fingerprint__in=alike)
    for part in parts.select_related("fingerprint", "tenant").order_by("fingerprint", "pk"):
        yield AgreedPart(
            part.tenant.slug,
            part.fingerprint_id,
            part.fingerprint.whole,
            part.kind,
            part.total,
            part.digest,
            part.span,
            bytes(part.sketch),
            part.fingerprint.file,
        )


def versions_among(ids: list[UUID]) -> set[UUID]:
    """Which of these are versions of any dataset."""
    if connection.vendor == "postgresql":
        rows = through_gate("SELECT datasets_versions_among(%s)", ids)
        return {row[0] for row in rows}
    return set(DatasetVersion.objects.filter(pk__in=ids).values_list("pk", flat=True))


def living_among(ids: list[UUID]) -> set[UUID]:
    """Which of these are versions whose data is there for questions."""
    if connection.vendor == "postgresql":
        rows = through_gate("SELECT datasets_living_among(%s)", ids)
        return {row[0] for row in rows}
    gone = Q(data_deleted_at__isnull=False) | Q(dataset__data_deleted_at__isnull=False)
    living = DatasetVersion.objects.filter(pk__in=ids).exclude(gone).exclude(discarded("dataset__"))
    return set(living.values_list("pk", flat=True))


def stored_among(names: list[str]) -> dict[str, bool]:
    """Which of these names are recorded, and whether somebody still needs the file."""
    if connection.vendor == "postgresql":
        return dict(through_gate("SELECT * FROM datasets_stored_among(%s)", names))
    found: dict[str, bool] = {}
    for name, removed_at in StoredFile.objects.filter(name__in=names).values_list(
        "name", "removed_at"
    ):
        found[name] = found.get(name, False) or removed_at is None
    return found


def kept_among(ids: list[UUID]) -> set[UUID]:
    """Which of these are versions or uploads whose file lies in shared storage, and is needed."""
    if connection.vendor == "postgresql":
        return {row[0] for row in through_gate("SELECT datasets_kept_among(%s)", ids)}
    kept = StoredFile.objects.filter(pk__in=ids, removed_at__isnull=True)
    return set(kept.values_list("pk", flat=True))


def forget_stored(file_id: UUID) -> None:
    """Strike the line of a file that was let go, so that it can be stored again, by its tenant."""
    if connection.vendor == "postgresql":
        through_gate("SELECT datasets_forget_stored(%s)", file_id)
    else:
        StoredFile.objects.filter(pk=file_id, removed_at__isnull=False).delete()


def waiting_uploads_among(ids: list[UUID]) -> set[UUID]:
    """Which of these are uploads that can still be registered."""
    if connection.vendor == "postgresql":
        rows = through_gate("SELECT datasets_waiting_uploads_among(%s)", ids)
        return {row[0] for row in rows}
    ready = Upload.objects.filter(pk__in=ids, state=Upload.State.READY)
    return set(ready.values_list("pk", flat=True))


def next_arrivals(attempts: int, most: int) -> list[tuple[UUID, UUID]]:
    """(id, tenant) of what could be read now, at most so many; fewer than `attempts` were made.

    By turns: first of the tenant whose last turn is longest ago, so that nobody's many files hold
    up another tenant's one. Of one tenant the oldest first.
    """
    if connection.vendor == "postgresql":
        rows = through_gate("SELECT id, tenant FROM datasets_next_arrivals(%s, %s)", attempts, most)
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
        return [row[0] for row in through_gate("SELECT datasets_tenants_with_arrivals()")]
    unfinished = Arrival.objects.filter(state__in=Arrival.UNFINISHED).order_by()
    return list(unfinished.values_list("tenant_id", flat=True).distinct())


def marked_elsewhere(marks: list[str], live_id: UUID, *, with_sharing: bool) -> set[str]:
    """Those of these marks that another live table of any tenant has, discarded ones aside.

    Of tables that share its budget, or are in one shared budget with it, only `with_sharing`. Which
    tables, or whose, is not said.
    """
    if connection.vendor == "postgresql":
        asked = "SELECT datasets_live_marked(%s::text[], %s, %s)"
        return {row[0] for row in through_gate(asked, marks, live_id, with_sharing)}
    others = LiveMark.objects.filter(mark__in=marks, live__dataset__isnull=False)
    if not with_sharing:
        others = others.exclude(live__dataset__budget__in=_sharing(live_id))
    found = others.exclude(live=live_id).exclude(discarded("live__dataset__"))
    return set(found.values_list("mark", flat=True))


def _sharing(live_id: UUID) -> list[UUID]:
    """The budget of this live table, and those that count into the same shared one."""
    own = list(Dataset.objects.filter(live=live_id).values_list("budget", flat=True))
    present = SharedBudgetMember.objects.filter(left_at__isnull=True)
    shared = present.filter(dataset_budget__in=own).values("shared_budget")
    beside = present.filter(shared_budget__in=shared)
    return [*own, *beside.values_list("dataset_budget", flat=True)]
