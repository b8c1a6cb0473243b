"""Numbers the rows of each unit, which come in the order that `units` says.

One pass over them, which knows the last unit alone: it holds back the rows of a unit until all of
them are there, or so many that their number is LARGEST_SIZE whatever follows.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import partial

import numpy as np
import pyarrow as pa

from dpgov.engines.ingest.recognised.hashes import Truths
from dpgov.engines.ingest.recognised.siphash import Words
from dpgov.engines.ingest.units.parts import CategoryParts, Numbers
from dpgov.engines.ingest.writing import Sink, Writer, ahead
from dpgov.privacy.plan.grouping import LARGEST_SIZE

RANKED = "u UINTEGER, k UBIGINT, r UINTEGER, n USMALLINT"
MARKS = ("u", "k", "r", "n")


def rank_rows(
    rows: Iterator[pa.Table],
    columns: Sequence[str],
    parts: CategoryParts | None,
    threads: Executor,
    sink: Sink,
) -> int:
    """Write the rows with the columns of RANKED; returns the number of units.

    `rows` are in order and none of them empty; `columns` are the names of the stored codes.
    """
    writer = Writer(threads, sink)
    units, places = _Units(parts), _Places([*columns, *MARKS])
    for some in ahead(rows, threads):
        writer.append(partial(places.ready, units.numbered(some)))
    if units.number:
        writer.append(places.rest)
    writer.finish()
    return units.number


class _Units:
    """Follows rows in the order of their units; knows the last unit alone."""

    def __init__(self, parts: CategoryParts | None) -> None:
        self.number = 0
        self._parts = parts
        self._last: tuple[object, object] | None = None
        self._part = 0

    def numbered(self, rows: pa.Table) -> pa.Table:
        """Those rows that lie in their unit's part, with `u`; these must follow the last ones."""
        keys = rows["k"].to_numpy()
        starts = self._starts(keys, rows["i"].to_numpy())
        units = self.number + np.cumsum(starts) - 1
        self.number = int(units[-1]) + 1
        found = rows.append_column("u", _narrow(units, pa.uint32()))
        if self._parts is None:
            return found
        return found.filter(pa.array(self._in_part(self._parts, rows, keys, starts)))

    def _starts(self, keys: Words, apart: Words) -> Truths:
        """Which rows are the first ones of a unit."""
        starts = np.ones(len(keys), np.bool_)
        starts[1:] = (keys[1:] != keys[:-1]) | (apart[1:] != apart[:-1])
        starts[0] = (keys[0], apart[0]) != self._last
        self._last = (keys[-1], apart[-1])
        return starts

    def _in_part(self, parts: CategoryParts, rows: pa.Table, keys: Words, starts: Truths) -> Truths:
        own = parts.of_rows(rows)
        begun = parts.of_units(keys[starts], own[starts])
        # Before the first one that begins here the last unit goes on.
        chosen = np.append(self._part, begun)[np.cumsum(starts)]
        self._part = int(chosen[-1])
        return np.asarray(own == chosen)


class _Places:
    """Gives each row its place among those of its unit, and their number."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._held: pa.Table | None = None
        # How many rows of a unit are gone while more may follow, and which it is.
        self._gone, self._whose = 0, -1

    def ready(self, rows: pa.Table) -> pa.Table:
        """All that can be numbered, now that these rows are there as well."""
        rows = rows if self._held is None else pa.concat_tables([self._held, rows])
        ranked, first, size = self._ranked(rows)
        # The last unit may go on, which is no matter to its rows when there are so many.
        goes_on = size >= LARGEST_SIZE
        end = len(rows) if goes_on else first
        self._held = rows.slice(end)
        if end:
            self._gone, self._whose = (size if goes_on else 0), int(rows["u"][-1].as_py())
        return ranked.slice(0, end)

    def rest(self) -> pa.Table:
        """What is held back, as nothing follows."""
        return self._ranked(self._held)[0]

    def _ranked(self, rows: pa.Table) -> tuple[pa.Table, int, int]:
        """The rows as they are stored; where the last unit begins, and how many rows it has."""
        units = rows["u"].to_numpy()
        begins = np.flatnonzero(np.append(True, units[1:] != units[:-1])[: len(units)])
        here, before = np.diff(np.append(begins, len(units))), np.zeros_like(begins)
        if len(units) and units[0] == self._whose:
            before[0] = self._gone
        places = np.arange(len(units)) + np.repeat(before - begins, here)
        sizes = np.repeat(np.minimum(before + here, LARGEST_SIZE), here)
        ranked = rows.append_column("r", _narrow(places, pa.uint32()))
        ranked = ranked.append_column("n", _narrow(sizes, pa.uint16()))
        last = (int(begins[-1]), int((before + here)[-1])) if len(begins) else (0, 0)
        return ranked.select(self._names), *last


def _narrow(numbers: Numbers, kind: pa.DataType) -> pa.Array:
    """Raises what Arrow raises if one is too large: a rank that begins again counts twice."""
    return pa.array(numbers).cast(kind)
