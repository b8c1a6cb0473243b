"""Limits that change: for a lifetime, or for a day, a week or a month."""

from datetime import date, datetime

from django.db import transaction
from django.db.models import F, QuerySet, Sum

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.services import append
from dpgov.budgets.errors import LimitBelowCommitted, RaisingTakesTwo
from dpgov.budgets.models import Budget, LimitChange, RateLimit, Reservation
from dpgov.budgets.services.line import bookable
from dpgov.budgets.windows import counting_day, window_start
from dpgov.budgets.words import noted, noted_target
from dpgov.operation import clock


@transaction.atomic
def change_limit(*, budget: Budget, limit_nano: int, actor: Actor, reason: str) -> Budget:
    """Set a lower limit; refused below what is spent or reserved (LimitBelowCommitted).

    `limit_nano` is the owner's, in nano-ε; under zCDP the limit is the ρ that keeps it at δ.

    The parts of a budget follow it. RaisingTakesTwo for a higher limit, which
    `raising.raise_limit` sets once two persons agree; an owner alone raises an allocation only,
    because the dataset's limit binds whatever the allocations add up to.
    """
    locked = locked_with_lines(budget)
    currency, before = locked.currency, locked.limit_nano
    limit = bookable(currency.limit_of(bookable(limit_nano)))
    target = currency.target_of(limit_nano)
    if limit > before and locked.kind != Budget.Kind.ALLOCATION:
        raise RaisingTakesTwo
    move_limit(budget=locked, limit_nano=limit, target_nano=target, reason=reason)
    append(
        tenant_id=locked.tenant_id,
        actor=actor,
        action=Action.BUDGET_LIMIT_CHANGED,
        subject=f"budget:{locked.id}",
        dataset=locked.label,
        detail={
            **noted(before, currency, "before"),
            **noted(limit, currency, "after"),
            **noted_target(target, currency, "after"),
            "reason": reason,
        },
    )
    locked.limit_nano, locked.target_nano = limit, target
    return locked


def remaining_under(budget: Budget, limit_nano: int) -> int:
    """What a lower limit, in nano-ε, would leave of a budget, or of the fullest of its parts.

    Refused is what `change_limit` would refuse now; it decides nothing.
    """
    currency = budget.currency
    limit = bookable(currency.limit_of(bookable(limit_nano)))
    if limit > budget.limit_nano:
        raise RaisingTakesTwo
    committed = max(one.committed_nano for one in _with_lines(budget))
    if committed > limit:
        raise LimitBelowCommitted(limit_nano=limit, committed_nano=committed, currency=currency)
    return limit - committed


def move_limit(
    *, budget: Budget, limit_nano: int, reason: str, target_nano: int | None = None
) -> None:
    """The part of a larger step that moves a limit; the caller holds the lock and records it.

    Both in the budget's own terms: its currency, and under zCDP the ε that it keeps.
    """
    fits = Budget.objects.filter(pk=budget.pk, reserved_nano__lte=limit_nano - F("spent_nano"))
    if not fits.update(limit_nano=limit_nano, target_nano=target_nano):
        raise LimitBelowCommitted(
            limit_nano=limit_nano, committed_nano=budget.committed_nano, currency=budget.currency
        )
    LimitChange.objects.create(
        tenant_id=budget.tenant_id,
        budget=budget,
        before_nano=budget.limit_nano,
        after_nano=limit_nano,
        reason=reason,
    )
    for line in Budget.objects.filter(as_part__dataset_budget=budget).order_by("pk"):
        move_limit(budget=line, limit_nano=limit_nano, target_nano=target_nano, reason=reason)


def locked_with_lines(budget: Budget) -> Budget:
    """The budget and its lines, locked in the one order."""
    family = _with_lines(budget)
    locked = {row.pk: row for row in family.select_for_update().order_by("pk")}
    return locked[budget.pk]


def _with_lines(budget: Budget) -> QuerySet[Budget]:
    return Budget.objects.filter(pk=budget.pk) | Budget.objects.filter(
        pk__in=budget.parts.order_by().values("budget")
    )


@transaction.atomic
def set_rate_limit(
    *,
    budget: Budget,
    period: RateLimit.Period,
    limit_nano: int | None,
    actor: Actor,
    reason: str = "",
    moment: datetime | None = None,
) -> None:
    """Limit what may be used of a budget a day, week or month; None lifts the rate.

    Under the lifetime limit: a new window gives nothing back. What was already used in the
    present window counts. On a partitioned dataset each line has the rate. `limit_nano` is the
    owner's, in nano-ε: under zCDP, what is released in a window stays within it at δ.
    """
    locked = locked_with_lines(budget)
    currency = locked.currency
    limit = None if limit_nano is None else bookable(currency.limit_of(bookable(limit_nano)))
    lines = list(Budget.objects.filter(as_part__dataset_budget=budget)) or [locked]
    before = RateLimit.objects.filter(budget=lines[0], period=period).first()
    for line in lines:
        _set_rate(line, period, limit, counting_day(moment or clock.now(), line.counted_on))
    append(
        tenant_id=locked.tenant_id,
        actor=actor,
        action=Action.BUDGET_RATE_CHANGED,
        subject=f"budget:{locked.id}",
        dataset=locked.label,
        detail={
            "period": period.value,
            **noted(before.limit_nano if before else None, currency, "before"),
            "reason": reason,
            **noted(limit, currency, "limit"),
        },
    )


def _set_rate(budget: Budget, period: RateLimit.Period, limit_nano: int | None, day: date) -> None:
    rates = RateLimit.objects.filter(budget=budget, period=period)
    if limit_nano is None:
        rates.delete()
        return
    Budget.objects.filter(pk=budget.pk).update(counted_on=day)
    start = window_start(period, day)
    RateLimit.objects.update_or_create(
        budget=budget,
        period=period,
        defaults={
            "tenant_id": budget.tenant_id,
            "limit_nano": limit_nano,
            "window_start": start,
            "taken_nano": taken_since(budget, start),
        },
    )


def taken_since(budget: Budget, start: date) -> int:
    """What counts from that day on, less what was given back."""
    kept = Reservation.objects.filter(
        budget=budget, state__in=[Reservation.State.HELD, Reservation.State.SETTLED]
    )
    taken = kept.filter(counted_on__gte=start).aggregate(total=Sum("amount_nano"))
    return int(taken["total"] or 0)


@transaction.atomic
def close_budget(*, budget: Budget, actor: Actor, reason: str) -> None:
    """End a budget: nothing new is admitted; what is held may still be settled."""
    locked = locked_with_lines(budget)
    Budget.objects.filter(pk=locked.pk, closed_at__isnull=True).update(closed_at=clock.now())
    append(
        tenant_id=locked.tenant_id,
        actor=actor,
        action=Action.BUDGET_CLOSED,
        subject=f"budget:{locked.id}",
        dataset=locked.label,
        detail={"reason": reason},
    )
