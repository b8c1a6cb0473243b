"""Recognises the same data again, whatever the order of its rows or columns, or their names.

A column's hash is the sum of the halved MD5 of its cells: a multiset hash, so order does not
matter. Numbers are hashed as 64-bit floats, so 1 and 1.0 are one value, in CSV and in Parquet.
It recognises what people do by accident or for convenience; whoever alters a single cell on
purpose passes it. It depends on the data and must never leave the owner's side.
"""

import hashlib

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.values import Cells

_FORM = "dpgov fingerprint 1"
_SUM = "SELECT coalesce(sum(md5_number_lower(cell)::HUGEINT * times), 0) FROM cells"


class Fingerprint:
    """Adds up the cells of every column of a file, batch by batch."""

    def __init__(self, columns: int, connection: duckdb.DuckDBPyConnection) -> None:
        self._sums = [0] * columns
        self._rows = 0
        self._connection = connection

    def add_rows(self, rows: int) -> None:
        """Count rows, once for each batch."""
        self._rows += rows

    def add(self, column: int, cells: Cells) -> None:
        """Add one column of a batch."""
        times = np.bincount(cells.rows, minlength=len(cells.texts))
        self._connection.register("cells", pa.table({"cell": _canonical(cells), "times": times}))
        self._sums[column] += self._connection.execute(_SUM).fetchall()[0][0]
        self._connection.unregister("cells")

    def hexdigest(self) -> str:
        """64 hexadecimal digits, the same for the same table."""
        columns = sorted(self._sums)
        text = "\n".join([_FORM, *map(str, [self._rows, *columns])])
        return hashlib.sha256(text.encode()).hexdigest()


def _canonical(cells: Cells) -> pa.Array:
    """One spelling for each cell: numbers as 64-bit floats, missing and NaN as nothing."""
    values = cells.numbers + 0.0
    plain = pa.array(values, mask=np.isnan(values)).cast(pa.large_string())
    named = pc.if_else(pc.equal(pc.utf8_lower(cells.texts), "nan"), "", cells.texts)
    return pc.coalesce(plain, named, pa.scalar("", pa.large_string()))
