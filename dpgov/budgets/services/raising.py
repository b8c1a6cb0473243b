"""Raising a limit: requested by one person, carried out when another has approved it.

The only way by which the limit of a dataset or a population goes up.
"""

from uuid import UUID

from dpgov.approvals.errors import Stale
from dpgov.approvals.models import ChangeRequest, Kind
from dpgov.approvals.services import Effect, approved, request_change
from dpgov.budgets import crossing
from dpgov.budgets.errors import InvalidAmount, NotRaised, SharedLimit
from dpgov.budgets.models import Budget
from dpgov.budgets.services.limits import locked_with_lines, move_limit
from dpgov.budgets.services.line import amount
from dpgov.privacy.budget import as_text
from dpgov.tenants.models import Membership

RAISABLE = (Budget.Kind.DATASET, Budget.Kind.POPULATION)


def request_raise(
    *, membership: Membership, budget: Budget, limit_nano: int, reason: str
) -> ChangeRequest:
    """Ask for a higher limit of a dataset's or a population's budget of the own tenant.

    Raises NotRaised, SharedLimit, and what `approvals.services.request_change` raises.
    """
    if budget.kind not in RAISABLE or budget.tenant_id != membership.tenant_id:
        raise InvalidAmount(budget.kind)
    if _shared_with_others(budget):
        raise SharedLimit
    before = Budget.objects.get(pk=budget.pk).limit_nano
    if amount(limit_nano) <= before:
        raise NotRaised(limit_nano=before)
    return request_change(
        membership=membership,
        kind=Kind.RAISE_LIMIT,
        subject=f"budget:{budget.pk}",
        dataset=budget.label,
        payload={
            "budget": str(budget.pk),
            "before_epsilon": as_text(before),
            "after_epsilon": as_text(limit_nano),
            "before_nano": before,
            "after_nano": limit_nano,
        },
        reason=reason,
    )


def raise_limit(request: ChangeRequest) -> Effect:
    """Carry out an approved raise; the lines of a partition follow.

    Raises Stale when the limit is no longer the one that both persons saw.
    """
    payload = approved(request, Kind.RAISE_LIMIT)
    budget = Budget.objects.get(pk=UUID(payload["budget"]), tenant_id=request.tenant_id)
    locked = locked_with_lines(budget)
    if locked.limit_nano != payload["before_nano"] or locked.closed_at is not None:
        raise Stale(
            f"The limit was ε {payload['before_epsilon']} when this was requested and is "
            f"ε {as_text(locked.limit_nano)} now. Nothing was raised; request it again."
        )
    if _shared_with_others(locked):
        raise Stale(str(SharedLimit()))
    move_limit(budget=locked, limit_nano=payload["after_nano"], reason=request.reason)
    return Effect(
        {
            "budget": payload["budget"],
            "before_epsilon": payload["before_epsilon"],
            "after_epsilon": payload["after_epsilon"],
        }
    )


def _shared_with_others(budget: Budget) -> bool:
    """Whether another organisation agreed to this very limit."""
    shared = budget.kind == Budget.Kind.POPULATION
    return shared and crossing.shared_with_others(budget.pk, budget.tenant_id)
