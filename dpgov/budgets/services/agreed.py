"""What two persons agreed about a shared budget, carried out in the transaction of the approval.

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
from dpgov.budgets.services.invitations import ACCEPT_SHARED_BUDGET, OwnersPractise, new_invitation
from dpgov.budgets.services.shared_budgets import (
    AlreadyShares,
    CannotShare,
    SharedBudgetNameTaken,
    bring_in,
    joining_facts,
    locked,
)
from dpgov.language.said import said

MERGE_SHARED_BUDGETS = "merge_shared_budgets"
SPLIT_SHARED_BUDGET = "split_shared_budget"
LEAVE_SHARED_BUDGET = "leave_shared_budget"
INVITE_TO_SHARE = "invite_to_share"
_OVERTAKEN = (
    BudgetClosed,
    AlreadyShares,
    CannotShare,
    SharedBudgetNameTaken,
    dividing.NobodyStays,
    dividing.NotMembers,
    dividing.SharedWithOthers,
)


def merge_as_agreed(request: ChangeRequest) -> Effect:
    """MERGE_SHARED_BUDGETS: payload `into`, `other`, and the limits that were seen."""
    payload = approved(request, MERGE_SHARED_BUDGETS)
    rows = _own(request, [payload["into"], payload["other"]])
    into, other = rows[UUID(payload["into"])], rows[UUID(payload["other"])]
    _same_limit(into, payload["into_limit_nano"])
    _same_limit(other, payload["other_limit_nano"])
    try:
        facts = dividing.merge_shared_budgets(into=into, other=other, reason=request.reason)
    except _OVERTAKEN as overtaken:
        raise Stale(overtaken) from overtaken
    return Effect(facts)


def split_as_agreed(request: ChangeRequest) -> Effect:
    """SPLIT_SHARED_BUDGET: payload `shared_budget`, `leaving`, `name`, and the limit seen."""
    return _split(request, approved(request, SPLIT_SHARED_BUDGET))


def leave_as_agreed(request: ChangeRequest) -> Effect:
    """LEAVE_SHARED_BUDGET: the same with one member that leaves."""
    return _split(request, approved(request, LEAVE_SHARED_BUDGET))


def _split(request: ChangeRequest, payload: dict[str, Any]) -> Effect:
    # Locked with its members at once: one order, one time.
    leaving = [UUID(text) for text in payload["leaving"]]
    rows = locked([UUID(payload["shared_budget"]), *leaving])
    shared_budget = rows.get(UUID(payload["shared_budget"]))
    if shared_budget is None:
        raise Stale(CannotShare())
    _same_limit(shared_budget, payload["limit_nano"])
    try:
        facts = dividing.split_shared_budget(
            shared_budget=shared_budget,
            leaving=leaving,
            tenant=request.tenant,
            name=payload["name"],
            reason=request.reason,
        )
    except _OVERTAKEN as overtaken:
        raise Stale(overtaken) from overtaken
    return Effect(facts)


def invite_as_agreed(request: ChangeRequest) -> Effect:
    """INVITE_TO_SHARE: payload `shared_budget`. The code is shown to the approver, this once."""
    payload = approved(request, INVITE_TO_SHARE)
    rows = _own(request, [payload["shared_budget"]])
    shared_budget = rows[UUID(payload["shared_budget"])]
    if shared_budget.closed_at is not None or shared_budget.kind != Budget.Kind.SHARED_BUDGET:
        raise Stale(said("This shared budget has ended."))
    try:
        invitation, code = new_invitation(shared_budget)
    except OwnersPractise as refused:
        raise Stale(refused) from refused
    facts = {
        "shared_budget": str(shared_budget.pk),
        "name": shared_budget.label,
        "invitation": str(invitation.pk),
        "expires_at": invitation.expires_at.isoformat(),
    }
    return Effect(facts, shown_once=code)


def accept_as_agreed(request: ChangeRequest) -> Effect:
    """ACCEPT_SHARED_BUDGET: payload `invitation`, `dataset_budgets`, and the limit offered.

    Raises InsufficientBudget when what the datasets have lost does not fit; the request waits on.
    """
    payload = approved(request, ACCEPT_SHARED_BUDGET)
    shared_budget_id = crossing.admit(UUID(payload["invitation"]), request.tenant_id)
    if shared_budget_id is None:
        raise Stale(said("The invitation is not there any more. Ask for a new code."))
    budget_ids = [UUID(text) for text in payload["dataset_budgets"]]
    rows = locked([shared_budget_id, *budget_ids])
    shared_budget = rows[shared_budget_id]
    if shared_budget.limit_nano > payload["limit_nano"]:
        raise Stale(said("The limit of the shared budget was raised since the code was entered."))
    joined = []
    try:
        for budget_id in budget_ids:
            carried = bring_in(
                shared_budget=shared_budget, dataset_budget=rows[budget_id], invited=True
            )
            joined.append(joining_facts(shared_budget, rows[budget_id], carried))
    except _OVERTAKEN as overtaken:
        raise Stale(overtaken) from overtaken
    return Effect({"shared_budget": str(shared_budget_id), "joined": joined})


def _own(request: ChangeRequest, ids: Iterable[str]) -> dict[UUID, Budget]:
    """The tenant's own budgets, locked in order; Stale when one is not there."""
    wanted = [UUID(text) for text in ids]
    rows = locked(wanted)
    if any(pk not in rows or rows[pk].tenant_id != request.tenant_id for pk in wanted):
        raise Stale(CannotShare())
    return rows


def _same_limit(shared_budget: Budget, seen_nano: int) -> None:
    if shared_budget.limit_nano != seen_nano:
        raise Stale(
            said(
                "The limit of “{name}” is another one than when this was requested.",
                name=shared_budget.label,
            )
        )
