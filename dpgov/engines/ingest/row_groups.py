"""The rows of a Parquet file in batches, each with no more texts than it has rows.

A reader keeps what it has met of a column's texts, and hands all of it on with every batch. Over a
whole file of texts that are all different, time and memory would grow with its square.
"""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ROWS_AT_A_TIME = 65_536


def batches_of_groups(file: pq.ParquetFile, names: list[str]) -> Iterator[pa.RecordBatch]:
    """These columns of all rows, in the order of the file; each group has a reader of its own."""
    for group in range(file.metadata.num_row_groups):
        for batch in file.iter_batches(ROWS_AT_A_TIME, row_groups=[group], columns=names):
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
