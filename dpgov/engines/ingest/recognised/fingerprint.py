"""Recognises the same data again, whatever its form, and much the same data too.

Each cell is hashed with the key of the installation, see `hashes`; columns are multisets of cells,
rows sums of their cells' hashes: neither order nor names matter, nor which columns were declared.
Missing cells count for nothing. It recognises what people do by accident or for convenience;
whoever alters every single value on purpose passes it. The very same file is known by its bytes.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dpgov.engines.fingerprint import FORM, TableFingerprint
from dpgov.engines.ingest.cells.column import Cells
from dpgov.engines.ingest.packed.as_one import bytes_of
from dpgov.engines.ingest.reading import reading_of
from dpgov.engines.ingest.recognised.hashes import CellHashes, texts_of
from dpgov.engines.ingest.recognised.multiset import Multiset
from dpgov.engines.ingest.recognised.siphash import SipKey, Words, siphash
from dpgov.engines.ingest.recognised.span import ColumnSpan
from dpgov.engines.ingest.sniff import kind_of
from dpgov.engines.keys import derived, keyed


class StoredMultiset(NamedTuple):
    """A multiset as it is stored beside the rows; see `Multiset.state` and `ColumnSpan.width`."""

    span: int
    total: int
    weight: int
    hashes: Words
    counts: npt.NDArray[np.int64]


class Hashed(NamedTuple):
    """A column of a batch: the keyed hash of each distinct cell, and of each row's; 0: missing."""

    distinct: Words
    rows: Words


class Fingerprint:
    """Reads every column of a file, batch by batch; the columns of a batch in any threads."""

    def __init__(self, columns: int, key: bytes) -> None:
        self._key = key
        self._cells = CellHashes(key, "cell")
        self._row_key = SipKey.of(derived(key, "row"))
        self._columns = [(Multiset(), ColumnSpan()) for _ in range(columns)]
        self._rows = Multiset()
        self._before: Sequence[StoredMultiset] = ()
        self._kind = FORM

    def add(self, column: int, cells: Cells) -> Hashed:
        """Add one column of a batch, whose rows `add_rows` adds once all columns are read.

        Touches nothing but what is kept of this column.
        """
        times, hashes = cells.times, self.hashed(cells)
        present = (hashes != 0) & (times > 0)
        # All but the null, of most columns: these are not copied.
        chosen = slice(0, -1) if present[:-1].all() else present
        values, span = self._columns[column]
        values.add(hashes[chosen], times[chosen])
        span.add(cells.numbers[chosen], lambda: texts_of(cells).filter(pa.array(present)))
        return Hashed(hashes, cells.spread(hashes))

    def hashed(self, cells: Cells) -> Words:
        """The hashes of the distinct cells, also of a column that is no part of the fingerprint."""
        return cells.once("hashes", lambda: self._cells.of_values(cells))

    def add_rows(self, number: int, columns: Iterable[Words]) -> None:
        """The rows of a batch, by the hashes of their cells in each column."""
        sums = np.zeros(number, np.uint64)
        for hashes in columns:
            sums += hashes
        self._rows.add(siphash(self._row_key, sums), np.ones(number, np.int64))

    def result(self) -> TableFingerprint:
        """The same for the same table and key."""
        widths = self._widths()
        columns = zip(self._columns, widths, strict=True)
        # The rows of a single column are its values.
        rows = self._rows.part(self._key, span=widths[0] if len(widths) == 1 else 0)
        return TableFingerprint(
            whole=keyed(self._key, self._whole()),
            rows=rows,
            columns=tuple(values.part(self._key, span=width) for (values, _), width in columns),
        )

    def join(self, before: Sequence[StoredMultiset]) -> None:
        """From now on of the rows of `before` as well, as if all had been in one file.

        But for `whole`, which is of its own, and for widths, which are added up: where the values
        of before lie is not known.
        """
        for values, seen in zip(self._sets(), before, strict=True):
            values.join(seen.total, seen.weight, seen.hashes, seen.counts)
        self._before = before
        self._kind = "joined"

    def state(self) -> list[StoredMultiset]:
        """What the reader of further rows goes on from: the rows, then each column."""
        spans = [0, *self._widths()]
        return [
            StoredMultiset(span, *kept.state())
            for span, kept in zip(spans, self._sets(), strict=True)
        ]

    def _sets(self) -> list[Multiset]:
        return [self._rows, *(values for values, _ in self._columns)]

    def _widths(self) -> list[int]:
        own = [span.width() for _, span in self._columns]
        if not self._before:
            return own
        both = zip(own, self._columns, self._before[1:], strict=True)
        return [_width(width, values.state()[0], seen) for width, (values, _), seen in both]

    def _whole(self) -> str:
        """How many rows, and the columns in whatever order."""
        rows, *columns = (kept.state()[:2] for kept in self._sets())
        return "\n".join(
            [self._kind, *(f"{total} {sum_}" for total, sum_ in (rows, *sorted(columns)))]
        )


def _width(own: int, total: int, before: StoredMultiset) -> int:
    """Of both together, `total` values; 0 where places mean nothing in one of them."""
    if not before.total or total == before.total:
        return max(own, before.span)
    return own + before.span if own and before.span else 0


def hash_of_file(path: Path, reading: Mapping[str, Any] | None, key: bytes) -> str:
    """32 hexadecimal digits of a file as it came: the same bytes are the same people.

    What cells mean is a matter of reading: beside a decimal comma 71,5 is a number and 71.250 may
    be thousands, in another encoding or with another separator a text is another one. So a file
    that comes again to be read in another way has other cells, and is known by its bytes: those
    inside an archive, of several files those of one that holds them all, and of a workbook with the
    name of one sheet. Raises Refused for what is no table, as reading it does.
    """
    kind = kind_of(path)
    sheet = reading_of(dict(reading or {})).sheet if kind.format == "xlsx" else ""
    told = hashlib.blake2b(key=derived(key, "file"), digest_size=16)
    # The name of a sheet ends here, whatever it is: no other name and file are the same bytes.
    told.update(len(sheet.encode()).to_bytes(8) + sheet.encode())
    for chunk in bytes_of(kind.files or (path,), kind.packed, texts=kind.format == "csv"):
        told.update(chunk)
    return told.hexdigest()
