"""Recognises the same data again, whatever its form, and much the same data too.

Each cell is hashed with the key of the installation; columns are multisets of cells, rows sums of
their cells' hashes: neither order nor names matter, nor which columns were declared. Missing cells
count for nothing. It recognises what people do by accident or for convenience; whoever alters
every single value on purpose passes it.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.fingerprint import TableFingerprint
from dpgov.engines.ingest.canonical import moments_shortened, spellings
from dpgov.engines.ingest.siphash import SipKey, siphash
from dpgov.engines.ingest.sketch import Multiset, keyed, weighted_sum
from dpgov.engines.ingest.span import Span
from dpgov.engines.ingest.values import Cells

_FORM = "dpgov fingerprint 1"
_HASHES = "SELECT md5_number_lower(cell) AS hash FROM cells"

Words = npt.NDArray[np.uint64]


class Seen(NamedTuple):
    """A multiset as it is stored beside the rows; see `Multiset.state` and `Span.width`."""

    span: int
    total: int
    weight: int
    hashes: Words
    counts: npt.NDArray[np.int64]


class Fingerprint:
    """Reads every column of a file, batch by batch."""

    def __init__(self, columns: int, connection: duckdb.DuckDBPyConnection, key: bytes) -> None:
        self._key = key
        self._cell_key, self._row_key = (SipKey.of(derived(key, name)) for name in ("cell", "row"))
        self._connection = connection
        self._sums = [0] * columns
        self._columns = [(Multiset(), Span()) for _ in range(columns)]
        self._rows = Multiset()
        self._row_count = 0
        self._row_sums: Words = np.empty(0, np.uint64)
        self._before: Sequence[Seen] = ()
        self._whole = ""

    def begin_rows(self, rows: int) -> None:
        """A batch of this many rows begins; its columns follow by `add`, then `end_rows`."""
        self._row_sums = np.zeros(rows, np.uint64)
        self._row_count += rows

    def add(self, column: int, cells: Cells) -> Words:
        """Add one column of the batch; returns the keyed hash of each distinct cell."""
        times = np.bincount(cells.rows, minlength=len(cells.texts))
        texts = spellings(cells)
        hashes = self._unkeyed(texts)
        self._sums[column] += weighted_sum(hashes, times)
        if (shorter := moments_shortened(texts)) is not None:
            texts, hashes = shorter, self._unkeyed(shorter)
        present = pc.not_equal(texts, "").to_numpy(zero_copy_only=False) & (times > 0)
        hashes = np.where(present, siphash(self._cell_key, hashes), np.uint64(0))
        self._row_sums += hashes[cells.rows]
        values, span = self._columns[column]
        values.add(hashes[present], times[present])
        span.add(texts.filter(pa.array(present)), cells.numbers[present])
        return hashes

    def end_rows(self) -> None:
        """Every column of the batch was added."""
        rows = siphash(self._row_key, self._row_sums)
        self._rows.add(rows, np.ones(len(rows), np.int64))

    def result(self) -> TableFingerprint:
        """The same for the same table and key."""
        widths = self._widths()
        columns = zip(self._columns, widths, strict=True)
        # The rows of a single column are its values.
        rows = self._rows.part(self._key, span=widths[0] if len(widths) == 1 else 0)
        return TableFingerprint(
            whole=keyed(self._key, self._whole or self._unkeyed_whole()),
            rows=rows,
            columns=tuple(values.part(self._key, span=width) for (values, _), width in columns),
        )

    def join(self, before: Sequence[Seen]) -> None:
        """From now on of the rows of `before` as well, as if all had been in one file.

        But for `whole`, which is of its own, and for widths, which are added up: where the values
        of before lie is not known.
        """
        sets = [self._rows, *(values for values, _ in self._columns)]
        for values, seen in zip(sets, before, strict=True):
            values.join(seen.total, seen.weight, seen.hashes, seen.counts)
        self._before = before
        self._whole = "joined " + " ".join(str(seen.weight) for seen in self.state())

    def state(self) -> list[Seen]:
        """What the reader of further rows goes on from: the rows, then each column."""
        sets = [self._rows, *(values for values, _ in self._columns)]
        spans = [0, *self._widths()]
        return [Seen(span, *values.state()) for span, values in zip(spans, sets, strict=True)]

    def _widths(self) -> list[int]:
        own = [span.width() for _, span in self._columns]
        if not self._before:
            return own
        both = zip(own, self._columns, self._before[1:], strict=True)
        return [_width(width, values.state()[0], seen) for width, (values, _), seen in both]

    def _unkeyed(self, texts: pa.Array) -> Words:
        self._connection.register("cells", pa.table({"cell": texts}))
        hashes: Words = self._connection.execute(_HASHES).fetchnumpy()["hash"]
        self._connection.unregister("cells")
        return hashes

    def _unkeyed_whole(self) -> str:
        """The columns as sums of unkeyed hashes, in whatever order."""
        text = "\n".join([_FORM, *map(str, [self._row_count, *sorted(self._sums)])])
        return hashlib.sha256(text.encode()).hexdigest()


def _width(own: int, total: int, before: Seen) -> int:
    """Of both together, `total` values; 0 where places mean nothing in one of them."""
    if not before.total or total == before.total:
        return max(own, before.span)
    return own + before.span if own and before.span else 0


def derived(key: bytes, purpose: str) -> bytes:
    """Sixteen bytes of their own for each purpose."""
    return hashlib.blake2b(purpose.encode(), key=key, digest_size=16).digest()
