"""Raising a limit: requested by one person, carried out when another has approved it.

The only way by which the limit of a dataset or a shared budget goes up.
"""

from uuid import UUID

from dpgov.approvals.errors import Stale
from dpgov.approvals.kinds import Effect
from dpgov.approvals.models import ASKED_BY, ChangeRequest
from dpgov.approvals.services import approved, request_change
from dpgov.budgets import crossing
from dpgov.budgets.errors import AmountOutOfRange, NotRaised, SharedLimit
from dpgov.budgets.models import Budget
from dpgov.budgets.services.limits import locked_with_lines, move_limit
from dpgov.budgets.services.line import bookable
from dpgov.budgets.words import limit_said, noted, noted_target
from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import as_text, parse_epsilon
from dpgov.tenants.models import Membership

RAISE_LIMIT = "raise_limit"
RAISABLE = (Budget.Kind.DATASET, Budget.Kind.SHARED_BUDGET)


def request_raise(
    *,
    membership: Membership,
    budget: Budget,
    limit_nano: int,
    reason: str,
    asked_by: UUID | None = None,
) -> ChangeRequest:
    """Ask for a higher limit of a dataset's or a shared budget of the own tenant.

    `limit_nano` is the limit that is wanted in nano-ε; under zCDP, at the same δ as before.
    `asked_by` is whose request the member passes on: they do not decide it, whatever they become.

    Raises NotRaised, SharedLimit, and what `approvals.services.request_change` raises.
    """
    if budget.kind not in RAISABLE or budget.tenant_id != membership.tenant_id:
        raise AmountOutOfRange(budget.kind)
    if _shared_with_others(budget):
        raise SharedLimit
    present = Budget.objects.get(pk=budget.pk)
    currency, after = present.currency, limit_wanted(present, limit_nano)
    if after <= present.limit_nano:
        raise NotRaised(limit=limit_said(present))
    return request_change(
        membership=membership,
        kind=RAISE_LIMIT,
        subject=f"budget:{budget.pk}",
        dataset=budget.label,
        payload={
            "budget": str(budget.pk),
            "before_epsilon": as_text(present.limit_epsilon_nano),
            "after_epsilon": as_text(limit_nano),
            "before_nano": present.limit_nano,
            "after_nano": after,
            **({"delta": currency.delta_text} if currency.delta else {}),
            **({ASKED_BY: str(asked_by)} if asked_by else {}),
        },
        reason=reason,
    )


def limit_wanted(budget: Budget, limit_nano: int) -> int:
    """The limit that so many nano-ε are in what the budget counts; raises AmountOutOfRange."""
    return bookable(budget.currency.limit_of(bookable(limit_nano)))


def raise_limit(request: ChangeRequest) -> Effect:
    """Carry out an approved raise; the parts of a budget follow.

    Raises Stale when the limit is no longer the one that both persons saw.
    """
    payload = approved(request, RAISE_LIMIT)
    budget = Budget.objects.get(pk=UUID(payload["budget"]), tenant_id=request.tenant_id)
    locked = locked_with_lines(budget)
    if locked.limit_nano != payload["before_nano"] or locked.closed_at is not None:
        raise Stale(
            said(
                "The limit was ε {before} when this was requested and is {limit} now. Nothing was "
                "raised; request it again.",
                before=payload["before_epsilon"],
                limit=limit_said(locked),
            )
        )
    if _shared_with_others(locked):
        raise Stale(SharedLimit())
    currency, after = locked.currency, payload["after_nano"]
    target = currency.target_of(parse_epsilon(payload["after_epsilon"]))
    move_limit(budget=locked, limit_nano=after, target_nano=target, reason=request.reason)
    return Effect(
        {
            "budget": payload["budget"],
            **noted(locked.limit_nano, currency, "before"),
            **noted(after, currency, "after"),
            **noted_target(target, currency, "after"),
        }
    )


def _shared_with_others(budget: Budget) -> bool:
    """Whether another organisation agreed to this very limit."""
    shared = budget.kind == Budget.Kind.SHARED_BUDGET
    return shared and crossing.shared_with_others(budget.pk, budget.tenant_id)
