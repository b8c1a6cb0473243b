"""Rows in batches that are not too large, and the rows of a Parquet file, with their own texts.

A reader keeps what it has met of a column's texts, and hands all of it on with every batch. Over a
whole file of texts that are all different, time and memory would grow with its square.
"""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ROWS_AT_A_TIME = 65_536
# Some batches are on their way at once, each with the hashes of all of its cells.
_CELLS_AT_A_TIME = ROWS_AT_A_TIME * 50


def rows_at_a_time(columns: int) -> int:
    """How many rows of so many columns make a batch."""
    return min(ROWS_AT_A_TIME, max(_CELLS_AT_A_TIME // columns, 1))


def in_pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The same rows, no more at a time than that."""
    most = rows_at_a_time(batch.num_columns)
    if len(batch) <= most:
        yield batch
        return
    for begin in range(0, len(batch), most):
        yield _with_own_texts(batch.slice(begin, most))


def batches_of_groups(file: pq.ParquetFile, names: list[str]) -> Iterator[pa.RecordBatch]:
    """These columns of all rows, in the order of the file; each group has a reader of its own."""
    for group in range(file.metadata.num_row_groups):
        most = rows_at_a_time(len(names))
        for batch in file.iter_batches(most, row_groups=[group], columns=names):
            # A name with a dot could stand for a part of a record as well, hence the choice.
            yield _with_own_texts(batch.select(names))


def _with_own_texts(batch: pa.RecordBatch) -> pa.RecordBatch:
    columns = [
        _of_own(column)
        if pa.types.is_dictionary(column.type) and len(column.dictionary) > len(column)
        else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _of_own(column: pa.DictionaryArray) -> pa.DictionaryArray:
    used = column.indices.drop_null().unique()
    return pa.DictionaryArray.from_arrays(
        pc.index_in(column.indices, value_set=used).cast(column.type.index_type),
        column.dictionary.take(used),
        ordered=column.type.ordered,
    )
