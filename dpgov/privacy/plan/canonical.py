"""The canonical form of a plan: equal for plans that ask the same, whatever they pay for it.

Two plans with the same form have the same exact answer, with the same names of groups, on every
table: filters are made simple, in codes, so that what differs only in how it was written is equal.
A row passes the result just when it passed the filters. Made of the plan and the public metadata
alone; only plans against one schema compare.
"""

import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from dpgov.privacy.plan.computed.asked import with_formulas
from dpgov.privacy.plan.plan import Grouping, Plan, Statistic
from dpgov.privacy.plan.predicates import Range, row_filter
from dpgov.privacy.plan.request import AllOf, AnyOf, CodeFilter, RowFilter
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema
from dpgov.privacy.plan.statistics import Recipe, StatisticKind

_MIDDLE = "0.5"


def canonical(plan: Plan, schema: DatasetSchema) -> dict[str, Any]:
    """The form as JSON: price, shares and order left out, except the order of the groupings.

    Raises UnknownColumn when the schema no longer has a column, InvalidPlan when it cannot compute
    what the plan computes.
    """
    asked = {name for statistic in plan.statistics for name in names_of(statistic, schema)}
    used = schema.unit.narrowed(plan.per_unit)
    chosen = plan.as_json().get("adaptive")
    computed = sorted((one.kind.value, *one.operands) for one in plan.computed)
    schema = with_formulas(plan.computed, schema)
    return {
        "statistics": [list(name) for name in sorted(asked)],
        "where": [_as_json(item, schema) for item in conjuncts_of(plan, schema)],
        "group_by": [_grouping(g) for g in plan.group_by],
        **({"computed": [list(one) for one in computed]} if computed else {}),
        **({} if used is None else {"per_unit": used.as_json()}),
        **({} if chosen is None else {"adaptive": chosen}),
    }


def _grouping(grouping: Grouping) -> dict[str, Any]:
    if grouping.by is not None:
        return {"column": grouping.column, "by": grouping.by}
    if grouping.edges is not None:
        return {"column": grouping.column, "edges": list(grouping.edges)}
    return {"column": grouping.column, "categories": list(grouping.categories or ())}


def canonical_sha256(plan: Plan, schema: DatasetSchema) -> str:
    """The form's digest in hex."""
    text = json.dumps(canonical(plan, schema), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def names_of(statistic: Statistic, schema: DatasetSchema) -> tuple[tuple[str, ...], ...]:
    """A name for each number that is asked of a cell: statistic, column, quantile or clip.

    A median is the quantile one half; distinct rows, where each row is a unit, are rows.
    """
    column = statistic.column or ""
    if statistic.kind.facts.recipe is Recipe.ORDERS:
        orders = statistic.quantiles or (_MIDDLE,)
        return tuple((StatisticKind.QUANTILES.value, column, order) for order in orders)
    if statistic.predictors:
        # In any order they are the same regression.
        return ((statistic.kind.value, column, *sorted(statistic.predictors)),)
    return ((counted_as(statistic.kind, schema).value, column, *(statistic.clip or ())),)


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


EVERY_ROW = AllOf(())
NO_ROW = AnyOf(())


@lru_cache(maxsize=4096)
def conjuncts_of(plan: Plan, schema: DatasetSchema) -> tuple[RowFilter, ...]:
    """What must hold all at once: at most one condition a column, then what is compound; sorted.

    A column that the plan computes has the number that it has in `with_formulas`. Raises
    UnknownColumn when the schema no longer has a column.
    """
    schema = with_formulas(plan.computed, schema)
    whole = simplified(AllOf(tuple(row_filter(item, schema) for item in plan.where)), schema)
    return whole.members if isinstance(whole, AllOf) else (whole,)


def simplified(item: RowFilter, schema: DatasetSchema) -> RowFilter:
    """Nested joints of one kind are one, ranges of a column are put together, in a fixed order."""
    if isinstance(item, CodeFilter):
        return _constant_or_itself(item, schema)
    members = [simplified(member, schema) for member in item.members]
    absorbed: RowFilter = NO_ROW if isinstance(item, AllOf) else EVERY_ROW
    joined = _together(members, type(item), schema)
    if absorbed in joined:
        return absorbed
    return joined[0] if len(joined) == 1 else type(item)(tuple(joined))


def _together(
    members: list[RowFilter], joint: type[AllOf] | type[AnyOf], schema: DatasetSchema
) -> list[RowFilter]:
    """The members of one joint, flat, with one condition a column; each once, sorted."""
    flat = [part for member in members for part in _parts(member, joint)]
    columns: dict[int, CodeFilter] = {}
    others: dict[RowFilter, None] = {}
    for part in flat:
        if not isinstance(part, CodeFilter):
            others[part] = None
        elif part.column in columns:
            columns[part.column] = _of_one_column(columns[part.column], part, joint)
        else:
            columns[part.column] = part
    merged = (_constant_or_itself(item, schema) for item in columns.values())
    found = dict.fromkeys([*(part for item in merged for part in _parts(item, joint)), *others])
    return sorted(found, key=repr)


def _parts(item: RowFilter, joint: type[AllOf] | type[AnyOf]) -> tuple[RowFilter, ...]:
    """Of a joint of the same kind its members: none of what never changes the whole."""
    return item.members if isinstance(item, joint) else (item,)


def _of_one_column(
    one: CodeFilter, other: CodeFilter, joint: type[AllOf] | type[AnyOf]
) -> CodeFilter:
    if joint is AllOf:
        missing = one.missing_passes and other.missing_passes
        return CodeFilter(one.column, _in_both(one.ranges, other.ranges), missing)
    missing = one.missing_passes or other.missing_passes
    return CodeFilter(one.column, _in_either((*one.ranges, *other.ranges)), missing)


def _in_both(one: tuple[Range, ...], other: tuple[Range, ...]) -> tuple[Range, ...]:
    """Both ascend and do not overlap themselves."""
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        low, high = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if low <= high:
            found.append((low, high))
        i, j = (i + 1, j) if one[i][1] < other[j][1] else (i, j + 1)
    return tuple(found)


def _in_either(ranges: Iterable[Range]) -> tuple[Range, ...]:
    found: list[Range] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def _constant_or_itself(item: CodeFilter, schema: DatasetSchema) -> RowFilter:
    spec = schema.columns[item.column]
    missing = item.missing_passes and spec.may_be_missing
    if not item.ranges and not missing:
        return NO_ROW
    if item.ranges == ((0, spec.largest_code),) and missing == spec.may_be_missing:
        return EVERY_ROW
    return CodeFilter(item.column, item.ranges, missing)


def values_of(spec: ColumnSpec) -> int:
    """How many values a column can hold, all that were not declared together as one."""
    return spec.largest_code + 1
