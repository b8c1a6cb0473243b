"""What the ask form holds between requests: flat form data, as a browser would post it.

Starts it from nothing or from an earlier plan, and adds or removes rows. What the form cannot show,
because it is nested deeper or about a column that is gone or of another kind now, is kept as it is:
without it another question would be asked. Knows no data, no ledger.
"""

import json
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.http import QueryDict

from dpgov.privacy.plan.parsing.computed import with_computed
from dpgov.privacy.plan.problems import Problems
from dpgov.privacy.plan.schema import CategoryDomain, DatasetSchema, DateDomain, NumericDomain
from dpgov.queries.web.forms.dates import usual_part
from dpgov.queries.web.forms.rows import PRESETS, plain, proposed_width
from dpgov.web.typed import as_typed

COMPUTED = "computed"
ROW_KINDS = ("statistic", "filter", "group", COMPUTED)
MOST_ROWS = 20
# The fields of what is used of each unit, by what they are called in a plan.
PER_UNIT = {"groups": "unit_groups", "rows_per_group": "unit_rows"}
# How a plan compares with declared categories.
_OF_CATEGORIES = frozenset({"=", "!=", "in"})


def new_key() -> str:
    """A fresh idempotency key: one for each form that is handed out."""
    return str(uuid.uuid4())


def blank(unit: str, amount: str) -> QueryDict:
    """A form that asks for a count of all rows, for so much of what the dataset counts in."""
    data = QueryDict(mutable=True)
    data.update({"by": unit, unit: as_typed(amount), "key": new_key()})
    append(data, "statistic", {"kind": "count"})
    return data


def changed(data: QueryDict, action: str, schema: DatasetSchema) -> QueryDict:
    """The data after `add_filter`, `remove_group_2`, `deciles_statistic_0` and the like.

    Anything else changes nothing.
    """
    data = data.copy()
    verb, _, rest = action.partition("_")
    kind, _, row_id = rest.partition("_")
    if kind not in ROW_KINDS:
        return data
    if verb == "remove":
        data.setlist(kind, [i for i in row_ids(data, kind) if i != row_id])
    elif verb in PRESETS and kind == "statistic" and row_id in row_ids(data, kind):
        data[f"statistic-{row_id}-kind"] = "quantiles"
        data[f"statistic-{row_id}-quantiles"] = PRESETS[verb]
    elif verb == "add" and len(row_ids(data, kind)) < MOST_ROWS:
        _add(data, kind, schema)
    return data


def filled(data: QueryDict) -> QueryDict:
    """The data with the amount that a button offered: `fill_epsilon` or `fill_rho`."""
    data = data.copy()
    for unit in ("epsilon", "rho"):
        if fitting := data.get(f"fill_{unit}"):
            data["by"], data[unit] = unit, as_typed(fitting)
    return data


def row_ids(data: QueryDict, kind: str) -> list[str]:
    """The rows of a kind, in order; whatever is not a short number is dropped."""
    ids = [i for i in data.getlist(kind) if i.isascii() and i.isdigit() and len(i) < 5]
    return list(dict.fromkeys(ids))[:MOST_ROWS]


_OF_TWO = ("kind", "first", "second")


def _add(data: QueryDict, kind: str, schema: DatasetSchema) -> None:
    if kind == "statistic":
        append(data, kind, {"kind": "mean"})
        return
    if kind == COMPUTED:
        append(data, kind, {part: data.get(f"new_{part}", "") for part in _OF_TWO})
        return
    name = data.get(f"new_{kind}", "")
    schema = seen_in(data, schema)
    index = schema.index_of(name)
    if index is None:
        return
    domain = schema.columns[index].domain
    if isinstance(domain, CategoryDomain):
        first = {"op": "in"} if kind == "filter" else {"which": "all"}
    elif isinstance(domain, DateDomain):
        first = _of_dates(kind, domain)
    elif kind == "filter":
        first = {"op": "between", "value": plain(domain.lower), "upper": plain(domain.upper)}
    else:
        first = _even_bins(domain)
    append(data, kind, {"column": name, **first})
    data[f"new_{kind}"] = ""


def seen_in(data: QueryDict, schema: DatasetSchema) -> DatasetSchema:
    """The schema with what the form computes, without what makes no column."""
    raw = [computed_in(data, row_id) for row_id in row_ids(data, COMPUTED)]
    return with_computed({COMPUTED: raw}, schema, Problems()) if raw else schema.declared


def computed_in(data: QueryDict, row_id: str) -> dict[str, Any]:
    """One row of what is computed, as a plan would have it."""
    kind, *of = (data.get(f"{COMPUTED}-{row_id}-{part}", "") for part in _OF_TWO)
    return {"formula": kind, "of": of}


def _of_dates(kind: str, domain: DateDomain) -> dict[str, str]:
    if kind == "filter":
        return {"op": "between", "value": domain.text(0), "upper": domain.text(domain.top)}
    return {"by": usual_part(domain).value}


def _even_bins(domain: NumericDomain) -> dict[str, str]:
    return {
        "mode": "width",
        "lower": plain(domain.lower),
        "upper": plain(domain.upper),
        "width": plain(proposed_width(domain)),
    }


def append(data: QueryDict, kind: str, values: dict[str, Any]) -> None:
    """Put in one more row with these fields."""
    row_id = str(max((int(i) for i in row_ids(data, kind)), default=-1) + 1)
    data.appendlist(kind, row_id)
    for name in [key for key in data if key.startswith(f"{kind}-{row_id}-")]:
        del data[name]
    for name, value in values.items():
        data.setlist(f"{kind}-{row_id}-{name}", value if isinstance(value, list) else [value])


Filter = dict[str, Any]
Fields = dict[str, Any]


def from_plan(plan: dict[str, Any], schema: DatasetSchema) -> QueryDict:
    """The form that would ask this plan again."""
    data = QueryDict(mutable=True)
    way = "epsilon" if plan.get("rho") is None else "rho"
    data.update({"by": way, way: plain(plan[way]), "key": new_key()})
    for one in plan.get(COMPUTED, []):
        append(data, COMPUTED, dict(zip(_OF_TWO, (one["formula"], *one["of"]), strict=True)))
    schema = with_computed(plan, schema, Problems())
    for statistic in plan["statistics"]:
        append(data, "statistic", _statistic(statistic))
    for fields in _rows(plan["where"], schema):
        append(data, "filter", fields)
    for grouping in plan["group_by"]:
        append(data, "group", _grouping(grouping))
    for name, most in (plan.get("per_unit") or {}).items():
        data[PER_UNIT[name]] = str(most)
    return data


def _statistic(statistic: dict[str, Any]) -> Fields:
    fields = {"kind": statistic["statistic"], "column": statistic.get("column", "")}
    if orders := statistic.get("quantiles"):
        fields["quantiles"] = ", ".join(plain(order) for order in orders)
    if predictors := statistic.get("predictors"):
        fields["predictors"] = predictors
    for end, value in (statistic.get("clip") or {}).items():
        fields[f"clip_{end}"] = plain(value)
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
        return [_condition(item, schema) if _is_of(item, schema) else _fixed(item)]
    alternatives = [_alternative(member, schema) for member in item.get("or", [])]
    known = [fields for fields in alternatives if fields is not None]
    if not known or len(known) < len(alternatives) or len(known) >= MOST_ROWS:
        return [_fixed(item)]
    return [fields | {"joint": "or" if place else "and"} for place, fields in enumerate(known)]


def _alternative(member: Filter, schema: DatasetSchema) -> Fields | None:
    """One member of an “or”, if one row can show it."""
    if "column" in member:
        return _condition(member, schema) if _is_of(member, schema) else None
    parts = list(_all_of(member.get("and", [])))
    columns = {part.get("column") for part in parts}
    if len(columns) != 1 or {part.get("op") for part in parts} != {"!="}:
        return None
    index = schema.index_of(str(columns.pop()))
    if index is None or not isinstance(schema.columns[index].domain, CategoryDomain):
        return None
    joined = parts[0] | {"value": [part["value"] for part in parts]}
    return _condition(joined, schema) if _is_of(joined, schema) else None


def _is_of(condition: Filter, schema: DatasetSchema) -> bool:
    """Whether the column is there, and still of the kind that the condition compares with."""
    index = schema.index_of(condition["column"])
    if index is None:
        return False
    domain, values = schema.columns[index].domain, _values(condition)
    if isinstance(domain, CategoryDomain) and values and condition["op"] not in _OF_CATEGORIES:
        return False
    of_text = isinstance(domain, CategoryDomain | DateDomain)
    return all(isinstance(value, str) is of_text for value in values)


def _values(condition: Filter) -> list[Any]:
    value = condition.get("value")
    return value if isinstance(value, list) else [] if value is None else [value]


def _fixed(item: Filter) -> Fields:
    return {"fixed": json.dumps(item, ensure_ascii=False), "joint": "and"}


def _condition(condition: Filter, schema: DatasetSchema) -> Fields:
    column, op, values = condition["column"], condition["op"], _values(condition)
    index = schema.index_of(column)
    fields: Fields = {"column": column, "op": op}
    if index is not None and isinstance(schema.columns[index].domain, CategoryDomain):
        return fields | {"op": "in" if op == "=" else op, "values": [str(v) for v in values]}
    dates = index is not None and isinstance(schema.columns[index].domain, DateDomain)
    texts = [str(v) if dates else plain(v) for v in values]
    if op == "between":
        return fields | {"value": texts[0], "upper": texts[1]}
    return fields | {"value": ", ".join(texts)}


def _grouping(grouping: dict[str, Any]) -> Fields:
    name = grouping["column"]
    if by := grouping.get("by"):
        return {"column": name, "by": by}
    edges = grouping.get("edges")
    if edges and isinstance(edges[0], str):
        return {"column": name, "by": "edges", "edges": ", ".join(edges)}
    if edges:
        return {"column": name, "mode": "edges", "edges": ", ".join(plain(e) for e in edges)}
    return {"column": name, "which": "some", "values": list(grouping["categories"])}
