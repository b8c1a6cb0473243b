"""How each budget stood at the end of a month: limit, spent, left, pace, and the month before.

From the ledger's own balances at three moments, each found by an index. A part of a divided budget
counts by the largest of its lines, as everywhere. Must never add up what the ledger has added up.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, NullIf
from django.db.models.lookups import GreaterThanOrEqual

from dpgov.budgets.history import BudgetAtMoment, balance_before, standings_at
from dpgov.budgets.models import Charge, Correction
from dpgov.budgets.words import amount
from dpgov.datasets.models import Dataset
from dpgov.operation import clock
from dpgov.oversight.month.asked import NEAR, OF
from dpgov.oversight.month.calendar import Month
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import Currency

_DAY = timedelta(days=1)
# What nothing was taken of is told of so many by name; the table for a spreadsheet has them all.
QUIET = 50


@dataclass(frozen=True, slots=True)
class Stand:
    """One budget over one month, in exact nano-units of its currency."""

    name: str
    slug: str
    currency: Currency
    limit_nano: int
    before_nano: int
    month_nano: int
    earlier_nano: int
    days: int
    budget: UUID | None = None

    @property
    def left_nano(self) -> int:
        """What was left of the limit at the end."""
        return max(0, self.limit_nano - self.before_nano - self.month_nano)

    @property
    def is_nearly_spent(self) -> bool:
        """Whether a tenth of the limit or less was left at the end."""
        return self.limit_nano > 0 and self.left_nano * OF <= self.limit_nano * (OF - NEAR)

    @property
    def limit(self) -> str:
        """Exactly, with its sign."""
        return amount(self.limit_nano, self.currency)

    @property
    def spent(self) -> str:
        """In the month."""
        return amount(self.month_nano, self.currency)

    @property
    def earlier(self) -> str:
        """In the month before."""
        return amount(self.earlier_nano, self.currency)

    @property
    def left(self) -> str:
        """At the end of the month, or now."""
        return amount(self.left_nano, self.currency)

    @property
    def pace(self) -> str:
        """What a week of this month took, rounded up to three digits."""
        week = -(-self.month_nano * 7 // self.days)
        unit = 10 ** max(0, len(str(week)) - 3)
        return amount(-(-week // unit) * unit, self.currency)

    @property
    def shares(self) -> tuple[int, int, int]:
        """Spent before, spent in the month and left, in thousandths of the limit."""
        whole = max(1, self.limit_nano, self.before_nano + self.month_nano)
        before = self.before_nano * 1000 // whole
        month = self.month_nano * 1000 // whole
        return before, month, max(0, 1000 - before - month)

    def plain(self) -> tuple[str, str, str, str, str]:
        """For a spreadsheet: spent, limit, left, spent in the month before, and the unit."""
        sums = (self.month_nano, self.limit_nano, self.left_nano, self.earlier_nano)
        spent, limit, left, earlier = map(as_text, sums)
        return spent, limit, left, earlier, self.currency.unit


def worth_reading(
    datasets: QuerySet[Dataset], month: Month, named: Q, quiet: int | None
) -> Sequence[Dataset]:
    """Those that are `named`, those whose budgets were nearly spent at the end, those of whose
    budgets anything was taken in this month or the one before, and the first `quiet` others by
    name; None: all of them.

    Each has as `every` how many budgets there were before the end. One statement.
    """
    there = datasets.filter(_was_there(month)).order_by()
    number = there.values("tenant").annotate(n=Count("budget", distinct=True)).values("n")
    every = datasets.annotate(every=Subquery(number))
    if quiet is None:
        return list(every)
    telling = _nearly_spent(month) | _moved(month)
    others = datasets.filter(_was_there(month)).exclude(telling).values("pk")[:quiet]
    return list(every.filter(named | telling | Q(pk__in=others)))


def _was_there(month: Month) -> Q:
    """What is held since is of the months before, and what was held till after the end is not.

    The same as `_there`, for those that were read.
    """
    end = month.span()[1]
    not_held = Q(held_at__isnull=True) | Q(held_at__gte=end)
    return not_held & Q(created_at__lt=end, opened_at__lt=end)


def _there(dataset: Dataset, end: datetime) -> bool:
    opened = dataset.opened_at is not None and max(dataset.created_at, dataset.opened_at) < end
    return opened and (dataset.held_at is None or dataset.held_at >= end)


def _nearly_spent(month: Month) -> Q:
    """Which datasets have a budget that was nearly spent at the end, or is in a month not over.

    What is spent now says nothing of a month that is over: it may have been refunded since.
    """
    end = month.span()[1]
    if end > clock.now():
        most_left = F("budget__limit_nano") * (OF - NEAR) / OF
        nearly_now = Q(budget__limit_nano__lte=F("budget__spent_nano") + most_left)
        return nearly_now & Q(budget__spent_nano__gt=0)
    limit, spent_then = balance_before(end, of="budget")
    nearly = GreaterThanOrEqual(spent_then * OF, NullIf(limit, 0) * NEAR)
    # A budget that was opened later had no limit: nearly spent is unknown, which is no.
    return Q(Coalesce(nearly, False, output_field=BooleanField()))


def _moved(month: Month) -> Q:
    """Which datasets have a budget that something was booked on; of a divided one, on a part."""
    begin, end = month.before().span()[0], month.span()[1]
    within = {"budget": OuterRef("budget"), "created_at__gte": begin, "created_at__lt": end}
    booked = Q(Exists(Charge.objects.filter(**within))) | Q(
        Exists(Correction.objects.filter(**within))
    )
    return booked | ~Q(partition_column="")


def further_than(stands: Sequence[Stand], read: Collection[Dataset]) -> int:
    """How many budgets there are that were not read."""
    every = next((int(getattr(one, "every") or 0) for one in read), 0)  # noqa: B009
    return max(0, every - len(stands))


def stands_of(
    known: Collection[Dataset], month: Month, budgets: QuerySet[Any, Any] | None = None
) -> tuple[Stand, ...]:
    """Each of these datasets that was there before the end; those of one budget together.

    Those of which the month took the largest part come first.

    `known` were read with their budgets: one statement more. `budgets` finds these where they are
    thousands, each of which would be sent otherwise. A month that is not over stands as
    the ledger stands now.
    """
    (begin, end), now = month.span(), clock.now()
    by_budget: defaultdict[UUID, list[Dataset]] = defaultdict(list)
    for dataset in sorted(known, key=lambda one: (one.archived_at is not None, one.name)):
        if _there(dataset, end):
            by_budget[dataset.budget_id].append(dataset)
    moments = (month.before().span()[0], begin, end if end <= now else None)
    which = list(by_budget) if budgets is None else budgets
    at = standings_at(which, moments) if by_budget else {}
    days = max(1, -(-(min(end, now) - begin) // _DAY))
    stands = [_stand(of, at[budget], days, budget) for budget, of in by_budget.items()]
    return tuple(sorted(stands, key=lambda one: (-one.shares[1], one.name.casefold())))


def _stand(
    datasets: Sequence[Dataset], at: Sequence[BudgetAtMoment], days: int, budget: UUID
) -> Stand:
    earlier, begin, end = at
    return Stand(
        name=", ".join(dataset.name for dataset in datasets),
        slug=datasets[0].slug,
        currency=datasets[0].budget.currency,
        limit_nano=end.limit_nano,
        before_nano=begin.spent_nano,
        month_nano=max(0, end.spent_nano - begin.spent_nano),
        earlier_nano=max(0, begin.spent_nano - earlier.spent_nano),
        days=days,
        budget=budget,
    )
