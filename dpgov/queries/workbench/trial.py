"""A question tried on invented rows: its real noise, its real price tag, and nobody's data.

Works from the plan and the declarations alone. Must never touch an engine, the ledger or the log:
a trial costs nothing, books nothing and leaves no trace.
"""

import csv
import io
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.accounting.decimals import MAX_NANO
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.body import MAX_CELLS, check_cells
from dpgov.privacy.answer.release import draw
from dpgov.privacy.mock.answers import mock_answer
from dpgov.privacy.mock.rows import (
    MISSING,
    MOST_ROWS,
    USUAL_ROWS,
    MockTable,
    mock_rows,
    mock_table,
)
from dpgov.privacy.plan.computed.asked import with_formulas
from dpgov.privacy.plan.plan import InvalidPlan, Plan
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, DatasetSchema, DateDomain
from dpgov.queries.wording.presentation import Cell, read_answer
from dpgov.web.spreadsheet import safe_text

INVENTED = (
    "Invented: these numbers come from rows that were made up out of the declared columns. They "
    "say nothing about the dataset."
)
_MOST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class TriedCell:
    """What would have been told, and what it would be with almost no noise."""

    label: str
    told: Cell
    nearly_exact: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One draw over invented rows. `body` is as a release's, with `mock` to tell it from one."""

    rows: int
    body: dict[str, Any]
    nearly_exact: dict[str, Any]

    @property
    def lines(self) -> list[tuple[str, list[TriedCell]]]:
        """The first groups with a cell for each statistic; one nameless line without groups."""
        told, exact = read_answer(self.body), read_answer(self.nearly_exact)
        pairs = zip(told.rows, exact.rows, strict=True)
        return [
            (
                ", ".join(labels),
                [
                    TriedCell(statistic.label, a, b.value)
                    for statistic, a, b in zip(told.statistics, cells, others, strict=True)
                ],
            )
            for (labels, cells), (_, others) in list(pairs)[:_MOST_SHOWN]
        ]

    @property
    def groups(self) -> str:
        """The columns that it is grouped by, or nothing."""
        return ", ".join(group["column"] for group in self.body["groups"])

    @property
    def left_out(self) -> int:
        """How many groups are not among `lines`."""
        return max(0, len(self.body["statistics"][0]["cells"]) - _MOST_SHOWN)


def try_plan(plan: Plan, schema: DatasetSchema, guess: int | None = None) -> Trial:
    """Answer a plan over invented rows, with fresh noise of its ε; raises InvalidPlan.

    `guess` is the reader's own number of matching rows, as for a quote.
    """
    blueprint = prepare(plan, schema)
    if plan.choosing is None:
        # More take seconds, and a trial is made while its reader waits.
        check_cells(blueprint.cells, MAX_CELLS)
    schema = with_formulas(plan.computed, schema)
    table = mock_table(schema, mock_rows(schema, guess))
    body = {"mock": True, "message": INVENTED, "rows": table.rows}
    return Trial(
        table.rows,
        body | _drawn(blueprint, table),
        _drawn(prepare(_quietest(plan, schema), schema), table),
    )


def _drawn(blueprint: Blueprint, table: MockTable) -> dict[str, Any]:
    def engine(request: ExactRequest) -> ExactAnswer:
        return mock_answer(table, request)

    return draw(blueprint, [engine(request) for request in blueprint.requests], engine)


def _quietest(plan: Plan, schema: DatasetSchema) -> Plan:
    """The same question at the largest amount there is; itself where that leaves the range."""
    pure = schema.mode is Mode.PURE
    most = replace(
        plan, epsilon_nano=MAX_NANO if pure else None, rho_nano=None if pure else MAX_NANO
    )
    try:
        prepare(most, schema)
    except InvalidPlan:
        return plan
    return most


def invented_rows(dataset: Dataset, wanted: str) -> bytes:
    """So many invented rows of a dataset as a file; ValueError for what is no such number."""
    short = wanted.isascii() and wanted.isdigit() and len(wanted) < 8
    rows = USUAL_ROWS if not wanted else int(wanted) if short else 0
    if not 1 <= rows <= MOST_ROWS:
        raise ValueError(_("Give a number of rows from 1 to {most}.").format(most=MOST_ROWS))
    return rows_as_csv(schema_of(current_version(dataset)), rows)


def rows_as_csv(schema: DatasetSchema, rows: int) -> bytes:
    """Invented rows as a file, for notebooks: declared columns, and who each row is about.

    Raises ValueError for a number of rows that cannot be made.
    """
    table, file = mock_table(schema, rows), io.StringIO()
    writer = csv.writer(file)
    named = [schema.unit.private_id] if schema.unit.private_id is not None else []
    writer.writerow([safe_text(name) for name in [*named, *(c.name for c in schema.columns)]])
    columns = [
        [_text(spec, int(code)) for code in table.column(place)]
        for place, spec in enumerate(schema.columns)
    ]
    if named:
        columns.insert(0, [f"invented-{number}" for number in table.units().number])
    writer.writerows(zip(*columns, strict=True))
    return file.getvalue().encode()


def _text(spec: ColumnSpec, code: int) -> str:
    if code == MISSING:
        return ""
    if isinstance(spec.domain, CategoryDomain):
        return safe_text(spec.domain.categories[code])
    if isinstance(spec.domain, DateDomain):
        return spec.domain.text(code)
    return format(spec.domain.lower + code * spec.domain.step, "f")
