"""After a restore nothing is admitted until an officer has confirmed the balances.

A backup may be older than the last answer. A restored database notices that it is not where it
was (another server, another database, another file), or that a checkpoint outside it is ahead of
its own log.
"""

from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR, Actor
from dpgov.audit.services import append
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget, Correction, DatabaseMark, RestoreMark
from dpgov.budgets.services.corrections import correct
from dpgov.budgets.services.place import identity
from dpgov.budgets.words import noted
from dpgov.language.said import as_values

_FREEZABLE = (Budget.Kind.DATASET, Budget.Kind.SHARED_BUDGET)


class NotFrozen(Exception):
    """The budget was confirmed before, or never frozen."""


def moved() -> bool:
    """Whether this database is another one than the ledger was last at home in."""
    here = identity()
    return here is not None and _home() not in (None, here)


def confirm_place() -> None:
    """Raise BudgetFrozen in a database that moved; asked once for each connection."""
    if getattr(connection, "dpgov_at_home", None) is connection.connection:
        return
    home, here = _home(), identity()
    if home is None and here is not None:
        DatabaseMark.objects.bulk_create([DatabaseMark(identity=here)], ignore_conflicts=True)
    elif home != here and here is not None:
        raise BudgetFrozen
    connection.dpgov_at_home = connection.connection  # type: ignore[attr-defined]


def _home() -> str | None:
    return DatabaseMark.objects.filter(pk=1).values_list("identity", flat=True).first()


def settle_in() -> None:
    """Call this database home, after every tenant has been frozen."""
    here = identity()
    if here is not None:
        DatabaseMark.objects.update_or_create(pk=1, defaults={"identity": here})


@transaction.atomic
def freeze_tenant(
    *, tenant_id: UUID, reason: str, actor: Actor = OPERATOR, outside_size: int | None = None
) -> int:
    """Freeze every dataset and shared budget of a tenant; how many were frozen by this call.

    `reason` is ours (`Said`) or a person's own.
    """
    budgets = Budget.objects.filter(
        tenant_id=tenant_id, kind__in=_FREEZABLE, frozen_at__isnull=True
    )
    count = budgets.update(frozen_at=timezone.now(), frozen_reason=as_values(reason))
    if outside_size is not None:
        RestoreMark.objects.update_or_create(
            tenant_id=tenant_id, defaults={"outside_size": outside_size}
        )
    append(
        tenant_id=tenant_id,
        actor=actor,
        action=Action.DATASETS_FROZEN,
        subject=f"tenant:{tenant_id}",
        detail={"reason": reason, "budgets": count, "outside_size": outside_size},
    )
    return count


@transaction.atomic
def confirm_budget(
    *, budget: Budget, actor: Actor, reason: str, missing_nano: int | None = None
) -> None:
    """An officer confirms a frozen budget; `missing_nano` is booked for what the backup lacks.

    It is an amount of the budget's currency.

    What people lost in a dataset is booked on the budget that it shares, too. Raises NotFrozen, or
    InsufficientBudget when more is missing than remains.
    """
    lines, shared = _beside(budget)
    frozen = Budget.objects.filter(pk=budget.pk, frozen_at__isnull=False)
    if not frozen.update(frozen_at=None, frozen_reason={}):
        raise NotFrozen
    if missing_nano is not None:
        for missing in [*(lines or [budget]), *shared]:
            correct(
                budget=missing,
                kind=Correction.Kind.AFTER_RESTORE,
                amount_nano=missing_nano,
                reason=reason,
                tenant_id=budget.tenant_id,
            )
    append(
        tenant_id=budget.tenant_id,
        actor=actor,
        action=Action.BUDGET_CONFIRMED,
        subject=f"budget:{budget.pk}",
        dataset=budget.label,
        detail={
            "reason": reason,
            **noted(missing_nano, budget.currency, "booked"),
            "shared_budgets": [{"budget": str(shared_budget.pk)} for shared_budget in shared],
        },
    )


def _beside(budget: Budget) -> tuple[list[Budget], list[Budget]]:
    """The lines of a dataset's budget and its shared one; all locked, in the one order."""
    lines = Q(as_part__dataset_budget=budget)
    shared = Q(members__dataset_budget=budget, members__left_at__isnull=True)
    ids = Budget.objects.filter(lines | shared).values_list("pk", flat=True)
    rows = Budget.objects.filter(pk__in=[budget.pk, *ids]).order_by("pk")
    locked = [row for row in rows.select_for_update(no_key=True) if row.pk != budget.pk]
    return (
        [row for row in locked if row.kind == Budget.Kind.PARTITION],
        [row for row in locked if row.kind == Budget.Kind.SHARED_BUDGET],
    )
