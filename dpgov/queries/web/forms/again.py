"""The ask form that would ask an earlier plan again. Knows no data, no ledger.

What the form cannot show, because it is nested deeper, becomes a fixed filter that is kept as it
is; only a condition or grouping on a column that is gone is left out.
"""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.http import QueryDict

from dpgov.privacy.plan.schema import CategoryDomain, DatasetSchema
from dpgov.queries.web.forms.state import MOST_ROWS, append, new_key
from dpgov.queries.web.forms.text import plain

Filter = dict[str, Any]
Fields = dict[str, Any]


def from_plan(plan: dict[str, Any], schema: DatasetSchema) -> QueryDict:
    """The form that would ask this plan again."""
    data = QueryDict(mutable=True)
    way = "epsilon" if plan.get("rho") is None else "rho"
    data.update({"by": way, way: plain(plan[way]), "key": new_key()})
    for statistic in plan["statistics"]:
        append(data, "statistic", _statistic(statistic))
    for fields in _rows(plan["where"], schema):
        append(data, "filter", fields)
    for grouping in plan["group_by"]:
        if schema.index_of(grouping["column"]) is not None:
            append(data, "group", _grouping(grouping))
    return data


def _statistic(statistic: dict[str, Any]) -> Fields:
    fields = {"kind": statistic["statistic"], "column": statistic.get("column", "")}
    if orders := statistic.get("quantiles"):
        fields["quantiles"] = ", ".join(plain(order) for order in orders)
    if (share := statistic.get("share")) is not None:
        fields["share"] = plain(100 * Decimal(str(share)))
    return fields


def _rows(where: list[Filter], schema: DatasetSchema) -> list[Fields]:
    """A row for each condition; more than the form holds are kept in a fixed one."""
    rows: list[Fields] = []
    filters = list(_all_of(where))
    for place, item in enumerate(filters):
        shown, last = _shown(item, schema), place + 1 == len(filters)
        if len(rows) + len(shown) > (MOST_ROWS if last else MOST_ROWS - 1):
            return [*rows, _fixed({"and": filters[place:]})]
        rows += shown
    return rows


def _all_of(filters: list[Filter]) -> Iterator[Filter]:
    """Filters that all hold, without needless nesting."""
    for item in filters:
        if "and" in item:
            yield from _all_of(item["and"])
        else:
            yield item


def _shown(item: Filter, schema: DatasetSchema) -> list[Fields]:
    """One filter as rows of the form."""
    if "column" in item:
        gone = schema.index_of(item["column"]) is None
        return [] if gone else [_condition(item, schema)]
    alternatives = [_alternative(member, schema) for member in item.get("or", [])]
    known = [fields for fields in alternatives if fields is not None]
    if not known or len(known) < len(alternatives) or len(known) >= MOST_ROWS:
        return [_fixed(item)]
    return [fields | {"joint": "or" if place else "and"} for place, fields in enumerate(known)]


def _alternative(member: Filter, schema: DatasetSchema) -> Fields | None:
    """One member of an “or”, if one row can show it."""
    if "column" in member:
        known = schema.index_of(member["column"]) is not None
        return _condition(member, schema) if known else None
    parts = list(_all_of(member.get("and", [])))
    columns = {part.get("column") for part in parts}
    if len(columns) != 1 or {part.get("op") for part in parts} != {"!="}:
        return None
    index = schema.index_of(str(columns.pop()))
    if index is None or not isinstance(schema.columns[index].domain, CategoryDomain):
        return None
    return _condition(parts[0] | {"value": [part["value"] for part in parts]}, schema)


def _fixed(item: Filter) -> Fields:
    return {"fixed": json.dumps(item, ensure_ascii=False), "joint": "and"}


def _condition(condition: Filter, schema: DatasetSchema) -> Fields:
    column, op, value = condition["column"], condition["op"], condition.get("value")
    index = schema.index_of(column)
    values = value if isinstance(value, list) else [] if value is None else [value]
    fields: Fields = {"column": column, "op": op}
    if index is not None and isinstance(schema.columns[index].domain, CategoryDomain):
        return fields | {"op": "in" if op == "=" else op, "values": [str(v) for v in values]}
    texts = [plain(v) for v in values]
    if op == "between":
        return fields | {"value": texts[0], "upper": texts[1]}
    return fields | {"value": ", ".join(texts)}


def _grouping(grouping: dict[str, Any]) -> Fields:
    name = grouping["column"]
    if edges := grouping.get("edges"):
        return {"column": name, "mode": "edges", "edges": ", ".join(plain(e) for e in edges)}
    return {"column": name, "which": "some", "values": list(grouping["categories"])}
