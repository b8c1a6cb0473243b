"""What the ask form holds between requests: flat form data, as a browser would post it.

Starts it from nothing, and adds or removes rows. Knows no data, no ledger.
"""

import uuid
from typing import Any

from django.http import QueryDict

from dpgov.privacy.plan.schema import CategoryDomain, DatasetSchema, NumericDomain
from dpgov.queries.web.forms.text import PRESETS, plain, proposed_width

ROW_KINDS = ("statistic", "filter", "group")
MOST_ROWS = 20


def new_key() -> str:
    """A fresh idempotency key: one for each form that is handed out."""
    return str(uuid.uuid4())


def blank(unit: str, amount: str) -> QueryDict:
    """A form that asks for a count of all rows, for so much of what the dataset counts in."""
    data = QueryDict(mutable=True)
    data.update({"by": unit, unit: amount, "key": new_key()})
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
            data["by"], data[unit] = unit, fitting
    return data


def row_ids(data: QueryDict, kind: str) -> list[str]:
    """The rows of a kind, in order; whatever is not a short number is dropped."""
    ids = [i for i in data.getlist(kind) if i.isascii() and i.isdigit() and len(i) < 5]
    return list(dict.fromkeys(ids))[:MOST_ROWS]


def _add(data: QueryDict, kind: str, schema: DatasetSchema) -> None:
    if kind == "statistic":
        append(data, kind, {"kind": "mean"})
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
    append(data, kind, {"column": name, **first})
    data[f"new_{kind}"] = ""


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
