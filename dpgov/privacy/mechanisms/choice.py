"""Which mechanisms answer a plan: a function of the plan and the public metadata alone.

Which statistics share a draw, and what part of the price each draw gets: statistics whose share is
locked stand alone. What is left goes to the other draws so that the sum of their squared errors,
each relative to what it would be with the whole price, is least: with w statistics in a draw, parts
of the cube root of w under pure ε and of its square root under zCDP.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt

from dpgov.language.said import said
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.mechanisms.chosen import chosen_tables
from dpgov.privacy.mechanisms.cumulative import cumulative
from dpgov.privacy.mechanisms.design import may_drop_rows
from dpgov.privacy.mechanisms.extremes import Extreme
from dpgov.privacy.mechanisms.grid import grid_for
from dpgov.privacy.mechanisms.logistic import logistic
from dpgov.privacy.mechanisms.mechanism import Mechanism
from dpgov.privacy.mechanisms.quantiles import Quantiles, orders_of
from dpgov.privacy.mechanisms.regression import regression
from dpgov.privacy.mechanisms.totals import (
    count,
    count_distinct,
    count_values,
    degree_of,
    moments_draw,
    public_mean,
    rows_are_public,
    scale_of,
    total,
    width_for,
)
from dpgov.privacy.mechanisms.views import Basis, PowerSums, view_of
from dpgov.privacy.noise.sensitivity import Exposure, exposure
from dpgov.privacy.plan.canonical import values_of
from dpgov.privacy.plan.clipping import clipped_domain
from dpgov.privacy.plan.grouping import by_sizes
from dpgov.privacy.plan.plan import InvalidPlan, Plan, PlanProblem, Statistic
from dpgov.privacy.plan.predicates import UnknownColumn
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, InvalidDomain, NumericDomain
from dpgov.privacy.plan.statistics import Recipe

_SQUARES = 2
_PRECISION = 10**12


@dataclass(frozen=True, slots=True)
class Family:
    """Statistics that are made of one draw, in the plan's order, and its share of the price."""

    statistics: tuple[Statistic, ...]
    share: Fraction

    @property
    def degree(self) -> int:
        """Of the moments that it needs; 0 if it is no family of moments."""
        return max(degree_of(statistic.kind) for statistic in self.statistics)


def families(
    statistics: Iterable[Statistic],
    mode: Mode,
    *,
    complete: frozenset[str],
    squarable: frozenset[str],
) -> tuple[Family, ...]:
    """The draws of a plan. `complete` are the columns whose every row has a value.

    Of other columns than `squarable`, codes are taken together before they are squared, so that a
    sum made of the same draw would no longer be that of the values.
    """
    groups = list(_groups(tuple(statistics), complete, squarable))
    locked = [_locked(group) for group in groups]
    left = 1 - sum((share for share in locked if share is not None), Fraction(0))
    weights = [
        0 if share is not None else _weight(len(group), mode)
        for group, share in zip(groups, locked, strict=True)
    ]
    whole = sum(weights) or 1
    return tuple(
        Family(group, left * weight / whole if share is None else share)
        for group, weight, share in zip(groups, weights, locked, strict=True)
    )


def _groups(
    statistics: tuple[Statistic, ...], complete: frozenset[str], squarable: frozenset[str]
) -> Iterator[tuple[Statistic, ...]]:
    free = [statistic for statistic in statistics if statistic.share is None]
    keys = {id(s): _key(s, free, complete, squarable) for s in free}
    joined = {place: key for place, key in keys.items() if key is not None}
    done: set[object] = set()
    for statistic in statistics:
        key = joined.get(id(statistic))
        if key is None:
            yield (statistic,)
        elif key not in done:
            done.add(key)
            yield tuple(s for s in free if joined.get(id(s)) == key)


def _key(
    statistic: Statistic,
    free: list[Statistic],
    complete: frozenset[str],
    squarable: frozenset[str],
) -> object:
    """What it shares with others: the moments or the order of a column; None for nothing.

    Values that are clipped to other bounds are other values.
    """
    averaged = dict.fromkeys(s.source for s in free if degree_of(s.kind))
    squared = {s.source for s in free if degree_of(s.kind) == _SQUARES}
    coarse = {source for source in squared if source[0] not in squarable}
    recipe = statistic.kind.facts.recipe
    if recipe is Recipe.ORDERS:
        return "order", statistic.column
    if degree_of(statistic.kind):
        return "moments", statistic.source
    if recipe is Recipe.SUM and statistic.source in averaged.keys() - coarse:
        return "moments", statistic.source
    if recipe is Recipe.ROWS:
        return next((("moments", one) for one in averaged if one[0] in complete), None)
    return None


def _locked(group: tuple[Statistic, ...]) -> Fraction | None:
    share = group[0].share
    return None if share is None else Fraction(share)


def _weight(statistics: int, mode: Mode) -> int:
    """A root of the number of statistics, as an integer: the same on every machine."""
    if mode is Mode.ZCDP:
        return isqrt(statistics * _PRECISION**2)
    low, high = 0, _PRECISION * statistics
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**3 <= statistics * _PRECISION**3 else (low, middle - 1)
    return low


def mechanisms_for(plan: Plan, schema: DatasetSchema, loss: Loss, cells: int) -> list[Mechanism]:
    """Each draw of the plan with its part of the loss.

    Raises InvalidPlan when the schema no longer has a column as a column of numbers.
    """
    found = families(
        plan.statistics,
        schema.mode,
        complete=frozenset(c.name for c in schema.columns if not c.may_be_missing),
        squarable=frozenset(c.name for c in schema.columns if _squarable(c, schema)),
    )
    return [
        _Chooser(plan, schema, one, loss.part(*one.share.as_integer_ratio()), cells).mechanism()
        for one in found
    ]


def _squarable(column: ColumnSpec, schema: DatasetSchema) -> bool:
    domain = column.domain
    return isinstance(domain, NumericDomain) and width_for(2, domain, schema) == 1


class _Chooser:
    """One family's way to its mechanism."""

    def __init__(
        self, plan: Plan, schema: DatasetSchema, family: Family, loss: Loss, cells: int
    ) -> None:
        self.plan, self.schema, self.family = plan, schema, family
        self.loss, self.cells = loss, cells
        self.first = family.statistics[0]

    def mechanism(self) -> Mechanism:
        """Of the first one's recipe; a count or a sum among moments is made of them."""
        recipe = Recipe.MEAN if self.family.degree else self.first.kind.facts.recipe
        return MECHANISMS[recipe](self)

    def rows(self) -> Mechanism:
        exposed = self._exposed(missing_drops=False)
        if self.plan.choosing is not None:
            return chosen_tables(self.plan, self.plan.choosing, exposed, self.loss)
        return count(self.first, exposed, self.loss)

    def sum(self) -> Mechanism:
        return total(self.first, *self._numbers(self.first), self.loss)

    def cumulative(self) -> Mechanism:
        bins = [group.bins for group in self.plan.group_by[-self.first.kind.facts.along :]]
        exposed = self._exposed(missing_drops=False)
        return cumulative(self.first, bins, exposed, self.loss, max_rows=self.schema.max_rows)

    def extreme(self) -> Mechanism:
        index, domain, exposed = self._numbers(self.first)
        return Extreme(self.first, index, grid_for(domain, self.cells), exposed, self.loss)

    def orders(self) -> Mechanism:
        """All quantiles of the column, one after the other."""
        index, domain, exposed = self._numbers(self.first)
        asked = self.family.statistics
        orders = tuple(sorted({order for s in asked for order in orders_of(s)}))
        grid = grid_for(domain, self.cells, several=len(orders) > 1)
        return Quantiles(asked, orders, index, grid, exposed, self.loss)

    def units(self) -> Mechanism:
        """Without a column that names it, a unit can be told from its rows only if it has one."""
        exposed = self._exposed(missing_drops=False)
        if self.schema.unit.private_id is not None:
            return count_distinct(self.first, exposed, self.loss)
        if self.schema.unit.max_rows_per_unit > 1:
            message = said("Units can't be counted here: no column tells whose row it is.")
            raise InvalidPlan((PlanProblem("statistics", message),))
        return count(self.first, exposed, self.loss)

    def values(self) -> Mechanism:
        """Of any declared column."""
        name = self.first.column or ""
        index = self.schema.index_of(name)
        if index is None:
            raise InvalidPlan((PlanProblem("statistics", str(UnknownColumn(name))),))
        known = values_of(self.schema.columns[index])
        exposed = self._exposed(missing_drops=self.schema.columns[index].may_be_missing)
        return count_values(self.first, index, known, exposed, self.loss)

    def moments(self) -> Mechanism:
        (named,) = {s.column for s in self.family.statistics if s.column is not None}
        statistic = next(s for s in self.family.statistics if s.column == named)
        index, domain, exposed = self._numbers(statistic)
        degree = self.family.degree
        alone = degree == 1 and len(self.family.statistics) == 1
        if alone and rows_are_public(self.schema, exposed):
            rows = self.schema.public_rows or 0
            return public_mean(statistic, index, domain, exposed, self.loss, rows=rows)
        width = width_for(degree, domain, self.schema)
        taken = moments_draw(degree, index, domain, width, exposed, self.loss)
        basis = Basis(taken, scale_of(domain, width))
        return PowerSums(tuple(view_of(s, basis) for s in self.family.statistics), taken)

    def regression(self) -> Mechanism:
        """Rows without a value in one of its columns do not count in it."""
        exposed = self._exposed(missing_drops=bool(may_drop_rows(self.first, self.schema)))
        made = logistic if self.first.kind.facts.takes_two_values else regression
        return made(self.first, self.schema, exposed, self.loss)

    def _numbers(self, statistic: Statistic) -> tuple[int, NumericDomain, Exposure]:
        index, domain = numeric_column(statistic, self.schema)
        dropped = self.schema.columns[index].may_be_missing
        return index, domain, self._exposed(missing_drops=dropped)

    def _exposed(self, *, missing_drops: bool) -> Exposure:
        exposed = exposure(
            self.schema,
            filtered=bool(self.plan.where),
            grouped=bool(self.plan.group_by),
            missing_drops=missing_drops,
            cells=self.cells,
            per_unit=self.plan.per_unit,
        )
        # A unit has one size.
        sizes = exposed.grouped and by_sizes(self.plan, self.schema)
        return replace(exposed, groups=1) if sizes else exposed


# The table of `plan.statistics` goes on here, where mechanisms may be seen.
MECHANISMS: dict[Recipe, Callable[[_Chooser], Mechanism]] = {
    Recipe.ROWS: _Chooser.rows,
    Recipe.UNITS: _Chooser.units,
    Recipe.VALUES: _Chooser.values,
    Recipe.SUM: _Chooser.sum,
    Recipe.MEAN: _Chooser.moments,
    Recipe.SPREAD: _Chooser.moments,
    Recipe.ORDERS: _Chooser.orders,
    Recipe.EXTREME: _Chooser.extreme,
    Recipe.CUMULATIVE: _Chooser.cumulative,
    Recipe.PRODUCTS: _Chooser.regression,
    Recipe.DESCENT: _Chooser.regression,
}


def numeric_column(statistic: Statistic, schema: DatasetSchema) -> tuple[int, NumericDomain]:
    """The statistic's column, with the bounds that it asks for.

    Raises InvalidPlan when it is no column of numbers any more, or has narrower bounds by now.
    """
    index = schema.index_of(statistic.column or "")
    domain = None if index is None else schema.columns[index].domain
    if index is None or not isinstance(domain, NumericDomain):
        message = said("“{column}” is no longer a column of numbers.", column=statistic.column)
        raise InvalidPlan((PlanProblem("statistics", message),))
    if statistic.clip is None:
        return index, domain
    try:
        return index, clipped_domain(domain, statistic.clip)
    except InvalidDomain as problem:
        raise InvalidPlan((PlanProblem("statistics", problem.args[0]),)) from problem
