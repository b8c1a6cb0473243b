"""What is kept of a table to recognise it again, as values: for the owner's side alone.

Everything in it is keyed with a secret of the installation, so that nobody who reads a database
dump can guess the values of a column with few of them. Never shown, exported or logged.
"""

import base64
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

# Names how cells, rows and names of units are hashed: hashes of two forms never compare. Where one
# of them changes, so does this.
FORM = "dpgov fingerprint 2"
# How many of the smallest hashes are kept of each multiset.
SKETCH_SIZE = 256


@dataclass(frozen=True, slots=True, eq=False)
class MultisetFingerprint:
    """One multiset: the rows of a table, or the values of a column that are not missing.

    `digest` is the same for the same multiset only. `hashes` are those of its SKETCH_SIZE distinct
    values with the smallest hashes, ascending, and `counts` how often each of them occurs in all.
    `span` is how many whole numbers or days lie between its extremes; 0 if it holds other values.
    """

    total: int
    digest: str
    span: int
    hashes: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.int64]

    @property
    def is_complete(self) -> bool:
        """Whether every distinct value is in the sketch."""
        return len(self.hashes) < SKETCH_SIZE

    def packed(self) -> bytes:
        """The sketch as bytes, sixteen for each value."""
        return self.hashes.astype("<u8").tobytes() + self.counts.astype("<i8").tobytes()

    @classmethod
    def unpacked(cls, *, total: int, digest: str, span: int, sketch: bytes) -> Self:
        """The reverse of `packed`."""
        half = len(sketch) // 2
        hashes = np.frombuffer(sketch[:half], "<u8").astype(np.uint64)
        counts = np.frombuffer(sketch[half:], "<i8").astype(np.int64)
        return cls(total, digest, span, hashes, counts)


@dataclass(frozen=True, slots=True)
class TableFingerprint:
    """A whole table: `whole` names its columns as multisets.

    `rows` counts a row as the multiset of its cells, so that neither the order nor the names of
    the columns matter. `file` is of the bytes that it was read from, whatever they were taken for;
    empty where rows of several files are together, and where it was not kept yet.
    """

    whole: str
    rows: MultisetFingerprint
    columns: tuple[MultisetFingerprint, ...]
    file: str = ""

    @property
    def parts(self) -> tuple[MultisetFingerprint, ...]:
        """The rows first, then the columns."""
        return (self.rows, *self.columns)


def nothing(whole: str) -> TableFingerprint:
    """Of data that is recognised by what it was made of, and resembles nothing by itself.

    `whole` is a name that no other table has.
    """
    empty = MultisetFingerprint.unpacked(total=0, digest="", span=0, sketch=b"")
    return TableFingerprint(whole, empty, ())


def as_json(fingerprint: TableFingerprint) -> dict[str, Any]:
    """For the pipe between the reader of a file and its caller."""
    return {
        "whole": fingerprint.whole,
        "rows": _part_as_json(fingerprint.rows),
        "columns": [_part_as_json(part) for part in fingerprint.columns],
        "file": fingerprint.file,
    }


def _part_as_json(part: MultisetFingerprint) -> dict[str, Any]:
    sketch = base64.b64encode(part.packed()).decode()
    return {"total": part.total, "digest": part.digest, "span": part.span, "sketch": sketch}


def from_json(item: dict[str, Any]) -> TableFingerprint:
    """The reverse of `as_json`."""
    columns = tuple(_part_from_json(part) for part in item["columns"])
    return TableFingerprint(item["whole"], _part_from_json(item["rows"]), columns, item["file"])


def _part_from_json(item: dict[str, Any]) -> MultisetFingerprint:
    return MultisetFingerprint.unpacked(**{**item, "sketch": base64.b64decode(item["sketch"])})
