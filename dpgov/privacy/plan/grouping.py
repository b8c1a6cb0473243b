"""Groupings of a plan as bins of lattice codes, with their public names.

Bins come from the plan and the declared domain alone, so that their number, order and names never
depend on the data. Bins by edges are half-open, [e0, e1), but for the last, which holds its upper
edge too. One more bin, always the last, takes everything else, missing values included.

Where a column names the unit, `rows_per_unit` can be grouped by like a column of numbers: how many
units have how many rows, counting all rows of a unit, however many are used. Each unit is in
exactly one bin, so that one unit moves one bin by one (two, if it is replaced), whatever
`max_rows_per_unit` is.
"""

from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.by_calendar import CalendarPart, by_calendar
from dpgov.privacy.plan.calendar import span_of
from dpgov.privacy.plan.plan import Grouping, Plan, PlanProblem
from dpgov.privacy.plan.predicates import Range, at_least, at_most, first_code, place
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    DateDomain,
    NumericDomain,
)
from dpgov.privacy.plan.statistics import Recipe

REST = "other"
REST_WHEN_TAKEN = "everything else"


# Each price compares a plan with those of many stored answers, which are grouped alike.
@lru_cache(maxsize=512)
def code_grouping(grouping: Grouping, column: int, spec: ColumnSpec) -> CodeGrouping:
    """The bins over codes of column number `column`; an empty bin has its high below its low."""
    if isinstance(spec.domain, CategoryDomain):
        codes = [spec.domain.categories.index(name) for name in grouping.categories or ()]
        return CodeGrouping(column, tuple((code, code) for code in codes))
    if isinstance(spec.domain, DateDomain):
        return _date_grouping(grouping, column, spec.domain)
    return CodeGrouping(column, _edge_ranges(grouping.edges or (), spec.domain))


def _date_grouping(grouping: Grouping, column: int, domain: DateDomain) -> CodeGrouping:
    if grouping.by is not None:
        return by_calendar(CalendarPart(grouping.by), column, domain)
    spans = [span_of(edge) for edge in grouping.edges or ()]
    starts = [first_code(span.start, domain) for span in spans[:-1]]
    ends = [start - 1 for start in starts[1:]] + [first_code(spans[-1].end, domain) - 1]
    ranges = (_within(*bounds, domain.top) for bounds in zip(starts, ends, strict=True))
    return CodeGrouping(column, tuple(ranges))


def _edge_ranges(edges: tuple[str, ...], domain: NumericDomain) -> tuple[Range, ...]:
    places = [place(edge, domain) for edge in edges]
    starts = [at_least(position) for position in places[:-1]]
    ends = [start - 1 for start in starts[1:]] + [at_most(places[-1])]
    return tuple(_within(*bounds, domain.top) for bounds in zip(starts, ends, strict=True))


def _within(low: int, high: int, top: int) -> Range:
    low, high = min(max(low, 0), top + 1), min(high, top)
    return (low, high) if low <= high else (low, low - 1)


def described(grouping: Grouping) -> dict[str, Any]:
    """The column and the names of its bins, in the order of an answer's cells.

    `by` says which part of the calendar they are of, if they are.
    """
    if grouping.by is not None:
        return {
            "column": grouping.column,
            "by": grouping.by,
            "bins": [*(grouping.categories or ()), REST],
        }
    names = _edge_names(grouping.edges) if grouping.edges else list(grouping.categories or ())
    taken = REST in (name.casefold() for name in names)
    return {"column": grouping.column, "bins": [*names, REST_WHEN_TAKEN if taken else REST]}


def _edge_names(edges: tuple[str, ...]) -> list[str]:
    names = [f"[{low}, {high})" for low, high in pairwise(edges)]
    return [*names[:-1], f"{names[-1][:-1]}]"]


ROWS_PER_UNIT = "rows_per_unit"
# Larger units are counted as units of this size.
LARGEST_SIZE = 65_535
SIZES = ColumnSpec(ROWS_PER_UNIT, NumericDomain(Decimal(0), Decimal(LARGEST_SIZE), Decimal(1)))


def means_sizes(column: object, schema: DatasetSchema) -> bool:
    """Whether the name stands for the sizes of units, and not for a column that is called so."""
    named = schema.unit.private_id is not None
    return named and column == ROWS_PER_UNIT and schema.index_of(ROWS_PER_UNIT) is None


def by_sizes(plan: Plan, schema: DatasetSchema) -> bool:
    """Whether the plan groups by the sizes of units."""
    return any(means_sizes(grouping.column, schema) for grouping in plan.group_by)


def problem_with_sizes(plan: Plan, schema: DatasetSchema) -> PlanProblem | None:
    """Sizes are those of whole units: without filters, further groups or other statistics."""
    if not by_sizes(plan, schema):
        return None
    distinct = all(s.kind.facts.recipe is Recipe.UNITS for s in plan.statistics)
    if distinct and len(plan.group_by) == 1 and not plan.where and plan.per_unit is None:
        return None
    return PlanProblem(
        "group_by",
        said(
            "Only a distinct count can be grouped by {column}, without filters or other groups.",
            column=ROWS_PER_UNIT,
        ),
    )
