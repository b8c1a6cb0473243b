"""Which budgets a query touches, how much of each, and which of their limits binds.

A function of the question, the declarations and the ledger; never of the data.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.db.models import F, Q, QuerySet, Value
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from dpgov.budgets.models import Allocation, Budget, BudgetPart, RateLimit, SharedBudgetMember
from dpgov.budgets.services.line import Line
from dpgov.budgets.windows import counting_day, window_of
from dpgov.budgets.words import amount, limit_in_words, rate_in_words
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.tenants.models import User

Allocations = Sequence[Allocation]
_DATASET_KINDS = (Budget.Kind.DATASET, Budget.Kind.PARTITION)
_OF_A_RATE = ("period", "limit_nano", "window_start", "taken_nano")


class AllocationNeeded(SpokenRefusal):
    """The dataset may be asked only under an allocation, and this person has none."""

    def __init__(self) -> None:
        super().__init__(
            said("Questions about this dataset need an allocation. Ask its owner to grant you one.")
        )


class ChooseAllocation(SpokenRefusal):
    """The person may charge several allocations and has to say which."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        super().__init__(said("Choose what to charge: {names}.", names=", ".join(names)))


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a partition that a question is restricted to; None for all of them."""

    names: frozenset[str] | None = None
    factor: int = 1


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit that a question touches, in `currency`. `fit_nano` is the largest that it admits.

    `period` is "day", "week" or "month" for a rate, which counts from zero again on `renews_on`.
    `taken_nano` is what the questions that are priced take of it together.
    """

    words: str
    kind: str
    limit_nano: int
    remaining_nano: int
    factor: int = 1
    period: str = ""
    renews_on: date | None = None
    stopped: bool = False
    currency: Currency = PURE
    budget_id: UUID | None = None
    taken_nano: int = 0

    @property
    def admitted_nano(self) -> int:
        """What it still admits, of everything that counts on it."""
        return 0 if self.stopped else max(0, self.remaining_nano)

    @property
    def fits(self) -> bool:
        """Whether what is taken fits."""
        return not self.stopped and self.taken_nano <= self.remaining_nano

    @property
    def committed_nano(self) -> int:
        """What is taken of it."""
        return self.limit_nano - self.remaining_nano

    @property
    def fit_nano(self) -> int:
        """The largest cost that still fits."""
        return self.admitted_nano // self.factor

    @property
    def shortage(self) -> str:
        """Why no more is admitted, with the numbers that a person needs."""
        if self.renews_on is None and self.factor > 1:
            pattern = _(
                "Only {left} remains of {limit}; this question counts {factor} times there."
            )
        elif self.renews_on is None:
            pattern = _("Only {left} remains of {limit}.")
        elif self.factor > 1:
            pattern = _(
                "Only {left} remains of {limit}, until {day}; this question counts {factor} times "
                "there."
            )
        else:
            pattern = _("Only {left} remains of {limit}, until {day}.")
        return pattern.format(
            left=amount(max(0, self.remaining_nano), self.currency),
            limit=self.words,
            day=date_format(self.renews_on) if self.renews_on else "",
            factor=self.factor,
        )


def is_own(limit: Limit) -> bool:
    """Whether it is a dataset's own for life, or that of one of its parts."""
    return limit.kind in _DATASET_KINDS and not limit.period


def allocations_of(user: User, dataset_budget_id: UUID) -> list[Allocation]:
    """What this person may charge on a dataset's budget: their own, then their projects'."""
    mine = Q(user=user) | Q(project__members__user=user, project__ended_at__isnull=True)
    found = Allocation.objects.filter(
        mine, dataset_budget=dataset_budget_id, budget__closed_at__isnull=True
    )
    return sorted(
        found.select_related("budget", "project", "user").distinct(),
        key=lambda one: (one.project_id is not None, str(one)),
    )


def named_allocations(user: User, dataset_budget_id: UUID) -> list[tuple[str, str]]:
    """The ids of the same, and what to call them before the person who may charge them."""
    return names_of_allocations(allocations_of(user, dataset_budget_id))


def names_of_allocations(allocations: Iterable[Allocation]) -> list[tuple[str, str]]:
    """Ids and names of what somebody may charge, for themselves to choose from."""
    return [(str(one.pk), _in_words(one)) for one in allocations]


def _in_words(allocation: Allocation) -> str:
    if allocation.project is None:
        return _("Your own allocation")
    return _("{name} (project)").format(name=allocation)


def choose_allocation(
    allocations: Sequence[Allocation], *, wanted: UUID | None, needed: bool
) -> Allocation | None:
    """The allocation to charge: the wanted one, the person's own, or the only project's.

    None where the dataset asks for none and nobody granted one. Raises AllocationNeeded and
    ChooseAllocation.
    """
    if wanted is not None:
        for allocation in allocations:
            if allocation.pk == wanted:
                return allocation
        raise AllocationNeeded
    if not allocations:
        if needed:
            raise AllocationNeeded
        return None
    if len(allocations) > 1 and allocations[0].user_id is None:
        raise ChooseAllocation([str(allocation) for allocation in allocations])
    return allocations[0]


def lines_of_query(
    *, dataset_budget_id: UUID, cost_nano: int, parts: Parts, allocation: Allocation | None
) -> list[Line]:
    """Every budget that a query of this cost touches, with its amount."""
    divided, joined, apart = _divided_and_joined(dataset_budget_id)
    touched = parts if apart else Parts()
    lines = list(_dataset_lines(dataset_budget_id, divided, cost_nano, touched))
    if allocation is not None:
        lines.append(Line(allocation.pk, cost_nano, what="allocation"))
    return lines + [Line(budget, cost_nano, what="shared_budget") for budget in joined]


def _divided_and_joined(budget_id: UUID) -> tuple[dict[str, UUID], list[UUID], bool]:
    """The parts by name, the shared budgets, and whether parts are told apart.

    One read, made after the question's version was read: whoever sees the file that ended the
    discount sees its end.
    """
    divided = BudgetPart.objects.filter(dataset_budget=budget_id).order_by()
    joined = SharedBudgetMember.objects.filter(dataset_budget=budget_id, left_at__isnull=True)
    ended = Budget.objects.filter(pk=budget_id, undivided_at__isnull=False).order_by()
    rows = divided.values_list(Value("part"), "position", "part", "budget").union(
        joined.order_by().values_list(Value("shared_budget"), Value(0), Value(""), "shared_budget"),
        ended.values_list(Value("undivided"), Value(0), Value(""), "pk"),
        all=True,
    )
    found = sorted(rows, key=lambda row: row[1])
    return (
        {part: budget for what, _, part, budget in found if what == "part"},
        [budget for what, _, _, budget in found if what == "shared_budget"],
        all(what != "undivided" for what, *_ in found),
    )


def _dataset_lines(
    budget_id: UUID, divided: Mapping[str, UUID], cost_nano: int, parts: Parts
) -> Iterator[Line]:
    if not divided:
        yield Line(budget_id, cost_nano, what="dataset")
    elif parts.names is None or not parts.names <= set(divided):
        yield from (Line(line, cost_nano, what=f"part {name}") for name, line in divided.items())
    else:
        for name in parts.names:
            yield Line(divided[name], cost_nano * parts.factor, parts.factor, what=f"part {name}")


def limits_touched(lines: Sequence[Line], moment: datetime | None = None) -> list[Limit]:
    """Every lifetime limit and rate over these lines, the tightest first.

    `moment` says which windows of the rates are meant: those of now.
    """
    by_id = {line.budget_id: line.factor for line in lines}
    return _limits(Budget.objects.filter(pk__in=by_id), by_id, moment)


def limits_within_reach(dataset_budget_id: UUID, allocations: Iterable[UUID]) -> list[Limit]:
    """Every limit that a question about all of a dataset could touch, the tightest first.

    Of the allocations, which are all in it, a question touches the one that it is charged to.
    """
    joined = SharedBudgetMember.objects.filter(
        dataset_budget=dataset_budget_id, left_at__isnull=True
    ).values("shared_budget")
    lines = BudgetPart.objects.filter(dataset_budget=dataset_budget_id).order_by()
    within = Q(pk__in=[dataset_budget_id, *allocations]) | Q(pk__in=joined)
    within |= Q(pk__in=lines.values("budget"))
    found = _limits(Budget.objects.filter(within), {}, None)
    if any(limit.kind == Budget.Kind.PARTITION for limit in found):
        return [limit for limit in found if limit.kind != Budget.Kind.DATASET]
    return found


def _limits(
    budgets: QuerySet[Budget], factors: Mapping[UUID, int], moment: datetime | None
) -> list[Limit]:
    """One read: a budget comes once for each of its rates, or once without any."""
    now = moment or clock.now()
    rows = budgets.select_related("as_part", "allocation__project", "allocation__user").annotate(
        **{f"rate_{name}": F(f"rate_limits__{name}") for name in _OF_A_RATE}
    )
    known = {}
    for budget in rows:
        factor = factors.get(budget.pk, 1)
        known[budget.pk, ""] = lifetime(budget, factor)
        rate = {name: getattr(budget, f"rate_{name}") for name in _OF_A_RATE}
        if rate["period"] is not None:
            known[budget.pk, rate["period"]] = _rate(RateLimit(budget=budget, **rate), factor, now)
    return sorted(known.values(), key=lambda limit: (limit.fit_nano, limit.words))


def one_part_each(limits: Iterable[Limit]) -> Iterator[Limit]:
    """The same limits, of a partition's many parts only the tightest of each period."""
    seen = set()
    for limit in limits:
        if limit.kind != Budget.Kind.PARTITION or limit.period not in seen:
            yield limit
        if limit.kind == Budget.Kind.PARTITION:
            seen.add(limit.period)


def lifetime(budget: Budget, factor: int = 1) -> Limit:
    """A budget's own limit, which never renews."""
    return Limit(
        limit_in_words(budget),
        budget.kind,
        budget.limit_nano,
        budget.remaining_nano,
        factor,
        stopped=budget.frozen_at is not None or budget.closed_at is not None,
        currency=budget.currency,
        budget_id=budget.pk,
    )


def _rate(rate: RateLimit, factor: int, moment: datetime) -> Limit:
    present = window_of(rate.period, counting_day(moment, rate.budget.counted_on), rate)
    return Limit(
        rate_in_words(limit_in_words(rate.budget), rate.period),
        rate.budget.kind,
        rate.limit_nano,
        max(0, rate.limit_nano - present.taken_nano),
        factor,
        period=rate.period,
        renews_on=present.end,
        currency=rate.budget.currency,
        budget_id=rate.budget_id,
    )
