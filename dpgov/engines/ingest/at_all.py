"""Whether a file can be used at all: one that says nothing under its declarations is refused.

It would take budget and answer noise. Refused is a file without a row, and one in which no cell of
a declared column can be read, is in its list, or names anybody. Its owner alone reads why. Rows
that are added to earlier ones have to be there, no more: the earlier ones were enough.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa

from dpgov.engines.ingest.cells.column import naming
from dpgov.engines.ingest.cells.distinct import cells_of
from dpgov.engines.ingest.checking import is_inside, is_read, no_row
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.tables import Table
from dpgov.language.said import said
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec


def used_at_all(
    table: Table, columns: Sequence[ColumnSpec], private_id: str | None, *, adds: bool
) -> Table:
    """The same table, which raises Refused after its last row. `adds`: to rows that are there."""
    return replace(table, batches=_followed(table, () if adds else columns, private_id))


def _followed(
    table: Table, columns: Sequence[ColumnSpec], private_id: str | None
) -> Iterator[pa.RecordBatch]:
    """A column is looked at until something was found in it: of most files, in the first batch."""
    rows, names = 0, table.names
    wanting = [spec for spec in columns if spec.name in names]
    nobody = private_id in names
    for batch in table.batches:
        rows += batch.num_rows
        wanting = [spec for spec in wanting if not _says(batch, table, spec)]
        nobody = nobody and not _names_anybody(batch.column(names.index(private_id or "")))
        yield batch
    if not rows:
        raise no_row()
    if nobody:
        raise Refused(said("No row says whose it is: this column is empty."), field="private_id")
    if wanting:
        raise _nothing(wanting[0])


def _says(batch: pa.RecordBatch, table: Table, spec: ColumnSpec) -> bool:
    place = table.names.index(spec.name)
    cells = cells_of(batch.column(place), table.decimal_at(place))
    good = is_inside if isinstance(spec.domain, CategoryDomain) else is_read
    return bool(good(cells, spec)[cells.times > 0].any())


def _names_anybody(column: pa.Array) -> bool:
    cells = cells_of(column)
    return bool(naming(cells)[cells.times > 0].any())


def _nothing(spec: ColumnSpec) -> Refused:
    if isinstance(spec.domain, CategoryDomain):
        words = said(
            "None of the cells of “{column}” is one of the categories you listed. They have to be "
            "spelt as in the file, capitals included.",
            column=spec.name,
        )
    else:
        words = said(
            "None of the cells of “{column}” can be read as it is declared. Do its numbers have a "
            "decimal comma? You can say so under “How the file is read”.",
            column=spec.name,
        )
    return Refused(words, column=spec.name)
