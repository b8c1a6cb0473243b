"""The filters of a form: a row for each, whichever columns they are about, and what they ask.

Shared by the forms of one question and of a set of tables.
"""

from collections.abc import Sequence
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from dpgov.privacy.plan.schema import CategoryDomain, DatasetSchema, DateDomain
from dpgov.queries.web.forms.dates import DateFilterRow
from dpgov.queries.web.forms.filters import (
    CategoryFilterRow,
    FilterRow,
    FixedFilterRow,
    NumericFilterRow,
    Path,
    row_at,
    where_of,
)
from dpgov.queries.web.forms.state import row_ids


class Where:
    """The rows in their order; `refusals` are sentences about columns that are not there."""

    def __init__(self, data: QueryDict, schema: DatasetSchema) -> None:
        known, self.refusals = known_rows(data, "filter", schema)
        self.rows = [_row(data, schema, row_id) for row_id in known]
        self._paths: dict[Path, FilterRow] = {}

    def filters(self) -> list[dict[str, Any]]:
        """The plan's form of them. Only when all rows are valid."""
        where, self._paths = where_of(self.rows) if self.rows else ([], {})
        return where

    def row_at(self, rest: Sequence[str]) -> tuple[FilterRow | None, list[str]]:
        """The row that a refusal is about, and the path inside it; the last one if it is of all."""
        row, inside = row_at(self._paths, rest)
        return (row or next(reversed(self.rows), None)), inside


def known_rows(data: QueryDict, kind: str, schema: DatasetSchema) -> tuple[list[str], list[str]]:
    """Rows whose column is there, or that are kept as they are; and what is said of others."""
    found, refusals = [], []
    for row_id in row_ids(data, kind):
        name = data.get(f"{kind}-{row_id}-column", "")
        fixed = kind == "filter" and f"filter-{row_id}-fixed" in data
        if fixed or schema.index_of(name) is not None:
            found.append(row_id)
        else:
            refusal = _("This dataset has no column “{name}” that can be asked about.")
            refusals.append(refusal.format(name=name[:80]))
    return found, refusals


def _row(data: QueryDict, schema: DatasetSchema, row_id: str) -> FilterRow:
    prefix = f"filter-{row_id}"
    index = schema.index_of(data.get(f"{prefix}-column", ""))
    if index is None:
        return FixedFilterRow(data, prefix=prefix, row_id=row_id)
    spec = schema.columns[index]
    if isinstance(spec.domain, CategoryDomain):
        return CategoryFilterRow(data, prefix=prefix, row_id=row_id, spec=spec)
    if isinstance(spec.domain, DateDomain):
        return DateFilterRow(data, prefix=prefix, row_id=row_id, spec=spec)
    return NumericFilterRow(data, prefix=prefix, row_id=row_id, spec=spec)
