"""How the limits of a dataset's budget stand: its rates, its parts and who was granted how much.

And which budgets are frozen after a restore. Reads for owners' and analysts' pages; who may see the
split of an amount is for the page to know.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.db.models import Case, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Coalesce, Lower, NullIf

from dpgov.budgets.models import Allocation, Budget, BudgetPart, RateLimit, Reservation
from dpgov.budgets.together import with_parts
from dpgov.budgets.windows import counting_day, day_of, window_of
from dpgov.budgets.words import limit_in_words
from dpgov.operation import clock


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate for one period: `limit_nano` is None where there is none."""

    period: str
    words: str
    limit_nano: int | None
    taken_nano: int
    renews_on: date

    @property
    def remaining_nano(self) -> int:
        """What may still be reserved in the present window; never negative."""
        return max(0, (self.limit_nano or 0) - self.taken_nano)


@dataclass(frozen=True, slots=True)
class Part:
    """One line of a partition; the largest of them is the dataset's loss."""

    name: str
    budget: Budget
    is_largest: bool


def rates_of(budget: Budget, moment: datetime | None = None) -> list[Rate]:
    """The rates by day, week and month; of a partitioned dataset, of its most used part."""
    now = moment or clock.now()
    lines = list(budget.parts.order_by().values_list("budget", flat=True)) or [budget.pk]
    found = list(RateLimit.objects.filter(budget__in=lines).select_related("budget"))
    return [_rate(period, found, now) for period in RateLimit.Period]


def _rate(period: RateLimit.Period, rates: Iterable[RateLimit], moment: datetime) -> Rate:
    mine = [rate for rate in rates if rate.period == period]
    windows = [
        window_of(period, counting_day(moment, rate.budget.counted_on), rate) for rate in mine
    ]
    present = max(windows, default=window_of(period, day_of(moment)))
    return Rate(
        period=period.value,
        words=str(period.label),
        limit_nano=mine[0].limit_nano if mine else None,
        taken_nano=present.taken_nano,
        renews_on=present.end,
    )


def parts_of(budget: Budget) -> list[Part]:
    """The parts of a divided budget in their declared order; nothing for other datasets."""
    lines = list(BudgetPart.objects.filter(dataset_budget=budget).select_related("budget"))
    largest = max((line.budget.committed_nano for line in lines), default=0)
    return [
        Part(line.part, line.budget, 0 < largest == line.budget.committed_nano) for line in lines
    ]


def allocations_under(dataset_budget: Budget) -> QuerySet[Allocation]:
    """Every allocation on a dataset's budget, by name; those that were withdrawn last."""
    allocations = Allocation.objects.filter(dataset_budget=dataset_budget)
    # A person without a name is called by their address.
    person = Coalesce(NullIf("user__name", Value("")), "user__email")
    is_closed = Q(budget__closed_at__isnull=False)
    return allocations.select_related("budget", "user", "project").order_by(
        Case(When(is_closed, then=1), default=0), Lower(Coalesce(person, "project__name")), "pk"
    )


def granted_together(dataset_budget: Budget) -> int:
    """What the allocations on it that were not withdrawn come to."""
    granted = Allocation.objects.filter(
        dataset_budget=dataset_budget, budget__closed_at__isnull=True
    )
    return int(granted.aggregate(nano=Sum("budget__limit_nano", default=0))["nano"])


def get_allocation(dataset_budget: Budget, allocation_id: UUID) -> Allocation:
    """One allocation on this budget; raises Allocation.DoesNotExist for every other id."""
    allocations = Allocation.objects.select_related("budget", "user", "project", "dataset_budget")
    return allocations.get(pk=allocation_id, dataset_budget=dataset_budget)


def charged_to(query_id: UUID, *, reader_id: UUID) -> list[tuple[str, int]]:
    """What a question counts against, in words, and how much of each."""
    holds = Reservation.objects.filter(query_id=query_id).select_related(
        "budget__as_part", "budget__allocation__project", "budget__allocation__user"
    )
    found = [
        (limit_in_words(h.budget, reader_id=reader_id), h.amount_nano, h.budget) for h in holds
    ]
    places = list(Budget.Kind)
    found.sort(key=lambda one: (places.index(Budget.Kind(one[2].kind)), one[0]))
    return [(words, nano) for words, nano, _ in found]


def taken_by(query_id: UUID) -> tuple[int, int]:
    """The most that a question takes of any one budget, and how many times its cost that is."""
    holds = Reservation.objects.filter(query_id=query_id)
    most = holds.order_by("-amount_nano", "-factor").values_list("amount_nano", "factor").first()
    return most or (0, 1)


def allocations_charged(query_ids: Iterable[UUID]) -> dict[UUID, str]:
    """For each of these questions that was charged to an allocation, whose it is."""
    holds = Reservation.objects.filter(
        query_id__in=list(query_ids), budget__kind=Budget.Kind.ALLOCATION
    ).select_related("budget__allocation__project", "budget__allocation__user")
    return {hold.query_id: str(hold.budget.allocation) for hold in holds}


# That of a survey as long as reports may come: what was sent after the backup is not known here.
FREEZABLE = Q(kind__in=(Budget.Kind.DATASET, Budget.Kind.SHARED_BUDGET)) | Q(
    kind=Budget.Kind.SURVEY, closed_at__isnull=True
)


def frozen_budgets(tenant_id: UUID) -> QuerySet[Budget]:
    """The tenant's frozen datasets, shared budgets and open surveys, by name."""
    frozen = Budget.objects.filter(FREEZABLE, tenant_id=tenant_id, frozen_at__isnull=False)
    return frozen.order_by("label", "id")


def holds_from_before(budget: Budget, moment: datetime) -> bool:
    """Whether a question that was accepted before this moment still holds something of it."""
    return _held(budget).filter(created_at__lt=moment).exists()


def holds_something(budget: Budget) -> bool:
    """Whether a question that was accepted holds something of it, or of one of its parts.

    Its own `reserved_nano` does not tell: what one part holds may be less than another has spent.
    """
    return _held(budget).exists()


def _held(budget: Budget) -> QuerySet[Reservation]:
    lines = with_parts([budget.pk])
    return Reservation.objects.filter(budget__in=lines, state=Reservation.State.HELD)


def get_freezable(tenant_id: UUID, budget_id: UUID) -> Budget:
    """One of the tenant's own that a restore freezes; raises Budget.DoesNotExist."""
    return Budget.objects.get(FREEZABLE, pk=budget_id, tenant_id=tenant_id)
