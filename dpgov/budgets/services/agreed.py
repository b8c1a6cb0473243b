"""What two persons agreed about a population, carried out in the transaction of the approval.

Each function takes an approved request and returns what its one audit entry has to say. What was
seen when it was requested must still be so: otherwise Stale, and nothing happens.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from dpgov.approvals.errors import Stale
from dpgov.approvals.kinds import Effect
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approved
from dpgov.budgets import crossing
from dpgov.budgets.errors import BudgetClosed
from dpgov.budgets.models import Budget
from dpgov.budgets.services import dividing
from dpgov.budgets.services.invitations import ACCEPT_POPULATION, new_invitation
from dpgov.budgets.services.populations import (
    AlreadyShares,
    CannotShare,
    NameTaken,
    bring_in,
    joining_facts,
    locked,
)
from dpgov.language.said import said

MERGE_POPULATIONS = "merge_populations"
SPLIT_POPULATION = "split_population"
LEAVE_POPULATION = "leave_population"
SHARE_POPULATION = "share_population"
_OVERTAKEN = (
    BudgetClosed,
    AlreadyShares,
    CannotShare,
    NameTaken,
    dividing.NobodyStays,
    dividing.NotMembers,
    dividing.SharedWithOthers,
)


def merge_as_agreed(request: ChangeRequest) -> Effect:
    """MERGE_POPULATIONS: payload `into`, `other`, and the limits that were seen."""
    payload = approved(request, MERGE_POPULATIONS)
    rows = _own(request, [payload["into"], payload["other"]])
    into, other = rows[UUID(payload["into"])], rows[UUID(payload["other"])]
    _same_limit(into, payload["into_limit_nano"])
    _same_limit(other, payload["other_limit_nano"])
    try:
        facts = dividing.merge_populations(into=into, other=other, reason=request.reason)
    except _OVERTAKEN as overtaken:
        raise Stale(overtaken) from overtaken
    return Effect(facts)


def split_as_agreed(request: ChangeRequest) -> Effect:
    """SPLIT_POPULATION: payload `population`, `leaving`, `name`, and the limit that was seen."""
    return _split(request, approved(request, SPLIT_POPULATION))


def leave_as_agreed(request: ChangeRequest) -> Effect:
    """LEAVE_POPULATION: the same with one member that leaves."""
    return _split(request, approved(request, LEAVE_POPULATION))


def _split(request: ChangeRequest, payload: dict[str, Any]) -> Effect:
    # Locked with its members at once: one order, one time.
    leaving = [UUID(text) for text in payload["leaving"]]
    rows = locked([UUID(payload["population"]), *leaving])
    population = rows.get(UUID(payload["population"]))
    if population is None:
        raise Stale(CannotShare())
    _same_limit(population, payload["limit_nano"])
    try:
        facts = dividing.split_population(
            population=population,
            leaving=leaving,
            tenant=request.tenant,
            name=payload["name"],
            reason=request.reason,
        )
    except _OVERTAKEN as overtaken:
        raise Stale(overtaken) from overtaken
    return Effect(facts)


def invite_as_agreed(request: ChangeRequest) -> Effect:
    """SHARE_POPULATION: payload `population`. The code is shown to the approver, this once."""
    payload = approved(request, SHARE_POPULATION)
    rows = _own(request, [payload["population"]])
    population = rows[UUID(payload["population"])]
    if population.closed_at is not None or population.kind != Budget.Kind.POPULATION:
        raise Stale(said("This shared budget has ended."))
    invitation, code = new_invitation(population)
    facts = {
        "population": str(population.pk),
        "name": population.label,
        "invitation": str(invitation.pk),
        "expires_at": invitation.expires_at.isoformat(),
    }
    return Effect(facts, shown_once=code)


def accept_as_agreed(request: ChangeRequest) -> Effect:
    """ACCEPT_POPULATION: payload `invitation`, `dataset_budgets`, and the limit that was offered.

    Raises InsufficientBudget when what the datasets have lost does not fit; the request waits on.
    """
    payload = approved(request, ACCEPT_POPULATION)
    population_id = crossing.admit(UUID(payload["invitation"]), request.tenant_id)
    if population_id is None:
        raise Stale(said("The invitation is not there any more. Ask for a new code."))
    budget_ids = [UUID(text) for text in payload["dataset_budgets"]]
    rows = locked([population_id, *budget_ids])
    population = rows[population_id]
    if population.limit_nano > payload["limit_nano"]:
        raise Stale(said("The limit of the shared budget was raised since the code was entered."))
    joined = []
    try:
        for budget_id in budget_ids:
            carried = bring_in(population=population, dataset_budget=rows[budget_id])
            joined.append(joining_facts(population, rows[budget_id], carried))
    except _OVERTAKEN as overtaken:
        raise Stale(overtaken) from overtaken
    return Effect({"population": str(population_id), "joined": joined})


def _own(request: ChangeRequest, ids: Iterable[str]) -> dict[UUID, Budget]:
    """The tenant's own budgets, locked in order; Stale when one is not there."""
    wanted = [UUID(text) for text in ids]
    rows = locked(wanted)
    if any(pk not in rows or rows[pk].tenant_id != request.tenant_id for pk in wanted):
        raise Stale(CannotShare())
    return rows


def _same_limit(population: Budget, seen_nano: int) -> None:
    if population.limit_nano != seen_nano:
        raise Stale(
            said(
                "The limit of “{name}” is another one than when this was requested.",
                name=population.label,
            )
        )
