"""New budgets, and the lines of a partition after it was made: new parts, the end of a discount.

Both join the caller's transaction, which records them. Must never give a discount back: where a
unit may lie in two parts, every question is charged to all lines from then on, for good.

What is new to a restored database need not be new: the backup lacks what came after it, with all
that was asked of it. So a budget opens frozen while any of its tenant is, and a new part begins
with what an officer booked as missing on the others.
"""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from dpgov.budgets.models import (
    Budget,
    BudgetAccess,
    BudgetPart,
    Correction,
    DerivedBudget,
    LimitChange,
    RateLimit,
)
from dpgov.budgets.services.corrections import correct
from dpgov.budgets.services.line import bookable
from dpgov.budgets.standing import frozen_budgets
from dpgov.language.said import as_values, said
from dpgov.operation import clock
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.tenants.models import Tenant
from dpgov.tenants.selectors import hold_turn

# Not an allocation, which its dataset's budget limits; nor that of a survey, which is charged as it
# opens and takes no report that belongs to another one.
_MAY_HAVE_BEEN_HERE = (Budget.Kind.DATASET, Budget.Kind.SHARED_BUDGET)
OPENED_AFTER_A_RESTORE = said(
    "Registered after a restore: nobody can tell whether these people were here before, in what "
    "the backup lacks, and were asked about. Book what they have lost."
)


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

    A dataset's or a shared one is frozen while any of the tenant's is (`standing.FREEZABLE`): an
    officer confirms it like the others. Raises InvalidAmount for a limit that nothing fits under.
    """
    budget = budget_declared(tenant, label, limit_nano, currency, kind=kind, protects=protects)
    if kind in _MAY_HAVE_BEEN_HERE:
        _freeze_with_the_others(budget)
    return _opened(budget, reason)


def _freeze_with_the_others(budget: Budget) -> None:
    """A freeze that did not find the budget yet is seen here, or comes after this transaction."""
    hold_turn(budget.tenant_id)
    if frozen_budgets(budget.tenant_id).exists():
        budget.frozen_at = clock.now()
        budget.frozen_reason = as_values(OPENED_AFTER_A_RESTORE)


def budget_declared(
    tenant: Tenant,
    label: str,
    limit_nano: int,
    currency: Currency,
    *,
    kind: Budget.Kind = Budget.Kind.DATASET,
    protects: str = "",
) -> Budget:
    """The row that such a budget would be; nothing is written.

    `limit_nano` is the owner's limit in nano-ε; under zCDP the budget keeps the ρ that stays
    within it at δ. Raises InvalidAmount for a limit that nothing fits under.
    """
    return Budget(
        tenant=tenant,
        kind=kind,
        label=label,
        mode=currency.mode.value,
        delta=currency.delta_text,
        limit_nano=bookable(currency.limit_of(bookable(limit_nano))),
        target_nano=currency.target_of(limit_nano),
        protects=protects,
    )


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

    A part of a larger step, which knows that no unit in it has lost anything, or books it.
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


def is_undivided(budget_id: UUID) -> bool:
    """Whether the discount has ended, as it is now, whatever was read before."""
    return Budget.objects.filter(pk=budget_id, undivided_at__isnull=False).exists()


def give_up_parts(*, budget_id: UUID) -> None:
    """From now on every question is charged to each line of this dataset's budget.

    Sound whatever was charged before: let R(p) be what questions about part p alone have taken,
    in whatever order they still arrive from the file that had the discount, and N what is charged
    to all lines. A unit that was in p there and is anywhere else now has lost R(p) + N at most
    (under change_one R(p) + R(q) + N), and that is on a line.
    """
    divided = Budget.objects.filter(pk=budget_id, undivided_at__isnull=True)
    divided.update(undivided_at=clock.now())


def add_parts(*, budget_id: UUID, parts: Sequence[str]) -> list[str]:
    """A line for each of these parts that has none yet; returns those that are new.

    It has the limit and the rates of the others and, of what is spent, what was booked after a
    restore: only units that come for the first time lie in a part that was not there before, but
    for a part that came after the backup, with units that were asked about since.
    """
    locked = Budget.objects.select_for_update(no_key=True).get(pk=budget_id)
    lines = BudgetPart.objects.filter(dataset_budget=locked)
    lines = lines.select_related("budget").order_by("position")
    known = {line.part: line for line in lines}
    new = [part for part in parts if part not in known]
    last = lines.aggregate(last=Max("position"))["last"] or 0
    for place, part in enumerate(new):
        line = open_part(locked, part=part, position=last + 1 + place)
        model = next(iter(known.values())).budget
        _same_rates(model, line)
        _book_what_was_missing(model, line)
    return new


def _same_rates(model: Budget, line: Budget) -> None:
    Budget.objects.filter(pk=line.pk).update(counted_on=model.counted_on)
    for rate in RateLimit.objects.filter(budget=model):
        RateLimit.objects.create(
            tenant_id=line.tenant_id,
            budget=line,
            period=rate.period,
            limit_nano=rate.limit_nano,
            window_start=rate.window_start,
        )


def _book_what_was_missing(model: Budget, line: Budget) -> None:
    """One by one, as the log has them: each was booked on every line that there was."""
    missing = model.corrections.filter(kind=Correction.Kind.AFTER_RESTORE)
    for one in missing.order_by("created_at", "id"):
        correct(
            budget=line,
            kind=Correction.Kind.AFTER_RESTORE,
            amount_nano=one.amount_nano,
            reason=one.reason,
            tenant_id=one.tenant_id,
        )


def derive_budget(*, budget: Budget, parents: Sequence[Budget]) -> None:
    """From now on, and for good, what is charged to `budget` is charged to these as well.

    In the caller's transaction, which records it, and before anything was charged. The database
    asks that they are budgets of datasets of one tenant, currency and promise (guard_derived).
    """
    DerivedBudget.objects.bulk_create(
        DerivedBudget(tenant_id=budget.tenant_id, budget=budget, parent=parent)
        for parent in parents
    )
