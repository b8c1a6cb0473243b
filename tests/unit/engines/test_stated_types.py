"""The types that a Parquet file states are read from its schema: never from what is in it."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dpgov.engines.child import Inspection, Limits, inspect
from tests.unit.engines.tables import category, ingest_here, number, stored_codes

LIMITS = Limits(memory_bytes=1_000_000_000, seconds=30)
SCHEMA = pa.schema(
    {
        "age": pa.int64(),
        "wage": pa.decimal128(9, 2),
        "ward": pa.string(),
        "kind": pa.dictionary(pa.int32(), pa.string()),
        "born": pa.date32(),
        "is_new": pa.bool_(),
        "nothing": pa.null(),
    }
)
STATED = ("number", "number", "category", "category", "date", "truth", "")


def looked_at(path: Path, rows: list[list[Any]], **options: Any) -> Inspection:
    columns: list[Any] = list(zip(*rows, strict=True)) if rows else [[] for _ in SCHEMA]
    arrays = [pa.array(c, t) for c, t in zip(columns, SCHEMA.types, strict=True)]
    pq.write_table(pa.table(arrays, schema=SCHEMA), path, **options)
    return inspect(path, limits=LIMITS)


def test_files_of_one_schema_say_the_same_whatever_is_in_them(tmp_path: Path) -> None:
    """E11: other values, dictionaries and statistics, or none at all: the same answer."""
    ada = [36, Decimal("9.50"), "North", "a", date(1815, 12, 10), True, None]
    bob = [0, Decimal("0.00"), "sick", "z", date(2020, 1, 1), None, None]
    seen = {
        looked_at(tmp_path / "one", [ada]),
        looked_at(tmp_path / "other", [bob, bob, ada]),
        looked_at(tmp_path / "bare", [bob], write_statistics=False, use_dictionary=False),
        looked_at(tmp_path / "empty", []),
    }
    assert seen == {Inspection("parquet", tuple(SCHEMA.names), STATED)}


def test_no_value_of_the_file_has_to_be_there(tmp_path: Path) -> None:
    """E11: with every page of data overwritten the types are still read."""
    path = tmp_path / "file"
    whole = looked_at(path, [[7, Decimal(1), "x" * 500, "y" * 500, date(2020, 1, 1), True, None]])
    content = bytearray(path.read_bytes())
    footer = int.from_bytes(content[-8:-4], "little") + 8
    content[4:-footer] = b"\0" * (len(content) - footer - 4)
    path.write_bytes(content)
    assert inspect(path, limits=LIMITS) == whole


def test_what_no_declaration_can_name_is_left_out_and_the_rest_is_read(tmp_path: Path) -> None:
    """E11: ids and JSON of other programs, bytes, lists; a text is one however it is kept."""
    path = tmp_path / "file.parquet"
    columns = {
        "id": pa.array([b"0" * 16], pa.uuid()),
        "more": pa.array(["{}"], pa.json_()),
        "raw": pa.array([b"1"], pa.binary_view()),
        "list": pa.array([[1]]),
        "ward": pa.array(["North"], pa.string_view()),
        "age": pa.array([36]),
    }
    pq.write_table(pa.table(columns), path)
    seen = inspect(path, limits=LIMITS)
    assert (seen.headers, seen.kinds) == (("ward", "age"), ("category", "number"))
    ingest_here(path, [category("ward", "South", "North"), number("age", "0", "99")])
    assert stored_codes(path) == [(1, 36)]


def test_a_csv_file_states_no_types(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,ward\n30,North\n")
    assert inspect(path, limits=LIMITS) == Inspection("csv", ("age", "ward"), ("", ""))
