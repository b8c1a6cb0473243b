"""A plan made ready against a schema: what to read, how to add noise, what it costs and how exact
the answer will be. Everything that is known without any data.

Cost, noise, the shape of the answer and every refusal are functions of the plan and the public
metadata alone.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import MAX_NANO, as_text, json_number
from dpgov.privacy.accounting.loss import Loss, Mode, epsilon_paid_by, rho_of
from dpgov.privacy.answer.body import check_cells, most_cells
from dpgov.privacy.mechanisms.choice import mechanisms_for
from dpgov.privacy.mechanisms.chosen import ChosenTables
from dpgov.privacy.mechanisms.cumulative import Cumulative
from dpgov.privacy.mechanisms.mechanism import AnswerColumn, Mechanism, Statements
from dpgov.privacy.noise.noise import NoiseOutOfRange
from dpgov.privacy.plan.bins import ROWS_OF_UNIT, CodeGrouping
from dpgov.privacy.plan.computed.asked import codes_of_two, with_formulas
from dpgov.privacy.plan.grouping import (
    SIZES,
    by_sizes,
    code_grouping,
    described,
    means_sizes,
    problem_with_sizes,
)
from dpgov.privacy.plan.plan import Grouping, InvalidPlan, Plan, PlanProblem
from dpgov.privacy.plan.predicates import UnknownColumn, row_filter
from dpgov.privacy.plan.ranges import group_sizes, of_group, said_of, warning_of
from dpgov.privacy.plan.request import CodeFilter, ExactRequest, Measure, MeasureKind, UnitBounds
from dpgov.privacy.plan.schema import DatasetSchema, DateDomain, NumericDomain


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A plan with its exact requests and mechanisms; its schema has what the plan computes.

    `reads` says for each mechanism which of the requests it reads: those with the same axis share
    one scan, but for distinct counts, which have one of their own.
    """

    plan: Plan
    schema: DatasetSchema
    loss: Loss
    requests: tuple[ExactRequest, ...]
    mechanisms: tuple[Mechanism, ...]
    reads: tuple[int, ...]
    cells: int

    @property
    def chooses(self) -> ChosenTables | None:
        """Its one mechanism, where it chooses tables; None for every other question."""
        first = self.mechanisms[0]
        return first if isinstance(first, ChosenTables) else None

    @property
    def cost_nano(self) -> int:
        """What is booked, in the currency of the dataset: never less than what is drawn."""
        return self.loss.nano

    def describe(self, assumed_rows: int | None = None) -> dict[str, Any]:
        """The quote: everything about the answer that can be said without any data.

        `assumed_rows`, or else the public number of rows, is spread evenly over the cells to say
        how wrong a mean may be. It is a guess of the person who asks, never the true number.
        """
        rows = self.schema.public_rows if assumed_rows is None else assumed_rows
        by_size = self._by_group_size() if self.plan.group_by else {}
        columns = []
        for at, (place, column, accuracy) in enumerate(
            self.expected(self.rows_in_a_cell(assumed_rows))
        ):
            head = column.as_json() | self.range_of(column)
            known = {"draw": place, "accuracy": accuracy, "assumed_rows": rows}
            columns.append(head | known | warning_of([accuracy], head) | by_size.get(at, {}))
        return self.loss.as_json() | {
            "cells": self.cells,
            "groups": self.groups(),
            "draws": [mechanism.describe() for mechanism in self.mechanisms],
            "statistics": columns,
        }

    def range_of(self, column: AnswerColumn) -> dict[str, Any]:
        """What its true number can be at all, as JSON; nothing where that is not known."""
        one = column.statistic
        return said_of(one.kind, one.column, self.schema, one.clip)

    def _by_group_size(self) -> dict[int, dict[str, Any]]:
        """What the error of each column would be in groups of some sizes, by its place.

        Examples out of public parameters: never the sizes of the groups that are asked about.
        """
        found: dict[int, list[dict[str, Any]]] = {}
        for rows in group_sizes(self.schema.max_rows):
            for at, (_draw, column, accuracy) in enumerate(self.expected(rows)):
                if column.statistic.kind.facts.depends_on_rows:
                    head = self.range_of(column)
                    found.setdefault(at, []).append(of_group(rows, accuracy, head))
        return {at: {"by_group_size": sizes} for at, sizes in found.items()}

    def rows_in_a_cell(self, assumed_rows: int | None) -> int | None:
        """The guess, or else the public number of rows, spread evenly; None without either."""
        rows = self.schema.public_rows if assumed_rows is None else assumed_rows
        return None if rows is None else max(1, rows // self.cells)

    def groups(self) -> list[dict[str, Any]]:
        """The groupings with the names of their bins; cells are row-major, the first slowest."""
        return [described(grouping) | self._step(grouping) for grouping in self.plan.group_by]

    def _step(self, grouping: Grouping) -> dict[str, Any]:
        """How far apart the values of a column of numbers are, as declared."""
        index = self.schema.index_of(grouping.column)
        spec = SIZES if index is None else self.schema.columns[index]
        if isinstance(spec.domain, NumericDomain) and not isinstance(spec.domain, DateDomain):
            return {"step": json_number(Fraction(spec.domain.step), 12)}
        return {}

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[int, AnswerColumn, Statements]]:
        """The columns of the answer in the plan's order, with their draw and expected errors."""
        found = [
            (place, column, accuracy)
            for place, mechanism in enumerate(self.mechanisms)
            for column, accuracy in mechanism.expected(rows_in_a_cell)
        ]
        return sorted(found, key=lambda item: self.plan.statistics.index(item[1].statistic))

    def narrowest(self) -> list[tuple[AnswerColumn, Statements]]:
        """Of each column the least error that any of its numbers has, or one that these tell."""
        return [
            (column, mechanism.least() if isinstance(mechanism, Cumulative) else accuracy)
            for mechanism in self.mechanisms
            for column, accuracy in mechanism.expected(None)
        ]


def loss_of(plan: Plan, mode: Mode) -> Loss:
    """What the plan costs in the dataset's currency. Raises InvalidPlan for ρ where only ε counts.

    Under zCDP an ε is booked as the ρ that any mechanism with that ε would cost.
    """
    if mode is Mode.PURE:
        if plan.epsilon_nano is None:
            raise refusal("rho", said("This dataset counts ε; give an epsilon instead of a rho."))
        return Loss(mode, plan.epsilon_nano)
    if plan.rho_nano is not None:
        return Loss(mode, plan.rho_nano)
    return Loss(mode, rho_of(plan.epsilon_nano or 0))


def prepare(plan: Plan, schema: DatasetSchema) -> Blueprint:
    """Turn a parsed plan into a blueprint.

    Raises InvalidPlan for too many cells, or an amount at which the noise would leave the exact
    range; the message names the smallest one that works.
    """
    schema = with_formulas(plan.computed, schema.declared)
    loss = loss_of(plan, schema.mode)
    groupings = _groupings(plan, schema)
    cells = ExactRequest((), groupings, ()).cells
    check_cells(cells, most_cells(plan))
    mechanisms = tuple(mechanisms_for(plan, schema, loss, cells))
    _check_noise(plan, schema, mechanisms)
    requests, reads = _requests(plan, schema, groupings, mechanisms)
    return Blueprint(plan, schema, loss, requests, mechanisms, reads, cells)


def _check_noise(plan: Plan, schema: DatasetSchema, mechanisms: tuple[Mechanism, ...]) -> None:
    if any(mechanism.loss.nano < mechanism.smallest_nano for mechanism in mechanisms):
        _refuse_amount(plan, _smallest_whole(plan, schema))
    try:
        for mechanism in mechanisms:
            mechanism.describe()
    except NoiseOutOfRange:
        message = said("The protected group is too large for these bounds to be added up exactly.")
        raise refusal("statistics", message) from None


def _smallest_whole(plan: Plan, schema: DatasetSchema) -> Loss:
    """What the whole must be so that each mechanism's part is enough for it.

    Parts are told from those of the largest amount; one more is against rounding down.
    """
    whole = Loss(schema.mode, MAX_NANO)
    cells = ExactRequest((), _groupings(plan, schema), ()).cells
    parts = mechanisms_for(plan, schema, whole, cells)
    needed = [-(-m.smallest_nano * MAX_NANO // max(1, m.loss.nano)) + 1 for m in parts]
    return Loss(schema.mode, max(needed))


def _refuse_amount(plan: Plan, smallest: Loss) -> NoReturn:
    if smallest.nano > MAX_NANO:
        message = said("Nothing is large enough for these bounds; narrow them.")
        raise refusal("statistics", message)
    if plan.rho_nano is not None:
        raise refusal("rho", _too_small("ρ", smallest.nano))
    pure = smallest.mode is Mode.PURE
    epsilon = smallest.nano if pure else epsilon_paid_by(smallest.nano) + 1
    raise refusal("epsilon", _too_small("ε", epsilon))


def _too_small(symbol: str, least_nano: int) -> str:
    return said(
        "{symbol} must be at least {least} for this question.",
        symbol=symbol,
        least=as_text(least_nano),
    )


def refusal(path: str, message: str) -> InvalidPlan:
    """One problem of a plan that was read."""
    return InvalidPlan((PlanProblem(path, message),))


def _groupings(plan: Plan, schema: DatasetSchema) -> tuple[CodeGrouping, ...]:
    if not plan.group_by:
        return ()
    problem = problem_with_sizes(plan, schema)
    if problem is not None:
        raise InvalidPlan((problem,))
    found = []
    for grouping in plan.group_by:
        if means_sizes(grouping.column, schema):
            found.append(code_grouping(grouping, ROWS_OF_UNIT, SIZES))
            continue
        index = schema.index_of(grouping.column)
        if index is None:
            raise refusal("plan", str(UnknownColumn(grouping.column)))
        found.append(code_grouping(grouping, index, schema.columns[index]))
    return tuple(found)


def _requests(
    plan: Plan,
    schema: DatasetSchema,
    groupings: tuple[CodeGrouping, ...],
    mechanisms: tuple[Mechanism, ...],
) -> tuple[tuple[ExactRequest, ...], tuple[int, ...]]:
    needed: dict[_Scan, dict[Measure, None]] = {}
    for mechanism in mechanisms:
        needed.setdefault(_scan_of(mechanism), {}).update(dict.fromkeys(mechanism.measures))
    try:
        filters = tuple(row_filter(condition, schema) for condition in plan.where)
    except UnknownColumn as problem:
        raise refusal("plan", str(problem)) from problem
    requests = tuple(
        ExactRequest(
            filters=(*filters, *scan.filters),
            groupings=groupings if scan.axis is None else (*groupings, scan.axis),
            measures=tuple(measures),
            bounds=_bounds(plan, schema, scan),
            of_two=codes_of_two(schema) if schema.asked else (),
        )
        for scan, measures in needed.items()
    )
    scans = list(needed)
    return requests, tuple(scans.index(_scan_of(mechanism)) for mechanism in mechanisms)


@dataclass(frozen=True, slots=True)
class _Scan:
    """What mechanisms must have in common to read the same request."""

    axis: CodeGrouping | None
    filters: tuple[CodeFilter, ...]
    counts_units: bool


def _scan_of(mechanism: Mechanism) -> _Scan:
    units = any(measure.kind is MeasureKind.UNITS for measure in mechanism.measures)
    return _Scan(mechanism.axis, mechanism.filters, units)


def _bounds(plan: Plan, schema: DatasetSchema, scan: _Scan) -> UnitBounds | None:
    """A limit on groups alone makes the noise of distinct counts smaller and of nothing else.

    Rows of other statistics would be dropped in vain, so that they are read without it, unless
    rows within a group are limited too. Of sizes of units one row of each says all.
    """
    unit, groupings = schema.unit, len(plan.group_by)
    if unit.private_id is None:
        return None
    if by_sizes(plan, schema):
        return UnitBounds(1)
    used = unit.used(plan.per_unit)
    rows = None if scan.counts_units else used.rows_per_group
    gains = groupings and (scan.counts_units or rows is not None)
    return UnitBounds(unit.max_rows_per_unit, used.groups if gains else None, groupings, rows)
