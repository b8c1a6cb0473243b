"""Notices that the database is a restored one, and freezes what could be older than its answers.

A database knows every checkpoint before the folder outside does. One that does not know one of them
was put in the place of the log over which that was signed, however long its own log is. What a
tenant was frozen for is remembered by size and root: the log that goes on after a restore is soon
as long as the lost one, and may be set back itself.

All tenants live in the one database, so that what one tenant's folder shows is true for all: those
whose last entries no checkpoint covered have lost answers, too. Who can write in one folder could
therefore freeze everybody, but that is the operator, who has other ways; not to freeze whoever has
lost answers would be the worse mistake.

Called by the sweeper in every round; it changes nothing where nothing was restored.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from uuid import UUID

import structlog
from django.db import transaction
from django.db.models import QuerySet

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR, SWEEPER, Actor
from dpgov.audit.keys.note import Checkpoint
from dpgov.audit.outside import head_outside, newest_unknown, set_aside
from dpgov.audit.selectors import EntryFilter, entries_of, newest_checkpoint
from dpgov.budgets.models import RestoreMark, RestoreMarkForAnother
from dpgov.budgets.services.freezing import freeze_tenant, moved, settle_in, this_move
from dpgov.budgets.standing import frozen_budgets
from dpgov.language.said import said
from dpgov.operation.away import is_database_away
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import KnownTenant, tenants

_T = TypeVar("_T")
_log = structlog.get_logger("dpgov.restored")
MOVED = said(
    "This database is a copy, or was moved: it is not where the ledger was last at home. If "
    "nothing was answered elsewhere since, confirm that nothing is missing."
)
FOR_ANOTHER = said(
    "The log of another organisation shows that the database was restored from a backup. It is one "
    "database for all organisations, so that answers may be missing here, too."
)


class NotAllFrozen(RuntimeError):
    """Somebody could not be frozen in a database that moved; the program's log says who."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """One tenant whose budgets were just frozen, how many, and why."""

    tenant: KnownTenant
    budgets: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Seen:
    """The checkpoint that tells of a restore; `is_new` until its own tenant is frozen for it."""

    outside: Checkpoint
    is_new: bool


def freeze_if_restored() -> list[Frozen]:
    """Freeze every tenant of a database that moved, or that does not know one of its checkpoints.

    Once for each checkpoint that tells of a restore: what an officer confirmed is not frozen again
    for the same one. What fails for one tenant is logged, and every round tries again whoever is
    not frozen yet, and nobody else. Passes on that the database is away. Raises NotAllFrozen in one
    that moved: it is not at home, and admits nothing of anybody's, before all are frozen.
    """
    if moved():
        return _freeze_all_for_the_move()
    everybody = tenants()
    looked = ((tenant.id, _try(_seen_by, tenant)) for tenant in everybody)
    seen = {tenant_id: restore for tenant_id, restore in looked if restore is not None}
    return _freeze_all_for(seen, everybody) if seen else []


def _freeze_all_for_the_move() -> list[Frozen]:
    step = partial(_freeze_for_the_move, _hashed(this_move()))
    tried = [_try(step, tenant) for tenant in tenants()]
    if None in tried:
        raise NotAllFrozen
    settle_in()
    return [frozen for each in tried for frozen in each or []]


@transaction.atomic
def _freeze_for_the_move(move: bytes, tenant: KnownTenant) -> list[Frozen]:
    """Nothing if it is frozen for this move."""
    if RestoreMarkForAnother.objects.filter(tenant=tenant.id, seen=move).exists():
        return []
    RestoreMarkForAnother.objects.create(tenant_id=tenant.id, seen=move)
    return [_freeze(tenant, reason=MOVED, actor=SWEEPER)]


def _freeze_all_for(seen: Mapping[UUID, _Seen], everybody: list[KnownTenant]) -> list[Frozen]:
    """Those whom it was seen by last; they know from then on whether the others are frozen."""
    seen_by = [tenant for tenant in everybody if tenant.id in seen]
    others = [tenant for tenant in everybody if tenant.id not in seen]
    tried = [_try(partial(_freeze_for, seen), tenant) for tenant in others + seen_by]
    if None not in tried:
        for tenant in seen_by:
            _try(partial(_all_are_frozen_for, seen), tenant)
    return [frozen for each in tried for frozen in each or []]


def _try(step: Callable[[KnownTenant], _T], tenant: KnownTenant) -> _T | None:
    try:
        with acting_for(tenant.id):
            return step(tenant)
    except Exception as error:
        if is_database_away(error):
            raise
        _log.exception(
            "not compared with the checkpoints outside, or not frozen", tenant=tenant.slug
        )
        return None


def freeze_everything(*, reason: str, actor: Actor = OPERATOR) -> list[Frozen]:
    """Freeze every budget of every tenant, also one that is frozen already for another reason."""
    frozen = []
    for tenant in tenants():
        with acting_for(tenant.id):
            frozen.append(_freeze(tenant, reason=reason, actor=actor))
    return frozen


def _freeze(tenant: KnownTenant, *, reason: str, actor: Actor) -> Frozen:
    outside = _outside_if_readable(tenant)
    count = freeze_tenant(tenant_id=tenant.id, reason=reason, actor=actor, outside=outside)
    return Frozen(tenant, count, reason)


def _outside_if_readable(tenant: KnownTenant) -> Checkpoint | None:
    """What it is frozen for; nobody is spared because of a folder that cannot be read."""
    try:
        return newest_unknown(tenant.id) or head_outside(tenant.id)
    except OSError as failure:
        _log.error("checkpoints outside not read", tenant=tenant.slug, kind=type(failure).__name__)
        return None


def _seen_by(tenant: KnownTenant) -> _Seen | None:
    """The newest checkpoint that the database does not know, if anybody is to be frozen for it.

    Where somebody could not be frozen, what is remembered tells of it: the file may be aside.
    """
    outside = newest_unknown(tenant.id)
    if outside is not None and not _marks_of(tenant, outside).exists():
        return _Seen(outside, is_new=True)
    if outside is not None and _an_officer_has_spoken(tenant):
        # The lost log's checkpoints are kept as evidence, aside: the log goes on and is signed
        # again, so that a second restore is noticed while the rest is still frozen for this one.
        set_aside(tenant.id)
    mark = RestoreMark.objects.filter(tenant=tenant.id, is_for_all=False).first()
    return _Seen(_remembered(mark), is_new=False) if mark else None


def _remembered(mark: RestoreMark) -> Checkpoint:
    return Checkpoint(str(mark.tenant_id), mark.outside_size, bytes(mark.outside_root))


@transaction.atomic
def _freeze_for(seen: Mapping[UUID, _Seen], tenant: KnownTenant) -> list[Frozen]:
    """For its own checkpoint, or for that of another tenant; nothing if it is frozen for all."""
    own, lacking = seen.get(tenant.id), _lacking(seen, tenant)
    outside = own.outside if own and own.is_new else None
    if outside is None and not lacking:
        return []
    reason = behind(outside.size, _newest_here(tenant)) if outside else FOR_ANOTHER
    count = freeze_tenant(tenant_id=tenant.id, reason=reason, actor=SWEEPER, outside=outside)
    if outside is not None:
        _marks_of(tenant, outside).update(is_for_all=False)
    RestoreMarkForAnother.objects.bulk_create(
        [RestoreMarkForAnother(tenant_id=tenant.id, seen=each) for each in lacking]
    )
    return [Frozen(tenant, count, reason)]


def _lacking(seen: Mapping[UUID, _Seen], tenant: KnownTenant) -> list[bytes]:
    """What of the others it was not frozen for yet."""
    of_others = {_hash_of(each, seen[each].outside) for each in seen if each != tenant.id}
    marks = RestoreMarkForAnother.objects.filter(tenant=tenant.id, seen__in=of_others)
    return sorted(of_others - {bytes(each) for each in marks.values_list("seen", flat=True)})


def _hash_of(tenant_id: UUID, outside: Checkpoint) -> bytes:
    return _hashed(f"{tenant_id} {outside.size} {outside.root.hex()}")


def _hashed(told: str) -> bytes:
    return hashlib.sha256(told.encode()).digest()


def _all_are_frozen_for(seen: Mapping[UUID, _Seen], tenant: KnownTenant) -> None:
    _marks_of(tenant, seen[tenant.id].outside).update(is_for_all=True)


def behind(outside: int, here: int) -> str:
    """Why a tenant is frozen whose newest checkpoints cover so many entries, outside and here."""
    if outside <= here:
        return said(
            "A checkpoint outside the database was signed over {outside} entries of the log, but "
            "the database does not know it: a backup was restored over the log that it was signed "
            "for.",
            outside=outside,
        )
    return said(
        "A checkpoint outside the database was signed over {outside} entries of the log, but the "
        "newest one that the database knows covers {here}: the database is older than that "
        "checkpoint.",
        outside=outside,
        here=here,
    )


def _newest_here(tenant: KnownTenant) -> int:
    checkpoint = newest_checkpoint(tenant.id)
    return checkpoint.size if checkpoint else 0


def _marks_of(tenant: KnownTenant, outside: Checkpoint) -> QuerySet[RestoreMark]:
    """That it was frozen for this very checkpoint; no other one of its size, and no smaller one."""
    marks = RestoreMark.objects.filter(tenant=tenant.id)
    return marks.filter(outside_size=outside.size, outside_root=outside.root)


def _an_officer_has_spoken(tenant: KnownTenant) -> bool:
    """Whether anything was confirmed since it was frozen last, or nothing is frozen."""
    both = (Action.DATASETS_FROZEN.value, Action.BUDGET_CONFIRMED.value)
    last = entries_of(tenant.id, EntryFilter(actions=both)).first()
    confirmed = last is not None and last.action == Action.BUDGET_CONFIRMED.value
    return confirmed or not frozen_budgets(tenant.id).exists()
