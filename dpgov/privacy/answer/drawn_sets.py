"""A set of tables that was read, as the questions that are drawn for it.

A function of what was asked, of declarations and of the price alone; never of data.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dpgov.language.said import said
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.answer.adaptively import Adaptively
from dpgov.privacy.answer.batch import MAX_PLANS, Batch
from dpgov.privacy.answer.blueprint import loss_of, prepare
from dpgov.privacy.answer.body import MAX_CELLS, MAX_CHOSEN_FROM
from dpgov.privacy.answer.covers import (
    Bounds,
    Cover,
    CoverOption,
    Method,
    Table,
    Variance,
    best_of,
    cells_of,
    shut,
    ways_of,
)
from dpgov.privacy.mechanisms.mechanism import Summed
from dpgov.privacy.plan.parsing.choosing import MAX_CANDIDATES
from dpgov.privacy.plan.parsing.plans import MAX_GROUPINGS
from dpgov.privacy.plan.plan import Choosing, Grouping, InvalidPlan, Plan, Statistic
from dpgov.privacy.plan.problems import Problems
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.plan.statistics import StatisticKind

_BOUNDS = Bounds(cells=MAX_CELLS, columns=MAX_GROUPINGS, tables=MAX_PLANS)


@dataclass(frozen=True, slots=True)
class TableSet:
    """What was read: the asked tables of these columns, and a plan with the filters and the whole
    price; one question may cost from `each[0]` to `each[1]`, in nano.
    """

    columns: tuple[Grouping, ...]
    asked: tuple[Table, ...]
    whole: Plan
    schema: DatasetSchema
    each: tuple[int, int]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return tuple(grouping.column for grouping in self.columns)

    @property
    def bins(self) -> tuple[int, ...]:
        """How many each column has."""
        return tuple(grouping.bins for grouping in self.columns)

    @property
    def loss(self) -> Loss:
        """The whole price."""
        return loss_of(self.whole, self.schema.mode)

    def ways(self, variance: Variance) -> tuple[CoverOption, ...]:
        """The fixed ones."""
        found = ways_of(self.asked, self.bins, variance, _BOUNDS)
        return tuple(_at_its_price(way, self.loss, self.each) for way in found)


def fixed(of: TableSet, method: Method | None) -> Batch:
    """Counts with equal parts of the price, drawn in the named way, or else in the best one.

    Raises InvalidPlan where no way is open.
    """
    variance = _variance(of.whole, of.columns[:1], of.schema)
    ways = of.ways(variance)
    chosen = _chosen(ways, method)
    cover = Cover(of.names, of.bins, of.asked, ways, chosen, variance)
    plans = tuple(
        replace(of.whole, group_by=tuple(of.columns[place] for place in sorted(table)))
        for table in chosen.drawn
    )
    return Batch(plans, (None,) * len(plans), of.loss, cover)


def adaptive(of: TableSet, method: Method, rounds: int) -> Batch:
    """One question, whose one answer has the table of each round. Raises InvalidPlan."""
    problems = Problems()
    _check_candidates(of, problems)
    problems.raise_if_any()
    tables = tuple(tuple(sorted(table)) for table in of.asked)
    choosing = Choosing(tables, rounds, mwem=method is Method.MWEM)
    plan = replace(of.whole, group_by=of.columns, choosing=choosing)
    chosen = prepare(plan, of.schema).chooses
    if chosen is None:
        raise AssertionError("a plan that chooses tables without choosing any")
    variance = _variance(of.whole, of.columns[:1], of.schema)
    of_one = math.sqrt(chosen.adaptive.noise.variance)
    ways = of.ways(variance)
    cover = Adaptively(of.names, of.bins, of.asked, ways, method, variance, rounds, of_one)
    return Batch((plan,), (None,), of.loss, cover)


def _check_candidates(of: TableSet, problems: Problems) -> None:
    """Bounds of the scan that holds all of them, and of each, which may be drawn."""
    whole = frozenset(range(len(of.columns)))
    too_large = shut(of.asked, of.bins, Bounds(MAX_CELLS, MAX_GROUPINGS, MAX_CANDIDATES))
    if too_large:
        problems.add("method", too_large)
    cells = cells_of(whole, of.bins)
    if cells > MAX_CHOSEN_FROM:
        problems.add(
            "method",
            said(
                "A table of all these columns would have {cells} cells; adaptive rounds choose "
                "from at most {most}.",
                cells=cells,
                most=MAX_CHOSEN_FROM,
            ),
        )
    if len(of.columns) > MAX_GROUPINGS:
        problems.add(
            "method",
            said("Adaptive rounds choose among tables of {most} columns.", most=MAX_GROUPINGS),
        )


def _at_its_price(way: CoverOption, whole: Loss, each: tuple[int, int]) -> CoverOption:
    """With a reason not to take it, where one of its questions would cost what none may."""
    part = whole.part(1, len(way.drawn)).nano
    if not way.is_open or each[0] <= part <= each[1]:
        return way
    if part > each[1]:
        reason = said("Each of its questions would cost more than one may on this dataset.")
    else:
        reason = said("Each of its questions would cost less than one must on this dataset.")
    return replace(way, reason=reason)


def _chosen(ways: Sequence[CoverOption], method: Method | None) -> CoverOption:
    """The named one, or the best. Raises InvalidPlan where it is shut, with what shuts each."""
    offered = [way for way in ways if method in (None, way.method)]
    # Where none costs what it may, the ledger says what would.
    chosen = best_of([way for way in offered if not way.reason]) or best_of(offered)
    if chosen is not None:
        return chosen
    problems = Problems()
    for reason in dict.fromkeys(way.reason for way in offered):
        problems.add("tables" if method is None else "method", reason)
    problems.add("tables", said("Fewer columns, fewer or wider bins, or a higher price would fit."))
    problems.raise_if_any()
    raise AssertionError("a refusal without a problem")


def _variance(plan: Plan, columns: tuple[Grouping, ...], schema: DatasetSchema) -> Variance:
    """Of a count's noise at an equal part of the amount: the same in tables of all columns."""
    whole = loss_of(plan, schema.mode)
    counted = replace(plan, statistics=(Statistic(StatisticKind.COUNT),), group_by=columns)
    known: dict[int, float | None] = {}

    def found(tables: int) -> float | None:
        part = whole.part(*Fraction(1, tables).as_integer_ratio())
        if part.nano < 1:
            return None
        try:
            (mechanism,) = prepare(counted.at(part), schema).mechanisms
        except InvalidPlan:
            return None
        # A count is a noisy sum, whatever it is grouped by.
        return mechanism.taken.noise.variance if isinstance(mechanism, Summed) else None

    def variance(tables: int) -> float | None:
        if tables not in known:
            known[tables] = found(tables)
        return known[tables]

    return variance
