"""What the ask form holds between requests: flat form data, as a browser would post it.

Starts it from nothing or from an earlier plan, and adds or removes rows. Knows no data, no ledger.
"""

import uuid
from typing import Any

from django.http import QueryDict

from dpgov.privacy.schema import CategoryDomain, DatasetSchema, NumericDomain
from dpgov.queries.forms_text import plain, proposed_width

ROW_KINDS = ("statistic", "filter", "group")
MOST_ROWS = 20


def new_key() -> str:
    """A fresh idempotency key: one for each form that is handed out."""
    return str(uuid.uuid4())


def blank(epsilon: str) -> QueryDict:
    """A form that asks for a count of all rows."""
    data = QueryDict(mutable=True)
    data.update({"epsilon": epsilon, "key": new_key()})
    _append(data, "statistic", {"kind": "count"})
    return data


def from_plan(plan: dict[str, Any], schema: DatasetSchema) -> QueryDict:
    """The form that would ask this plan again. Columns that are gone are left out."""
    data = QueryDict(mutable=True)
    data.update({"epsilon": plain(plan["epsilon"]), "key": new_key()})
    for statistic in plan["statistics"]:
        _append(
            data,
            "statistic",
            {"kind": statistic["statistic"], "column": statistic.get("column", "")},
        )
    for condition in plan["where"]:
        if schema.index_of(condition["column"]) is not None:
            _append(data, "filter", _filter_values(condition, schema))
    for grouping in plan["group_by"]:
        if schema.index_of(grouping["column"]) is not None:
            _append(data, "group", _group_values(grouping))
    return data


def changed(data: QueryDict, action: str, schema: DatasetSchema) -> QueryDict:
    """The data after `add_filter`, `remove_group_2` and the like; anything else changes nothing."""
    data = data.copy()
    verb, _, rest = action.partition("_")
    kind, _, row_id = rest.partition("_")
    if kind not in ROW_KINDS:
        return data
    if verb == "remove":
        data.setlist(kind, [i for i in row_ids(data, kind) if i != row_id])
    elif verb == "add" and len(row_ids(data, kind)) < MOST_ROWS:
        _add(data, kind, schema)
    return data


def row_ids(data: QueryDict, kind: str) -> list[str]:
    """The rows of a kind, in order; whatever is not a short number is dropped."""
    ids = [i for i in data.getlist(kind) if i.isascii() and i.isdigit() and len(i) < 5]
    return list(dict.fromkeys(ids))[:MOST_ROWS]


def _add(data: QueryDict, kind: str, schema: DatasetSchema) -> None:
    if kind == "statistic":
        _append(data, kind, {"kind": "mean"})
        return
    name = data.get(f"new_{kind}", "")
    index = schema.index_of(name)
    if index is None:
        return
    domain = schema.columns[index].domain
    if isinstance(domain, CategoryDomain):
        first = {"op": "in"} if kind == "filter" else {"which": "all"}
    elif kind == "filter":
        first = {"op": "between", "value": plain(domain.lower), "upper": plain(domain.upper)}
    else:
        first = _even_bins(domain)
    _append(data, kind, {"column": name, **first})
    data[f"new_{kind}"] = ""


def _even_bins(domain: NumericDomain) -> dict[str, str]:
    return {
        "mode": "width",
        "lower": plain(domain.lower),
        "upper": plain(domain.upper),
        "width": plain(proposed_width(domain)),
    }


def _append(data: QueryDict, kind: str, values: dict[str, Any]) -> None:
    row_id = str(max((int(i) for i in row_ids(data, kind)), default=-1) + 1)
    data.appendlist(kind, row_id)
    for name in [key for key in data if key.startswith(f"{kind}-{row_id}-")]:
        del data[name]
    for name, value in values.items():
        data.setlist(f"{kind}-{row_id}-{name}", value if isinstance(value, list) else [value])


def _filter_values(condition: dict[str, Any], schema: DatasetSchema) -> dict[str, Any]:
    op, value = condition["op"], condition.get("value")
    index = schema.index_of(condition["column"])
    values = value if isinstance(value, list) else [] if value is None else [value]
    if index is not None and isinstance(schema.columns[index].domain, CategoryDomain):
        return {
            "column": condition["column"],
            "op": "in" if op == "=" else op,
            "values": [str(v) for v in values],
        }
    texts = [plain(v) for v in values]
    if op == "between":
        return {
            "column": condition["column"],
            "op": op,
            "value": texts[0],
            "upper": texts[1],
        }
    return {"column": condition["column"], "op": op, "value": ", ".join(texts)}


def _group_values(grouping: dict[str, Any]) -> dict[str, Any]:
    name = grouping["column"]
    if edges := grouping.get("edges"):
        return {"column": name, "mode": "edges", "edges": ", ".join(plain(e) for e in edges)}
    return {"column": name, "which": "some", "values": list(grouping["categories"])}
