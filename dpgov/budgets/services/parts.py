"""The parts of a budget after they were made: new parts, and the end of their discount.

Both join the caller's transaction, which records them. Must never give a discount back: where a
unit may lie in two parts, every question is charged to all lines from then on, for good.
"""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Max
from django.utils import timezone

from dpgov.budgets.models import Budget, BudgetPart, RateLimit
from dpgov.budgets.services.opening import open_part


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
    divided.update(undivided_at=timezone.now())


def add_parts(*, budget_id: UUID, parts: Sequence[str]) -> list[str]:
    """A line for each of these parts that has none yet; returns those that are new.

    It has the limit and the rates of the others and nothing spent: only units that come for the
    first time lie in a part that was not there before.
    """
    locked = Budget.objects.select_for_update(no_key=True).get(pk=budget_id)
    lines = BudgetPart.objects.filter(dataset_budget=locked)
    lines = lines.select_related("budget").order_by("position")
    known = {line.part: line for line in lines}
    new = [part for part in parts if part not in known]
    last = lines.aggregate(last=Max("position"))["last"] or 0
    for place, part in enumerate(new):
        line = open_part(locked, part=part, position=last + 1 + place)
        _same_rates(next(iter(known.values())).budget, line)
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
