"""Proofs out of the stored log: that an entry is in it, that one checkpoint extends another.

Each is a plain dictionary that `python -m dpgov.audit.verify` checks without this system.
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings

from dpgov.audit.actions import RELEASING
from dpgov.audit.archive.parquet import ArchiveAway, BrokenArchive
from dpgov.audit.archive.reading import archived_release
from dpgov.audit.entry import line_of
from dpgov.audit.models import AuditCheckpoint, AuditEntry
from dpgov.audit.receipts.verify import CONSISTENCY, RECEIPT
from dpgov.audit.selectors import (
    announced_keys,
    checkpoints_of,
    covering_checkpoint,
    newest_checkpoint,
)
from dpgov.audit.stored_tree import StoredTree
from dpgov.audit.tree import consistency_proof, inclusion_proof
from dpgov.operation import clock

# How far the log's clock may be from the one that wrote the release, before all are looked at.
_NEAR = timedelta(minutes=10)


class NoSuchCheckpoint(LookupError):
    """There is no checkpoint of this size."""

    def __init__(self, size: int) -> None:
        self.size = size
        super().__init__(f"There is no checkpoint of {size} entries.")


def release_receipt(
    *, tenant_id: UUID, query_id: UUID, release_sha256: str, recorded_near: datetime
) -> dict[str, Any]:
    """The receipt of a release: its entry and, once a checkpoint covers it, the proof.

    The first checkpoint that covers the entry is used, so that a receipt never changes again. Of an
    archived entry whose file is away it says where the entry is, and nothing else.
    """
    receipt: dict[str, Any] = {
        "format": RECEIPT,
        "query": str(query_id),
        "release_sha256": release_sha256,
    }
    try:
        entry = _release_entry(tenant_id, f"query:{query_id}", recorded_near)
    except (ArchiveAway, BrokenArchive) as problem:
        return receipt | {"complete": False, "message": str(problem.args[0])}
    receipt |= {
        "entry": line_of(vars(entry)).decode("ascii"),
        "leaf_index": entry.sequence - 1,
    }
    checkpoint = covering_checkpoint(tenant_id, entry.sequence)
    if checkpoint is None:
        return receipt | _not_yet(tenant_id)
    return receipt | _proof(tenant_id, entry.sequence - 1, checkpoint)


def _release_entry(tenant_id: UUID, subject: str, near: datetime) -> AuditEntry:
    rows = AuditEntry.objects.filter(tenant_id=tenant_id, action__in=RELEASING, subject=subject)
    close = rows.filter(at__gte=near - _NEAR, at__lte=near + _NEAR)
    # No index leads to a subject: one more to keep would cost every entry; time leads close.
    found = close.filter(at=near).first() or close.first()
    return found or archived_release(tenant_id, subject, near) or rows.get()


def _not_yet(tenant_id: UUID) -> dict[str, Any]:
    last = newest_checkpoint(tenant_id)
    since = last.at if last else clock.now()
    expected = since + timedelta(minutes=settings.DPGOV_CHECKPOINT_MINUTES)
    soon = max(expected, clock.now())
    return {
        "complete": False,
        "expected_at": soon.isoformat(timespec="minutes"),
        "message": "The next checkpoint is not signed yet. The proof will be here from "
        f"{soon:%H:%M} UTC on.",
    }


def _proof(tenant_id: UUID, index: int, checkpoint: AuditCheckpoint) -> dict[str, Any]:
    path = inclusion_proof(index, checkpoint.size, StoredTree(tenant_id).node)
    return {
        "complete": True,
        "tree_size": checkpoint.size,
        "audit_path": [part.hex() for part in path],
        "checkpoint": checkpoint.note,
        "public_keys": _keys(tenant_id),
    }


def consistency(*, tenant_id: UUID, old: int, new: int) -> dict[str, Any]:
    """The proof that the checkpoint of `new` entries extends that of `old`.

    Raises NoSuchCheckpoint, and ValueError when `new` is the smaller one.
    """
    notes = dict(checkpoints_of(tenant_id).filter(size__in=[old, new]).values_list("size", "note"))
    for size in (old, new):
        if size not in notes:
            raise NoSuchCheckpoint(size)
    path = consistency_proof(old, new, StoredTree(tenant_id).node)
    return {
        "format": CONSISTENCY,
        "old_checkpoint": notes[old],
        "new_checkpoint": notes[new],
        "path": [part.hex() for part in path],
        "public_keys": _keys(tenant_id),
    }


def _keys(tenant_id: UUID) -> list[str]:
    return [key.as_text() for key in announced_keys(tenant_id)]
