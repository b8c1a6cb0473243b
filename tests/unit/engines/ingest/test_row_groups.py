"""A column of names, addresses or keys costs a reading what its rows do, and no more.

What could go wrong: texts that are all different pile up over a file until it is refused for its
memory, and how many rows there are decides it by their square. Or very many columns do.
"""

from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from dpgov.engines.ingest.row_groups import ROWS_AT_A_TIME, rows_at_a_time
from dpgov.engines.ingest.tables import open_table

_ROWS = 3 * ROWS_AT_A_TIME + 7
_NAMES = [None if row % 11 == 0 else f"person {row}" for row in range(_ROWS)]


def _batches(path: Path, rows_of_a_group: int) -> list[pa.RecordBatch]:
    table = pa.table({"name": _NAMES, "few": [f"{row % 3}" for row in range(_ROWS)]})
    pq.write_table(table, path, row_group_size=rows_of_a_group)
    return list(open_table(path, format_name="parquet").batches)


@pytest.mark.parametrize("rows_of_a_group", [9_000, ROWS_AT_A_TIME + 1, _ROWS])
def test_no_batch_brings_more_texts_than_rows_and_none_is_lost(
    tmp_path: Path, rows_of_a_group: int
) -> None:
    batches = _batches(tmp_path / "names.parquet", rows_of_a_group)
    for batch in batches:
        assert all(len(column.dictionary) <= batch.num_rows for column in batch.columns)
    found = pa.Table.from_batches(batches).to_pydict()
    assert found["name"] == _NAMES
    assert found["few"] == [f"{row % 3}" for row in range(_ROWS)]


@pytest.mark.parametrize("format_name", ["parquet", "csv"])
def test_of_many_columns_fewer_rows_are_on_their_way(tmp_path: Path, format_name: str) -> None:
    """Each cell of a batch has a hash: 65,536 rows of 500 columns would be a gigabyte of them."""
    assert [rows_at_a_time(columns) for columns in (1, 50, 100, 500)] == [65536, 65536, 32768, 6553]
    columns, rows = 400, 2 * rows_at_a_time(400) + 5
    table = pa.table(
        {f"c{at}": [str((row + at) % 7) for row in range(rows)] for at in range(columns)}
    )
    path = tmp_path / f"wide.{format_name}"
    if format_name == "parquet":
        pq.write_table(table, path)
    else:
        pyarrow.csv.write_csv(table, path)
    batches = list(open_table(path, format_name=format_name).batches)
    assert max(map(len, batches)) <= rows_at_a_time(columns)
    for batch in batches:
        assert all(len(one.dictionary) <= 7 for one in batch.columns if hasattr(one, "dictionary"))
    found = pa.Table.from_batches(batches)
    assert all(found[at].to_pylist() == table[at].to_pylist() for at in (0, 201, 399))
