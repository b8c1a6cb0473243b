"""What has everybody frozen, and up to which of it a tenant was: by hashes, each with a number.

A checkpoint outside that the database does not know, a move of the database, a freeze by hand. A
tenant's own checkpoint is in its mark, by size and root; of all the rest it remembers one number.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from dpgov.audit.keys.note import Checkpoint
from dpgov.budgets.models import DatabaseMark, FreezeMark, RestoreMark, RestoreSeen
from dpgov.tenants.crossing import KnownTenant


@dataclass(frozen=True, slots=True)
class SeenCheckpoint:
    """The checkpoint that tells of a restore; `is_new` until its own tenant is frozen for it."""

    outside: Checkpoint
    is_new: bool


class WantedFreezes:
    """What everybody is to be frozen for at present: as much work for a tenant as for a thousand.

    `names` is what concerns everybody beside the checkpoints that tenants show.
    """

    def __init__(self, seen: Mapping[UUID, SeenCheckpoint], names: Collection[bytes]) -> None:
        own = {tenant_id: _hash_of(tenant_id, one.outside) for tenant_id, one in seen.items()}
        numbers = _numbers({*own.values(), *names})
        self._own = {tenant_id: numbers[each] for tenant_id, each in own.items()}
        self._by_name = max((numbers[name] for name in names), default=0)
        self._newest = sorted(numbers.values(), reverse=True)[:2]

    def lacks(self, tenant: KnownTenant) -> bool:
        """Whether it was not frozen yet for something that is not a checkpoint of its own."""
        own = self._own.get(tenant.id)
        others = (number for number in self._newest if number != own)
        return next(others, 0) > _up_to(tenant)

    def lacks_a_name(self, tenant: KnownTenant) -> bool:
        """The same of `names` alone."""
        return self._by_name > _up_to(tenant)

    def are_done(self, tenant: KnownTenant) -> None:
        """It was frozen for all of them; in that transaction."""
        newest = self._newest[0]
        FreezeMark.objects.get_or_create(tenant_id=tenant.id, defaults={"up_to": newest})
        FreezeMark.objects.filter(tenant=tenant.id, up_to__lt=newest).update(up_to=newest)


def _up_to(tenant: KnownTenant) -> int:
    mark = FreezeMark.objects.filter(tenant=tenant.id)
    return mark.values_list("up_to", flat=True).first() or 0


def _numbers(hashes: Collection[bytes]) -> dict[bytes, int]:
    """Of each, old ones and new; who sees a number sees all smaller ones."""
    found = _known(hashes)
    if new := set(hashes) - found.keys():
        with transaction.atomic():
            # One after the other: what is committed later has the larger number. Without the row
            # nothing was ever charged here.
            list(DatabaseMark.objects.select_for_update().filter(pk=1))
            RestoreSeen.objects.bulk_create(
                [RestoreSeen(seen=each) for each in sorted(new)], ignore_conflicts=True
            )
        found = _known(hashes)
    return found


def _known(hashes: Collection[bytes]) -> dict[bytes, int]:
    rows = RestoreSeen.objects.filter(seen__in=hashes)
    return {bytes(seen): number for number, seen in rows.values_list("pk", "seen")}


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


def all_are_frozen_for(seen: Mapping[UUID, SeenCheckpoint], tenant: KnownTenant) -> None:
    """Nobody is tried again for what was seen by this one."""
    marks_of(tenant, seen[tenant.id].outside).update(is_for_all=True)


def everybody_is_frozen_for(tenant: KnownTenant) -> int:
    """Nobody is tried again for anything that this one was frozen for."""
    return RestoreMark.objects.filter(tenant=tenant.id).update(is_for_all=True)


def _hash_of(tenant_id: UUID, outside: Checkpoint) -> bytes:
    return hashed(f"{tenant_id} {outside.size} {outside.root.hex()}")


def hashed(told: str) -> bytes:
    """As it is kept."""
    return hashlib.sha256(told.encode()).digest()
