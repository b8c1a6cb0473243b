"""The canonical form of a plan: equal for plans that ask the same, whatever they pay for it.

Two plans with the same form have the same exact answer, with the same names of groups, on every
table. Made of the plan and the public metadata alone; only plans against one schema compare.
"""

import hashlib
import json
from typing import Any

from dpgov.privacy.plan.conjuncts import conjuncts_of
from dpgov.privacy.plan.plan import Plan, Statistic
from dpgov.privacy.plan.request import CodeFilter, RowFilter
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.plan.statistics import Recipe, StatisticKind

_MIDDLE = "0.5"


def canonical(plan: Plan, schema: DatasetSchema) -> dict[str, Any]:
    """The form as JSON: price, shares and order left out, except the order of the groupings.

    Raises UnknownColumn when the schema no longer has a column.
    """
    asked = {name for statistic in plan.statistics for name in names_of(statistic, schema)}
    return {
        "statistics": [list(name) for name in sorted(asked)],
        "where": [_as_json(item, schema) for item in conjuncts_of(plan, schema)],
        "group_by": [
            {"column": g.column, "edges": list(g.edges)}
            if g.edges is not None
            else {"column": g.column, "categories": list(g.categories or ())}
            for g in plan.group_by
        ],
    }


def canonical_sha256(plan: Plan, schema: DatasetSchema) -> str:
    """The form's digest in hex."""
    text = json.dumps(canonical(plan, schema), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def names_of(statistic: Statistic, schema: DatasetSchema) -> tuple[tuple[str, ...], ...]:
    """A name for each number that is asked of a cell: statistic, column, quantile.

    A median is the quantile one half; distinct rows, where each row is a unit, are rows.
    """
    column = statistic.column or ""
    if statistic.kind.facts.recipe is Recipe.ORDERS:
        orders = statistic.quantiles or (_MIDDLE,)
        return tuple((StatisticKind.QUANTILES.value, column, order) for order in orders)
    return ((counted_as(statistic.kind, schema).value, column),)


def counted_as(kind: StatisticKind, schema: DatasetSchema) -> StatisticKind:
    """A distinct count is a count of rows where each row is a unit of its own."""
    alone = schema.unit.private_id is None and schema.unit.max_rows_per_unit == 1
    return StatisticKind.COUNT if alone and kind is StatisticKind.COUNT_DISTINCT else kind


def _as_json(item: RowFilter, schema: DatasetSchema) -> dict[str, Any]:
    if isinstance(item, CodeFilter):
        ranges = [list(r) for r in item.ranges]
        missing = {"missing": True} if item.missing_passes else {}
        return {"column": schema.columns[item.column].name, "codes": ranges} | missing
    return {type(item).__name__: [_as_json(member, schema) for member in item.members]}
