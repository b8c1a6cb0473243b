"""Checkpoints of every tenant's log, in turn: part of each round of the sweeper.

Must never keep the sweeper from its queries: what fails for one tenant is logged, and the next
round tries again.
"""

from collections.abc import Callable
from uuid import UUID

import structlog

from dpgov.audit.checkpoints.signing import sweep_checkpoints
from dpgov.operation.away import ends_the_round
from dpgov.sweeper.notices import nothing
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants

_log = structlog.get_logger("dpgov.checkpoints")


def checkpoint_round(between: Callable[[], None] = nothing) -> int:
    """Sign what is due and deliver what waits; returns how many checkpoints were made.

    Must not be called in a transaction: a delivery may take seconds. Passes on that the database
    is away; the sweeper knows what to do then.
    """
    made, away = 0, set[str]()
    for tenant in tenants():
        with acting_for(tenant.id):
            made += _try(tenant.id, away)
        between()
    return made


def _try(tenant_id: UUID, away: set[str]) -> bool:
    try:
        return sweep_checkpoints(tenant_id, away) is not None
    except Exception as error:
        if ends_the_round(error):
            raise
        _log.exception("checkpoints broke off", tenant_id=str(tenant_id))
        return False
