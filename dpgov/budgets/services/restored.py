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

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from uuid import UUID

import structlog

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR, SWEEPER, Actor
from dpgov.audit.keys.note import Checkpoint
from dpgov.audit.outside import head_outside, newest_unknown, set_aside
from dpgov.audit.selectors import EntryFilter, entries_of, newest_checkpoint
from dpgov.budgets.models import RestoreMark
from dpgov.budgets.services.freezing import freeze_tenant, moved, settle_in
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


@dataclass(frozen=True, slots=True)
class Frozen:
    """One tenant whose budgets were just frozen, how many, and why."""

    tenant: KnownTenant
    budgets: int
    reason: str


def freeze_if_restored() -> list[Frozen]:
    """Freeze every tenant of a database that moved, or that does not know one of its checkpoints.

    Once for each restore: what an officer confirmed is not frozen again for the same reason. What
    fails for one tenant is logged, and every round freezes them all once more until it no longer
    fails. Passes on that the database is away.
    """
    if moved():
        frozen = freeze_everything(reason=MOVED, actor=SWEEPER)
        settle_in()
        return frozen
    everybody = tenants()
    looked = ((tenant.id, _try(_unknown, tenant)) for tenant in everybody)
    unknown = {tenant_id: outside for tenant_id, outside in looked if outside is not None}
    if not unknown:
        return []
    others = [tenant for tenant in everybody if tenant.id not in unknown]
    seen_by = [tenant for tenant in everybody if tenant.id in unknown]
    frozen = _freeze_each(partial(_freeze_for, unknown), others)
    # The restore is remembered with those whom it was seen by, once all others are frozen.
    is_done = len(frozen) == len(others)
    return frozen + _freeze_each(partial(_freeze_for, unknown, remembered=is_done), seen_by)


def _freeze_each(
    freeze: Callable[[KnownTenant], Frozen], those: Iterable[KnownTenant]
) -> list[Frozen]:
    tried = (_try(freeze, tenant) for tenant in those)
    return [frozen for frozen in tried if frozen is not None]


def _try(step: Callable[[KnownTenant], _T], tenant: KnownTenant) -> _T | None:
    try:
        with acting_for(tenant.id):
            return step(tenant)
    except Exception as error:
        if is_database_away(error):
            raise
        _log.exception("not compared with the checkpoints outside", tenant=tenant.slug)
        return None


def freeze_everything(*, reason: str, actor: Actor = OPERATOR) -> list[Frozen]:
    """Freeze every budget of every tenant, also one that is frozen already for another reason."""
    frozen = []
    for tenant in tenants():
        with acting_for(tenant.id):
            outside = _outside_if_readable(tenant)
            count = freeze_tenant(tenant_id=tenant.id, reason=reason, actor=actor, outside=outside)
        frozen.append(Frozen(tenant, count, reason))
    return frozen


def _outside_if_readable(tenant: KnownTenant) -> Checkpoint | None:
    """What it is frozen for; nobody is spared because of a folder that cannot be read."""
    try:
        return newest_unknown(tenant.id) or head_outside(tenant.id)
    except OSError as failure:
        _log.error("checkpoints outside not read", tenant=tenant.slug, kind=type(failure).__name__)
        return None


def _unknown(tenant: KnownTenant) -> Checkpoint | None:
    """The newest checkpoint that the database does not know, unless it was frozen for it before."""
    outside = newest_unknown(tenant.id)
    if outside is None or not _was_frozen_for(tenant, outside):
        return outside
    if _an_officer_has_spoken(tenant):
        # The lost log's checkpoints are kept as evidence, aside: the log goes on and is signed
        # again, so that a second restore is noticed while the rest is still frozen for this one.
        set_aside(tenant.id)
    return None


def _freeze_for(
    unknown: Mapping[UUID, Checkpoint], tenant: KnownTenant, *, remembered: bool = True
) -> Frozen:
    """For its own checkpoint that is unknown, or for that of another tenant."""
    outside = unknown.get(tenant.id)
    reason = behind(outside.size, _newest_here(tenant)) if outside else FOR_ANOTHER
    known_from_now_on = outside if remembered else None
    count = freeze_tenant(
        tenant_id=tenant.id, reason=reason, actor=SWEEPER, outside=known_from_now_on
    )
    return Frozen(tenant, count, reason)


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


def _was_frozen_for(tenant: KnownTenant, outside: Checkpoint) -> bool:
    """Whether it was this very checkpoint; no other one of its size, and no smaller one."""
    marks = RestoreMark.objects.filter(tenant=tenant.id)
    return marks.filter(outside_size=outside.size, outside_root=outside.root).exists()


def _an_officer_has_spoken(tenant: KnownTenant) -> bool:
    """Whether anything was confirmed since it was frozen last, or nothing is frozen."""
    both = (Action.DATASETS_FROZEN.value, Action.BUDGET_CONFIRMED.value)
    last = entries_of(tenant.id, EntryFilter(actions=both)).first()
    confirmed = last is not None and last.action == Action.BUDGET_CONFIRMED.value
    return confirmed or not frozen_budgets(tenant.id).exists()
