"""How the filter rows of the ask form stand together: alternatives by “or”, the rest by “and”.

Rows that follow each other with “or” between them are alternatives; all such groups must hold.
"""

from collections.abc import Sequence
from typing import Any

from dpgov.queries.web.forms.filters import FilterRow

Path = tuple[str, ...]


def where_of(rows: Sequence[FilterRow]) -> tuple[list[dict[str, Any]], dict[Path, FilterRow]]:
    """The plan's filters, and which row each of their paths ("0", "or", "1") belongs to.

    Only when all rows are valid.
    """
    filters: list[dict[str, Any]] = []
    paths: dict[Path, FilterRow] = {}
    for group in _groups(rows):
        if len(group) == 1:
            for condition in group[0].conditions():
                paths[(str(len(filters)),)] = group[0]
                filters.append(condition)
            continue
        for place, row in enumerate(group):
            paths[(str(len(filters)), "or", str(place))] = row
        filters.append({"or": [_one(row.conditions()) for row in group]})
    return filters, paths


def row_at(paths: dict[Path, FilterRow], rest: Sequence[str]) -> tuple[FilterRow | None, list[str]]:
    """The row that a refusal at this path inside the filters is about, and the path inside it."""
    for length in range(len(rest), 0, -1):
        row = paths.get(tuple(rest[:length]))
        if row is not None:
            return row, list(rest[length:])
    return None, []


def _groups(rows: Sequence[FilterRow]) -> list[list[FilterRow]]:
    groups: list[list[FilterRow]] = []
    for row in rows:
        if groups and row.alternative:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _one(conditions: list[dict[str, Any]]) -> dict[str, Any]:
    return conditions[0] if len(conditions) == 1 else {"and": conditions}
