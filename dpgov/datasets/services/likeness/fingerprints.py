"""Keeps the fingerprint of a version, and reads it back."""

from django.conf import settings

from dpgov.datasets.models import (
    DatasetVersion,
    FingerprintMark,
    FingerprintPart,
    VersionFingerprint,
)
from dpgov.datasets.services.likeness.resemblance import key_id, marks_of, stored_fingerprints
from dpgov.engines.fingerprint import Part, TableFingerprint
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal


class FingerprintKeyChanged(SpokenRefusal):
    """The secret of fingerprints is not the one that earlier data was recorded with."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "Nothing can be registered at present: this installation lost the key by which it "
                "recognises data. Ask the people who run it to put the earlier key back."
            )
        )


def installation_key() -> bytes:
    """The secret; raises FingerprintKeyChanged when earlier versions were recorded with another."""
    latest = VersionFingerprint.objects.order_by("-pk").values_list("key_id", flat=True).first()
    if latest is not None and latest != key_id():
        raise FingerprintKeyChanged
    key: bytes = settings.DPGOV_FINGERPRINT_KEY
    return key


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


def _part_row(row: VersionFingerprint, kind: FingerprintPart.Kind, part: Part) -> FingerprintPart:
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
    """The same, and that of the rows that the version added, if it did."""
    return stored_fingerprints(version.fingerprint)
