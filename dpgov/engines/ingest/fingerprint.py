"""Recognises the same data again, whatever its form, and much the same data too.

Each cell is hashed with the key of the installation; columns are multisets of cells, rows sums of
their cells' hashes: neither order nor names matter, nor which columns were declared. Missing cells
count for nothing. It recognises what people do by accident or for convenience; whoever alters every
single value on purpose passes it.

One spelling stands for each value, whatever the file wrote: 1, 1.0 and "1 " are one value, moments
are without what is zero, and any other text as it stands, trimmed. A sketch keeps the smallest
hashes of a stream and how often each occurs, in bounded memory (Gibbons, "Distinct sampling",
2001): two tables keep the same values where they have the same values, so their samples can be
compared.
"""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.fingerprint import SKETCH_SIZE, Part, TableFingerprint
from dpgov.engines.ingest.siphash import SipKey, siphash
from dpgov.engines.ingest.span import Span
from dpgov.engines.ingest.values import Cells

_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+]00:?00)?$"
_SHORTER = (
    (r"(Z|[+]00:?00)$", ""),
    ("T", " "),
    (r"(\.[0-9]*[1-9])0+$", r"\1"),
    (r"\.0+$", ""),
    (r"( [0-9]{2}:[0-9]{2}):00$", r"\1"),
    (r" 00:00$", ""),
)


def spellings(cells: Cells) -> pa.Array:
    """The one spelling of each distinct cell."""
    values = cells.numbers + 0.0
    plain = pa.array(values, mask=np.isnan(values)).cast(pa.large_string())
    named = pc.if_else(pc.equal(pc.utf8_lower(cells.texts), "nan"), "", cells.texts)
    return pc.coalesce(plain, named, pa.scalar("", pa.large_string()))


def moments_shortened(texts: pa.Array) -> pa.Array | None:
    """The same with moments in their shortest form; None where there are none."""
    moment = pc.match_substring_regex(texts, _MOMENT)
    if not pc.any(moment).as_py():
        return None
    short = texts
    for pattern, replacement in _SHORTER:
        short = pc.replace_substring_regex(short, pattern, replacement)
    return pc.if_else(moment, short, texts)


Words = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]


class Multiset:
    """Takes hashed values with their numbers, in any order, and ends as a Part."""

    def __init__(self) -> None:
        self._hashes: Words = np.empty(0, np.uint64)
        self._counts: Counts = np.empty(0, np.int64)
        self._sum = 0
        self._total = 0

    def add(self, hashes: Words, counts: Counts) -> None:
        """Add values; a value that comes again is the same value.

        A value among the smallest at the end was among them ever since it first came, so its
        count is the true one.
        """
        self._total += int(counts.sum())
        self._sum += weighted_sum(hashes, counts)
        if len(self._hashes) == SKETCH_SIZE:
            small = hashes <= self._hashes[-1]
            hashes, counts = hashes[small], counts[small]
        joined = np.concatenate([self._hashes, hashes])
        values, places = np.unique(joined, return_inverse=True)
        totals = np.zeros(len(values), np.int64)
        np.add.at(totals, places, np.concatenate([self._counts, counts]))
        self._hashes, self._counts = values[:SKETCH_SIZE], totals[:SKETCH_SIZE]

    def join(self, total: int, weight: int, hashes: Words, counts: Counts) -> None:
        """Add another multiset, by what `state` gave of it.

        Each of the smallest values of both together is among the smallest of the one, of the other
        or of both, so that their counts are the true ones.
        """
        self.add(hashes, counts)
        self._total += total - int(counts.sum())
        self._sum += weight - weighted_sum(hashes, counts)

    def state(self) -> tuple[int, int, Words, Counts]:
        """What `join` needs: how many values, the sum of their hashes, the sketch."""
        return self._total, self._sum, self._hashes, self._counts

    def part(self, key: bytes, *, span: int) -> Part:
        """What is kept of it."""
        return Part(
            self._total,
            keyed(key, f"{self._total} {self._sum}"),
            span,
            self._hashes,
            self._counts,
        )


def weighted_sum(hashes: Words, counts: Counts) -> int:
    """The exact sum of hash times count: the same for the same multiset, in any order."""
    times = counts.astype(np.uint64)
    high = int(((hashes >> np.uint64(32)) * times).sum())
    low = int(((hashes & np.uint64(0xFFFFFFFF)) * times).sum())
    return (high << 32) + low


def keyed(key: bytes, text: str) -> str:
    """32 hexadecimal digits that nobody without the key can compute."""
    return hashlib.blake2b(text.encode(), key=key, digest_size=16).hexdigest()


_FORM = "dpgov fingerprint 1"
_HASHES = "SELECT md5_number_lower(cell) AS hash FROM cells"


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

    def hashed(self, cells: Cells) -> Words:
        """The same hashes of a column that is no part of the fingerprint."""
        texts = spellings(cells)
        if (shorter := moments_shortened(texts)) is not None:
            texts = shorter
        present = pc.not_equal(texts, "").to_numpy(zero_copy_only=False)
        return np.where(present, siphash(self._cell_key, self._unkeyed(texts)), np.uint64(0))

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
