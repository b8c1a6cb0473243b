"""New budgets."""

from collections.abc import Sequence

from django.db import transaction

from dpgov.budgets.models import Budget, BudgetAccess, LimitChange, PartitionLine
from dpgov.budgets.services.line import amount
from dpgov.tenants.models import Tenant


class AlreadyCharged(Exception):
    """A budget that was charged as a whole cannot be divided into lines any more."""


@transaction.atomic
def open_budget(
    *,
    tenant: Tenant,
    label: str,
    limit_nano: int,
    kind: Budget.Kind = Budget.Kind.DATASET,
    reason: str = "opened",
) -> Budget:
    """A new budget with nothing spent; the caller writes the audit entry of the larger step."""
    limit = amount(limit_nano)
    budget = Budget.objects.create(tenant=tenant, kind=kind, label=label, limit_nano=limit)
    BudgetAccess.objects.create(budget=budget, tenant=tenant)
    LimitChange.objects.create(
        tenant=tenant, budget=budget, before_nano=0, after_nano=limit, reason=reason
    )
    return budget


@transaction.atomic
def open_partition_lines(*, budget: Budget, parts: Sequence[str]) -> None:
    """Divide a dataset's budget into one line for each part, each with the dataset's limit.

    A unit lies in one part only, so the dataset's loss is that of the largest line (PRIVACY:
    parallel composition). No audit entry of its own. Raises AlreadyCharged.
    """
    locked = Budget.objects.select_for_update().get(pk=budget.pk)
    if locked.committed_nano or locked.reservations.exists() or locked.parts.exists():
        raise AlreadyCharged
    for position, part in enumerate(parts):
        line = open_budget(
            tenant=locked.tenant,
            label=f"{locked.label}: {part}"[:200],
            limit_nano=locked.limit_nano,
            kind=Budget.Kind.PARTITION,
        )
        PartitionLine.objects.create(
            budget=line,
            tenant=locked.tenant,
            dataset_budget=locked,
            position=position,
            part=part,
        )
