"""Which mechanisms answer a plan: a function of the plan and the public metadata alone."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from dpgov.language.said import said
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.cumulative import cumulative
from dpgov.privacy.mechanisms.extremes import Extreme
from dpgov.privacy.mechanisms.grid import grid_for
from dpgov.privacy.mechanisms.mechanism import Mechanism
from dpgov.privacy.mechanisms.moments import moments_draw, scale_of, width_for
from dpgov.privacy.mechanisms.public_mean import public_mean, rows_are_public
from dpgov.privacy.mechanisms.quantiles import Quantiles, orders_of
from dpgov.privacy.mechanisms.sharing import Family, families
from dpgov.privacy.mechanisms.totals import count, count_distinct, total
from dpgov.privacy.mechanisms.views import Basis, Moments, view_of
from dpgov.privacy.noise.sensitivity import Exposure, exposure
from dpgov.privacy.plan.plan import InvalidPlan, Plan, PlanProblem, Statistic
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, NumericDomain
from dpgov.privacy.plan.statistics import Recipe
from dpgov.privacy.plan.unit_sizes import by_sizes


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
        _Chooser(plan, schema, family, _part(loss, family.share), cells).mechanism()
        for family in found
    ]


def _squarable(column: ColumnSpec, schema: DatasetSchema) -> bool:
    domain = column.domain
    return isinstance(domain, NumericDomain) and width_for(2, domain, schema) == 1


def _part(loss: Loss, share: Fraction) -> Loss:
    return loss.part(share.numerator, share.denominator)


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
        return count(self.first, self._exposed(missing_drops=False), self.loss)

    def sum(self) -> Mechanism:
        return total(self.first, *self._numbers(self.first), self.loss)

    def cumulative(self) -> Mechanism:
        bins = len(self.plan.group_by[-1].edges or ())
        return cumulative(self.first, bins, self._exposed(missing_drops=False), self.loss)

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

    def moments(self) -> Mechanism:
        (named,) = {s.column for s in self.family.statistics if s.column is not None}
        statistic = next(s for s in self.family.statistics if s.column == named)
        index, domain, exposed = self._numbers(statistic)
        degree = self.family.degree
        if (
            degree == 1
            and len(self.family.statistics) == 1
            and rows_are_public(self.schema, exposed)
        ):
            rows = self.schema.public_rows or 0
            return public_mean(statistic, index, domain, exposed, self.loss, rows=rows)
        width = width_for(degree, domain, self.schema)
        taken = moments_draw(degree, index, domain, width, exposed, self.loss)
        basis = Basis(taken, scale_of(domain, width))
        return Moments(tuple(view_of(s, basis) for s in self.family.statistics), taken)

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
        )
        # A unit has one size.
        return replace(exposed, groups=1) if by_sizes(self.plan, self.schema) else exposed


# The table of `plan.statistics` goes on here, where mechanisms may be seen.
MECHANISMS: dict[Recipe, Callable[[_Chooser], Mechanism]] = {
    Recipe.ROWS: _Chooser.rows,
    Recipe.UNITS: _Chooser.units,
    Recipe.SUM: _Chooser.sum,
    Recipe.MEAN: _Chooser.moments,
    Recipe.SPREAD: _Chooser.moments,
    Recipe.ORDERS: _Chooser.orders,
    Recipe.EXTREME: _Chooser.extreme,
    Recipe.CUMULATIVE: _Chooser.cumulative,
}


def numeric_column(statistic: Statistic, schema: DatasetSchema) -> tuple[int, NumericDomain]:
    """The statistic's column. Raises InvalidPlan when it is no column of numbers any more."""
    index = schema.index_of(statistic.column or "")
    domain = None if index is None else schema.columns[index].domain
    if index is None or not isinstance(domain, NumericDomain):
        message = said("“{column}” is no longer a column of numbers.", column=statistic.column)
        raise InvalidPlan((PlanProblem("statistics", message),))
    return index, domain
