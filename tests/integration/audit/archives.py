"""A log of three months of 2025 and its archive files, and a way to change one of these."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

from dpgov.audit.archive.parquet import lines_of, write
from dpgov.audit.archive.reading import folder_of
from dpgov.audit.checkpoints.deliveries import deliver_waiting
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditEntry
from tests.integration.audit.logs import TENANT

MARCH = date(2025, 3, 1)
NAMES = ["2025-01-000000000001-000000000100.parquet", "2025-02-000000000101-000000000200.parquet"]


def sign(tenant_id: UUID = TENANT) -> None:
    """A checkpoint, delivered."""
    make_checkpoint(tenant_id=tenant_id)
    deliver_waiting(tenant_id)


def here() -> list[int]:
    """The numbers of the entries that the log has."""
    rows = AuditEntry.objects.filter(tenant_id=TENANT).order_by("sequence")
    return list(rows.values_list("sequence", flat=True))


def file(number: int = 0) -> Path:
    """The archive of January, or of February."""
    return folder_of(TENANT) / NAMES[number]


def tampered(path: Path, change: Callable[[list[tuple[int, bytes]]], Any]) -> None:
    """The same file with other entries, whole and well-formed."""
    first, last = (int(part) for part in path.stem.split("-")[2:])
    rows = change(list(lines_of(path, tenant=str(TENANT), first=first, last=last)))
    path.unlink()
    with path.open("wb") as target:
        write(target, rows)
