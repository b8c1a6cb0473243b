"""How many units have how many rows: a grouping of distinct counts by a unit's own size.

Where a column names the unit, `rows_per_unit` can be grouped by like a column of numbers, counting
all rows of a unit, however many are used. Each unit is in exactly one bin, so that one unit moves
one bin by one (two, if it is replaced), whatever `max_rows_per_unit` is.
"""

from decimal import Decimal

from dpgov.language.said import said
from dpgov.privacy.plan.plan import Plan, PlanProblem
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, NumericDomain
from dpgov.privacy.plan.statistics import Recipe

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
    if distinct and len(plan.group_by) == 1 and not plan.where:
        return None
    return PlanProblem(
        "group_by",
        said(
            "Only a distinct count can be grouped by {column}, without filters or other groups.",
            column=ROWS_PER_UNIT,
        ),
    )
