"""New budgets."""

from collections.abc import Sequence

from django.db import transaction

from dpgov.budgets.models import Budget, BudgetAccess, BudgetPart, LimitChange
from dpgov.budgets.services.line import bookable
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.tenants.models import Tenant


class AlreadyCharged(Exception):
    """A budget that was charged as a whole cannot be divided into lines any more."""


@transaction.atomic
def open_budget(
    *,
    tenant: Tenant,
    label: str,
    limit_nano: int,
    currency: Currency = PURE,
    kind: Budget.Kind = Budget.Kind.DATASET,
    protects: str = "",
    reason: str = "",
) -> Budget:
    """A new budget with nothing spent; the caller writes the audit entry of the larger step.

    `limit_nano` is the owner's limit in nano-ε; under zCDP the budget keeps the ρ that stays
    within it at δ. Raises InvalidAmount for a limit that nothing fits under.
    """
    budget = Budget(
        tenant=tenant,
        kind=kind,
        label=label,
        mode=currency.mode.value,
        delta=currency.delta_text,
        limit_nano=bookable(currency.limit_of(bookable(limit_nano))),
        target_nano=currency.target_of(limit_nano),
        protects=protects,
    )
    return _opened(budget, reason)


def open_like(
    budget: Budget, *, tenant: Tenant, label: str, kind: Budget.Kind, reason: str = ""
) -> Budget:
    """An empty budget with exactly the limit, currency and promise of another one."""
    twin = Budget(
        tenant=tenant,
        kind=kind,
        label=label,
        mode=budget.mode,
        delta=budget.delta,
        limit_nano=budget.limit_nano,
        target_nano=budget.target_nano,
        protects=budget.protects,
    )
    return _opened(twin, reason)


def _opened(budget: Budget, reason: str) -> Budget:
    budget.save(force_insert=True)
    BudgetAccess.objects.create(budget=budget, tenant=budget.tenant)
    LimitChange.objects.create(
        tenant=budget.tenant,
        budget=budget,
        before_nano=0,
        after_nano=budget.limit_nano,
        reason=reason,
    )
    return budget


@transaction.atomic
def open_parts(*, budget: Budget, parts: Sequence[str]) -> None:
    """Divide a dataset's budget into one line for each part, each with the dataset's limit.

    A unit lies in one part only, so the dataset's loss is that of the largest part (PRIVACY:
    parallel composition). No audit entry of its own. Raises AlreadyCharged.
    """
    locked = Budget.objects.select_for_update().get(pk=budget.pk)
    if locked.committed_nano or locked.reservations.exists() or locked.parts.exists():
        raise AlreadyCharged
    for position, part in enumerate(parts):
        open_part(locked, part=part, position=position)


def open_part(budget: Budget, *, part: str, position: int) -> Budget:
    """The line of one part, with nothing spent; the caller holds the lock of the dataset's budget.

    A part of a larger step, which knows that no unit in it has lost anything.
    """
    line = open_like(
        budget,
        tenant=budget.tenant,
        label=f"{budget.label}: {part}"[:200],
        kind=Budget.Kind.PARTITION,
    )
    BudgetPart.objects.create(
        budget=line, tenant=budget.tenant, dataset_budget=budget, position=position, part=part
    )
    return line
