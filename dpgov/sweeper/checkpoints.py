"""Checkpoints of every tenant's log, in turn: part of each round of the sweeper."""

from dpgov.audit.checkpoints.signing import sweep_checkpoints
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants


def checkpoint_round() -> int:
    """Sign what is due and deliver what waits; returns how many checkpoints were made.

    Must not be called in a transaction: a delivery may take seconds.
    """
    made = 0
    for tenant in tenants():
        with acting_for(tenant.id):
            made += sweep_checkpoints(tenant.id) is not None
    return made
