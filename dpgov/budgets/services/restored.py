"""Notices that the database is a restored one, and freezes what could be older than its answers.

A database knows every checkpoint before the folder outside does. One that does not know the newest
there was put in the place of the log over which that was signed, however long its own log is. What
a tenant was frozen for is remembered by size and root: the log that goes on after a restore is soon
as long as the lost one, and may be set back itself.

Called by the sweeper in every round; it changes nothing where nothing was restored.
"""

from dataclasses import dataclass

import structlog
from django.db import InterfaceError, OperationalError

from dpgov.audit.actor import OPERATOR, SWEEPER, Actor
from dpgov.audit.keys.note import Checkpoint
from dpgov.audit.outside import head_outside, set_aside
from dpgov.audit.selectors import knows, newest_checkpoint
from dpgov.budgets.models import RestoreMark
from dpgov.budgets.services.freezing import freeze_tenant, moved, settle_in
from dpgov.budgets.standing import frozen_budgets
from dpgov.language.said import said
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import KnownTenant, tenants

_log = structlog.get_logger("dpgov.restored")
MOVED = said(
    "This database is a copy, or was moved: it is not where the ledger was last at home. If "
    "nothing was answered elsewhere since, confirm that nothing is missing."
)


@dataclass(frozen=True, slots=True)
class Frozen:
    """One tenant whose budgets were just frozen, how many, and why."""

    tenant: KnownTenant
    budgets: int
    reason: str


def freeze_if_restored() -> list[Frozen]:
    """Freeze every tenant of a database that moved, and each that does not know its checkpoints.

    Once for each restore: what an officer confirmed is not frozen again for the same reason. What
    fails for one tenant is logged, and the next round looks again. Passes on that the database is
    away.
    """
    if moved():
        frozen = freeze_everything(reason=MOVED, actor=SWEEPER)
        settle_in()
        return frozen
    found = (_try(tenant) for tenant in tenants())
    return [frozen for frozen in found if frozen is not None]


def _try(tenant: KnownTenant) -> Frozen | None:
    try:
        return _freeze_if_behind(tenant)
    except (OperationalError, InterfaceError):
        raise
    except Exception:
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
    """Nobody is spared the freezing because of a folder that cannot be read."""
    try:
        return head_outside(tenant.id)
    except OSError as failure:
        _log.error("checkpoints outside not read", tenant=tenant.slug, kind=type(failure).__name__)
        return None


def _freeze_if_behind(tenant: KnownTenant) -> Frozen | None:
    """Looks at the folder first: the database always knows a checkpoint before the folder does."""
    with acting_for(tenant.id):
        outside = head_outside(tenant.id)
        if outside is None or knows(tenant.id, outside):
            return None
        if _was_frozen_for(tenant, outside):
            _tidy_once_confirmed(tenant)
            return None
        reason = behind(outside.size, _newest_here(tenant))
        count = freeze_tenant(tenant_id=tenant.id, reason=reason, actor=SWEEPER, outside=outside)
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


def _tidy_once_confirmed(tenant: KnownTenant) -> None:
    """Keep the lost log's checkpoints as evidence, aside: the log goes on and is signed again."""
    if not frozen_budgets(tenant.id).exists():
        set_aside(tenant.id)
