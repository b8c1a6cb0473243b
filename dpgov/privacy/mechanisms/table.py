"""What an engine counted, as mechanisms read it: cell by cell, and as arrays where it is one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

import numpy as np

from dpgov.privacy.plan.request import Counts, ExactAnswer, Measure

Measured = Mapping[Measure, int]


class Counted(Sequence[Measured]):
    """A table of counts that is kept as one array; a cell is made when it is asked for."""

    def __init__(self, measures: Sequence[Measure], counts: Counts) -> None:
        self._measures, self._counts = tuple(measures), counts

    def __len__(self) -> int:
        return len(self._counts)

    @overload
    def __getitem__(self, place: int) -> Measured: ...

    @overload
    def __getitem__(self, place: slice) -> "Counted": ...

    def __getitem__(self, place: int | slice) -> "Measured | Counted":
        if isinstance(place, slice):
            return Counted(self._measures, self._counts[place])
        return dict(zip(self._measures, self._counts[place].tolist(), strict=True))

    def __iter__(self) -> Iterator[Measured]:
        for cell in self._counts.tolist():
            yield dict(zip(self._measures, cell, strict=True))

    def of(self, measure: Measure) -> Counts:
        """This measure of every cell."""
        return self._counts[:, self._measures.index(measure)]


def table_of(measures: Sequence[Measure], exact: ExactAnswer) -> Sequence[Measured]:
    """Each cell's measures."""
    if isinstance(exact, np.ndarray):
        return Counted(measures, exact)
    return [dict(zip(measures, cell, strict=True)) for cell in exact]


def column(table: Sequence[Measured], measure: Measure) -> Counts:
    """This measure of every cell, as an array."""
    if isinstance(table, Counted):
        return table.of(measure)
    return np.array([cell[measure] for cell in table], dtype=np.int64)
