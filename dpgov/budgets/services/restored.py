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

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from uuid import UUID

import structlog
from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR, SWEEPER, Actor
from dpgov.audit.keys.note import Checkpoint
from dpgov.audit.outside import head_outside, newest_unknown, set_aside
from dpgov.audit.selectors import EntryFilter, entries_of, newest_checkpoint
from dpgov.budgets.services.freezing import (
    begin_freezing,
    freeze_tenant,
    moved,
    settle_in,
    this_freeze,
    this_move,
)
from dpgov.budgets.services.seen import (
    SeenCheckpoint,
    WantedFreezes,
    all_are_frozen_for,
    everybody_is_frozen_for,
    hashed,
    marks_of,
    remembered,
)
from dpgov.budgets.standing import frozen_budgets
from dpgov.language.said import said
from dpgov.operation.away import ends_the_round
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import KnownTenant, tenants
from dpgov.tenants.sign_in.after_restore import end_access

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
BY_HAND = said(
    "The operator had the datasets of all organisations frozen, because the database was restored "
    "from a backup. Those here could not be frozen at once."
)


class NotAllFrozen(RuntimeError):
    """Somebody could not be frozen, by hand or in a database that moved; who, and the log why."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """One tenant whose budgets were just frozen, how many, and why."""

    tenant: KnownTenant
    budgets: int
    reason: str


def freeze_if_restored() -> list[Frozen]:
    """Freeze every tenant of a database that moved, or that does not know one of its checkpoints.

    Once for each checkpoint that tells of a restore: what an officer confirmed is not frozen again
    for the same one. What fails for one tenant is logged, and every round tries again whoever is
    not frozen yet, and nobody else; also whoever a freeze by hand left out. Passes on that the
    database is away. Raises NotAllFrozen in one that moved: it is not at home, and admits nothing
    of anybody's, before all are frozen.
    """
    if moved():
        return _freeze_all_for_the_move()
    everybody, begun = tenants(), this_freeze()
    looked = ((tenant.id, _try(_seen_by, tenant)) for tenant in everybody)
    seen = {tenant_id: restore for tenant_id, restore in looked if restore is not None}
    return _freeze_all_for(seen, begun, everybody) if seen or begun else []


def _freeze_all_for_the_move() -> list[Frozen]:
    move = this_move()
    tried = _each(partial(_freeze_for_the_move, WantedFreezes({}, {hashed(move)})), tenants())
    _everybody_is_frozen(move)
    return [frozen for each in tried for frozen in each]


def _freeze_for_the_move(move: WantedFreezes, tenant: KnownTenant) -> list[Frozen]:
    """Nothing if it is frozen for this move."""
    if not move.lacks(tenant):
        return []
    outside = _outside_if_readable(tenant)
    return [_freeze(tenant, reason=MOVED, actor=SWEEPER, outside=outside, wanted=move)]


def _each(step: Callable[[KnownTenant], _T], everybody: list[KnownTenant]) -> list[_T]:
    """The step for everybody; raises NotAllFrozen at the end if it failed for somebody."""
    tried = [(tenant, _try(step, tenant)) for tenant in everybody]
    if failed := [tenant.slug for tenant, done in tried if done is None]:
        raise NotAllFrozen(f"not frozen: {', '.join(failed)}")
    return [done for _, done in tried if done is not None]


def _everybody_is_frozen(freeze: str) -> None:
    """Nobody is tried again for what any of them was frozen for, and this is home."""
    for tenant in tenants():
        _try(everybody_is_frozen_for, tenant)
    settle_in(freeze)


def _freeze_all_for(
    seen: Mapping[UUID, SeenCheckpoint], begun: str | None, everybody: list[KnownTenant]
) -> list[Frozen]:
    """Those whom it was seen by last; they know from then on whether the others are frozen."""
    seen_by = [tenant for tenant in everybody if tenant.id in seen]
    others = [tenant for tenant in everybody if tenant.id not in seen]
    wanted = WantedFreezes(seen, {hashed(begun)} if begun else set())
    step = partial(_freeze_for, seen, wanted)
    tried = [_try(step, tenant) for tenant in others + seen_by]
    if None not in tried:
        for tenant in seen_by:
            _try(partial(all_are_frozen_for, seen), tenant)
        if begun:
            settle_in(begun)
    return [frozen for each in tried for frozen in each or []]


def _try(step: Callable[[KnownTenant], _T], tenant: KnownTenant) -> _T | None:
    try:
        with acting_for(tenant.id):
            return step(tenant)
    except Exception as error:
        if ends_the_round(error):
            raise
        _log.exception(
            "not compared with the checkpoints outside, or not frozen", tenant=tenant.slug
        )
        return None


def freeze_everything(*, reason: str, actor: Actor = OPERATOR) -> list[Frozen]:
    """Freeze every budget of every tenant, also one that is frozen already for another reason.

    What fails for one tenant is logged, and raises NotAllFrozen when all were tried: every round
    tries again whoever was left out, and nobody else, also after a crash. Called once more, it
    freezes everybody once more, confirmed or not: nothing tells whether a backup was restored
    since that was made before it was over.
    """
    freeze, everybody = begin_freezing(), tenants()
    looked = ((tenant.id, _try(_outside_if_readable, tenant)) for tenant in everybody)
    seen = {tenant_id: SeenCheckpoint(found, is_new=True) for tenant_id, found in looked if found}
    names = {hashed(freeze)} | ({hashed(this_move())} if moved() else set())
    step = partial(_freeze_by_hand, seen, WantedFreezes(seen, names), reason, actor)
    frozen = _each(step, everybody)
    _everybody_is_frozen(freeze)
    return frozen


def _freeze_by_hand(
    seen: Mapping[UUID, SeenCheckpoint],
    wanted: WantedFreezes,
    reason: str,
    actor: Actor,
    tenant: KnownTenant,
) -> Frozen:
    """For all that rounds could find until the others are frozen: none undoes a confirmation."""
    own = seen.get(tenant.id)
    outside = own.outside if own else None
    return _freeze(tenant, reason=reason, actor=actor, outside=outside, wanted=wanted)


@transaction.atomic
def _freeze(
    tenant: KnownTenant,
    *,
    reason: str,
    actor: Actor,
    outside: Checkpoint | None,
    wanted: WantedFreezes,
) -> Frozen:
    """`outside` is a checkpoint of its own; with it, it is frozen for all that is wanted.

    Who may confirm is as old as the backup: nobody does so but by signing in.
    """
    count = freeze_tenant(tenant_id=tenant.id, reason=reason, actor=actor, outside=outside)
    end_access(tenant.id)
    wanted.are_done(tenant)
    return Frozen(tenant, count, reason)


def _outside_if_readable(tenant: KnownTenant) -> Checkpoint | None:
    """What it is frozen for; nobody is spared because of a folder that cannot be read."""
    try:
        return newest_unknown(tenant.id) or head_outside(tenant.id)
    except OSError as failure:
        _log.error("checkpoints outside not read", tenant=tenant.slug, kind=type(failure).__name__)
        return None


def _seen_by(tenant: KnownTenant) -> SeenCheckpoint | None:
    """The newest checkpoint that the database does not know, if anybody is to be frozen for it.

    Where somebody could not be frozen, what is remembered tells of it: the file may be aside.
    """
    outside = newest_unknown(tenant.id)
    if outside is not None and not marks_of(tenant, outside).exists():
        return SeenCheckpoint(outside, is_new=True)
    if outside is not None and _an_officer_has_spoken(tenant):
        # The lost log's checkpoints are kept as evidence, aside: the log goes on and is signed
        # again, so that a second restore is noticed while the rest is still frozen for this one.
        set_aside(tenant.id)
    left = remembered(tenant)
    return SeenCheckpoint(left, is_new=False) if left else None


def _freeze_for(
    seen: Mapping[UUID, SeenCheckpoint], wanted: WantedFreezes, tenant: KnownTenant
) -> list[Frozen]:
    """For its own checkpoint, for that of another tenant or by hand; nothing if it is for all."""
    own = seen.get(tenant.id)
    outside = own.outside if own and own.is_new else None
    if outside is None and not wanted.lacks(tenant):
        return []
    reason: str = BY_HAND if wanted.lacks_a_name(tenant) else FOR_ANOTHER
    if outside is not None:
        reason = behind(outside.size, _newest_here(tenant))
    return [_freeze(tenant, reason=reason, actor=SWEEPER, outside=outside, wanted=wanted)]


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


def _an_officer_has_spoken(tenant: KnownTenant) -> bool:
    """Whether anything was confirmed since it was frozen last, or nothing is frozen."""
    both = (Action.DATASETS_FROZEN.value, Action.BUDGET_CONFIRMED.value)
    last = entries_of(tenant.id, EntryFilter(actions=both)).first()
    confirmed = last is not None and last.action == Action.BUDGET_CONFIRMED.value
    return confirmed or not frozen_budgets(tenant.id).exists()
