"""Which budgets a query touches, how much of each, and which of their limits binds.

A function of the question, the declarations and the ledger; never of the data.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from dpgov.budgets.models import (
    Allocation,
    Budget,
    RateLimit,
)
from dpgov.budgets.rated import OF_A_RATE, budgets_of, budgets_within
from dpgov.budgets.services.line import PARENT, Line
from dpgov.budgets.together import charged_together
from dpgov.budgets.windows import counting_day, window_of
from dpgov.budgets.words import amount, limit_in_words, parent_said, rate_in_words, whole_of
from dpgov.language.translation import translated
from dpgov.operation import clock
from dpgov.privacy.accounting.loss import PURE, Currency

_DATASET_KINDS = (Budget.Kind.DATASET, Budget.Kind.PARTITION)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a partition that a question is restricted to; None for all of them."""

    names: frozenset[str] | None = None
    factor: int = 1


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit that a question touches, in `currency`. `fit_nano` is the largest that it admits.

    `period` is "day", "week" or "month" for a rate, which counts from zero again on `renews_on`.
    `taken_nano` is what the questions that are priced take of it together. `dataset_budget_id` is
    the budget of the dataset of which it is one: its own, of a part of it, or an allocation of it;
    None where datasets share it. `label` is what that is called, `whose` what of it this is.
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
    label: str = ""
    part_of: UUID | None = None
    whose: str = ""
    dataset_budget_id: UUID | None = None

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


def as_parent(limit: Limit) -> Limit:
    """A parent's limit, called by the parent's name beside those of the derived dataset.

    Whoever sees a derived dataset sees its parents, see `datasets.audience`.
    """
    part = "" if limit.kind == Budget.Kind.DATASET else limit.whose
    words = translated(parent_said(limit.label, part))
    return replace(limit, words=rate_in_words(words, limit.period) if limit.period else words)


def as_seen_from(dataset_budget_id: UUID, limit: Limit) -> Limit:
    """The same where it is a parent's of the dataset with this budget; others as they are."""
    its_own = limit.dataset_budget_id in (None, dataset_budget_id)
    return limit if its_own else as_parent(limit)


def is_own(limit: Limit) -> bool:
    """Whether it is a dataset's own for life, or that of one of its parts."""
    return limit.kind in _DATASET_KINDS and not limit.period


def is_everybodys(limit: Limit) -> bool:
    """Whether it is for life and for everybody: no rate, and nobody's allocation."""
    return not limit.period and limit.kind != Budget.Kind.ALLOCATION


def lines_of_query(
    *,
    dataset_budget_id: UUID,
    cost_nano: int,
    parts: Parts,
    allocation: Allocation | None,
    of_parents: Sequence[Allocation] = (),
) -> list[Line]:
    """Every budget that a query of this cost touches, with its amount.

    `of_parents` are allocations on budgets of the parents of a derived dataset.
    """
    found = charged_together([dataset_budget_id])[dataset_budget_id]
    touched = parts if found.apart else Parts()
    lines = list(_dataset_lines(dataset_budget_id, found.parts, cost_nano, touched))
    for parent, lines_of_it in found.parents.items():
        beside = _dataset_lines(parent, lines_of_it, cost_nano, Parts(), PARENT)
        lines += [replace(line, of_parent=True) for line in beside]
    own = [allocation] if allocation else []
    lines += [Line(one.pk, cost_nano, what="allocation") for one in own]
    lines += [Line(one.pk, cost_nano, what="allocation", of_parent=True) for one in of_parents]
    return lines + [Line(budget, cost_nano, what="shared_budget") for budget in found.shared]


def _dataset_lines(
    budget_id: UUID,
    divided: Mapping[str, UUID],
    cost_nano: int,
    parts: Parts,
    what: str = "dataset",
) -> Iterator[Line]:
    if not divided:
        yield Line(budget_id, cost_nano, what=what)
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
    parents = {line.budget_id for line in lines if line.of_parent}
    found = _limits(budgets_of(tuple(by_id)), by_id, moment)
    return [as_parent(one) if one.budget_id in parents else one for one in found]


def limits_within_reach(dataset_budget_id: UUID, allocations: Iterable[UUID]) -> list[Limit]:
    """Every limit that a question about all of a dataset could touch, the tightest first.

    Of the allocations, which are all in it, a question touches the one that it is charged to.
    """
    found = _limits(budgets_within(dataset_budget_id, tuple(allocations)), {}, None)
    divided = {limit.part_of for limit in found}
    wholes = Budget.Kind.DATASET
    return [
        as_seen_from(dataset_budget_id, one)
        for one in found
        if one.kind != wholes or one.budget_id not in divided
    ]


def _limits(
    rows: Iterable[Budget], factors: Mapping[UUID, int], moment: datetime | None
) -> list[Limit]:
    """Of budgets with their rates, as `rated` has them."""
    now = moment or clock.now()
    known = {}
    for budget in rows:
        factor = factors.get(budget.pk, 1)
        known[budget.pk, ""] = lifetime(budget, factor)
        rate = {name: getattr(budget, f"rate_{name}") for name in OF_A_RATE}
        if rate["period"] is not None:
            known[budget.pk, rate["period"]] = _rate(RateLimit(budget=budget, **rate), factor, now)
    return sorted(known.values(), key=lambda limit: (limit.fit_nano, limit.words))


def one_part_each(limits: Iterable[Limit]) -> Iterator[Limit]:
    """The same limits, of a partition's many parts only the tightest of each period."""
    seen = set()
    for limit in limits:
        part = (limit.part_of, limit.period)
        if limit.kind != Budget.Kind.PARTITION or part not in seen:
            yield limit
        if limit.kind == Budget.Kind.PARTITION:
            seen.add(part)


def lifetime(budget: Budget, factor: int = 1, words: str = "") -> Limit:
    """A budget's own limit, which never renews; `words` are its own, where they are known."""
    whose = words or limit_in_words(budget)
    return Limit(
        whose,
        budget.kind,
        budget.limit_nano,
        budget.remaining_nano,
        factor,
        stopped=budget.frozen_at is not None or budget.closed_at is not None,
        currency=budget.currency,
        budget_id=budget.pk,
        whose=whose,
        **_place(budget),
    )


def _place(budget: Budget) -> dict[str, Any]:
    """Of which dataset's budget it is one, and whether a part of it."""
    whole = whole_of(budget)
    is_part = budget.kind == Budget.Kind.PARTITION
    return {
        "label": budget.label if whole is None else whole.label,
        "part_of": whole.pk if is_part and whole is not None else None,
        "dataset_budget_id": None if whole is None else whole.pk,
    }


def _rate(rate: RateLimit, factor: int, moment: datetime) -> Limit:
    present = window_of(rate.period, counting_day(moment, rate.budget.counted_on), rate)
    whose = limit_in_words(rate.budget)
    return Limit(
        rate_in_words(whose, rate.period),
        rate.budget.kind,
        rate.limit_nano,
        max(0, rate.limit_nano - present.taken_nano),
        factor,
        period=rate.period,
        renews_on=present.end,
        currency=rate.budget.currency,
        budget_id=rate.budget_id,
        whose=whose,
        **_place(rate.budget),
    )
