"""Columns of a public table, put beside the rows of a file by a key, while the file is read.

What a row gets depends on its own key and on the public table, never on another row: so rows and
sensitivities stay what they are. A key that is not there gets missing values, like an empty cell.
Two keys are equal when they are the same text, spaces at the ends aside, as with ids (`units`). A
key that comes twice in the public table would make rows of one row: it is refused, and may be told,
because the table is public. How many rows find their key is told to nobody.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.cells.distinct import cells_of
from dpgov.engines.ingest.reading import reading_of
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.request import Join
from dpgov.engines.ingest.several import open_files
from dpgov.engines.ingest.sniff import check_text, kind_of
from dpgov.engines.ingest.tables import Table, Told, nobody, open_table, plain
from dpgov.language.said import said

# It is held in memory while the file streams past.
MOST_PUBLIC_ROWS = 2_000_000


def opened(path: Path, reading: Mapping[str, Any] | None, told: Told = nobody) -> Table:
    """A file as its owner wants it read, looked at once to its end before it is parsed."""
    found = kind_of(path)
    wanted = replace(reading_of(dict(reading or {})), packed=found.packed)
    if found.files:
        return open_files(path, found, wanted, told)
    if found.format == "csv":
        check_text(path, wanted)
    return open_table(path, format_name=found.format, reading=wanted, told=told)


@dataclass(frozen=True, slots=True)
class PublicRows:
    """A public table in memory: its keys, each once, and the columns that are taken, row by row."""

    keys: pa.Array
    columns: tuple[pa.Array, ...]
    decimal: str


def public_rows(join: Join) -> PublicRows:
    """Read the public table; raises Refused, naming `public_key` or `columns`.

    Rows without a key are passed over: no row can find them.
    """
    table = opened(Path(join.path), join.reading)
    for name, field in [(join.public_key, "public_key"), *((n, "columns") for n in join.columns)]:
        if name not in table.names:
            words = said("The public table has no column “{column}”.", column=name)
            raise Refused(words, field=field)
    at = table.names.index(join.public_key)
    places = [table.names.index(name) for name in join.columns]
    keys: list[pa.Array] = []
    taken: list[list[pa.Array]] = [[pa.nulls(0, plain(table.types[at]))] for at in places]
    rows = 0
    for batch in table.batches:
        rows += batch.num_rows
        if rows > MOST_PUBLIC_ROWS:
            raise _too_many()
        texts = _texts(batch.column(at), table.decimal)
        has_key = pc.is_valid(texts)
        keys.append(texts.filter(has_key))
        for arrays, place in zip(taken, places, strict=True):
            column = batch.column(place).cast(plain(table.types[place]))
            arrays.append(column.filter(has_key))
    whole = pa.concat_arrays([pa.nulls(0, pa.large_string()), *keys])
    _check_once(whole, join.public_key)
    return PublicRows(whole, tuple(map(pa.concat_arrays, taken)), table.decimal)


def _texts(column: pa.Array, decimal: str) -> pa.Array:
    cells = cells_of(column, decimal)
    return cells.texts.take(pa.array(cells.rows))


def _check_once(keys: pa.Array, name: str) -> None:
    counted = pc.value_counts(keys)
    often = counted.filter(pc.greater(counted.field("counts"), 1))
    if len(often):
        first = str(often.field("values")[0].as_py())
        raise Refused(
            said(
                "“{column}” is no key of the public table: “{value}” stands there more than once. "
                "Each key may come once.",
                column=name,
                value=first[:100],
            ),
            field="public_key",
        )
    if not len(keys):
        raise Refused(
            said("“{column}” is empty in the public table, so nothing can be joined.", column=name),
            field="public_key",
        )


def _too_many() -> Refused:
    return Refused(
        said(
            "The public table has more than {most:,} rows. Leave out what is not needed.",
            most=MOST_PUBLIC_ROWS,
        )
    )


def joined(table: Table, join: Join) -> Table:
    """The table with the columns of the public one after its own; raises Refused."""
    if join.key not in table.names:
        raise Refused(said("The file has no column “{column}”.", column=join.key), field="key")
    if clash := sorted(set(join.columns) & set(table.names)):
        raise Refused(
            said("The file has a column “{column}” of its own.", column=clash[0]), field="columns"
        )
    public = public_rows(join)
    return replace(
        table,
        names=(*table.names, *join.columns),
        types=(*table.types, *(column.type for column in public.columns)),
        batches=_beside(table, table.names.index(join.key), public, join.columns),
        joined=len(join.columns),
        joined_decimal=public.decimal,
    )


def _beside(
    table: Table, key: int, public: PublicRows, names: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    for batch in table.batches:
        cells = cells_of(batch.column(key), table.decimal)
        found = pc.index_in(cells.texts, value_set=public.keys).take(pa.array(cells.rows))
        added = [column.take(found) for column in public.columns]
        yield pa.RecordBatch.from_arrays([*batch.columns, *added], [*table.names, *names])


def digest_of(join: Join) -> str:
    """SHA-256 of the public file, byte for byte: whoever has it can compare."""
    with Path(join.path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
