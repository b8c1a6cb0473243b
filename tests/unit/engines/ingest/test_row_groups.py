"""A column of names, addresses or keys costs a reading what its rows do, and no more.

What could go wrong: texts that are all different pile up over a file until it is refused for its
memory, and how many rows there are decides it by their square.
"""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpgov.engines.ingest.row_groups import ROWS_AT_A_TIME
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
