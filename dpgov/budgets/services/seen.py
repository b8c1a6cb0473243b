"""What tells of a restore, and who was frozen for it: by size and root, or by its name.

A tenant's own checkpoint is in its mark; what it was frozen for beside that, as hashes.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from dpgov.audit.keys.note import Checkpoint
from dpgov.budgets.models import RestoreMark, RestoreMarkForAnother
from dpgov.tenants.crossing import KnownTenant


@dataclass(frozen=True, slots=True)
class Seen:
    """The checkpoint that tells of a restore; `is_new` until its own tenant is frozen for it."""

    outside: Checkpoint
    is_new: bool


def marks_of(tenant: KnownTenant, outside: Checkpoint) -> QuerySet[RestoreMark]:
    """That it was frozen for this very checkpoint; no other one of its size, and no smaller one."""
    marks = RestoreMark.objects.filter(tenant=tenant.id)
    return marks.filter(outside_size=outside.size, outside_root=outside.root)


def remembered(tenant: KnownTenant) -> Checkpoint | None:
    """What it was frozen for, and not everybody else."""
    mark = RestoreMark.objects.filter(tenant=tenant.id, is_for_all=False).first()
    if mark is None:
        return None
    return Checkpoint(str(mark.tenant_id), mark.outside_size, bytes(mark.outside_root))


def all_are_frozen_for(seen: Mapping[UUID, Seen], tenant: KnownTenant) -> None:
    """Nobody is tried again for what was seen by this one."""
    marks_of(tenant, seen[tenant.id].outside).update(is_for_all=True)


def everybody_is_frozen_for(tenant: KnownTenant) -> int:
    """Nobody is tried again for anything that this one was frozen for."""
    return RestoreMark.objects.filter(tenant=tenant.id).update(is_for_all=True)


def lacking(seen: Mapping[UUID, Seen], names: set[bytes], tenant: KnownTenant) -> set[bytes]:
    """What of the others, and of what concerns everybody, it was not frozen for yet."""
    wanted = names | {_hash_of(each, seen[each].outside) for each in seen if each != tenant.id}
    marks = RestoreMarkForAnother.objects.filter(tenant=tenant.id, seen__in=wanted)
    return wanted - {bytes(each) for each in marks.values_list("seen", flat=True)}


def _hash_of(tenant_id: UUID, outside: Checkpoint) -> bytes:
    return hashed(f"{tenant_id} {outside.size} {outside.root.hex()}")


def hashed(told: str) -> bytes:
    """As it is kept in a tenant's row."""
    return hashlib.sha256(told.encode()).digest()
