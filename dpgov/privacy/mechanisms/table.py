"""The cells of a table, one by one or kept as arrays: as an engine counted them, and as released.

Of a million cells an array is the difference between megabytes and gigabytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

from dpgov.privacy.plan.request import Counts, ExactAnswer, Measure

Measured = Mapping[Measure, int]
Number = int | float


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


class AlikeCells(Sequence[dict[str, Any]]):
    """Released cells that differ by their numbers alone and have one `accuracy`; each is made when
    it is asked for, as JSON has it.
    """

    def __init__(self, values: Sequence[Number], accuracy: list[dict[str, Any]]) -> None:
        self.values, self.accuracy = values, accuracy

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, place: slice) -> "AlikeCells": ...

    def __getitem__(self, place: int | slice) -> "dict[str, Any] | AlikeCells":
        if isinstance(place, slice):
            return AlikeCells(self.values[place], self.accuracy)
        return {"value": self.values[place], "accuracy": self.accuracy}


class OneEach(Sequence[list[int]]):
    """The released integers of cells that have one each: the list of one is made when asked for."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> list[int]: ...

    @overload
    def __getitem__(self, place: slice) -> "OneEach": ...

    def __getitem__(self, place: int | slice) -> "list[int] | OneEach":
        if isinstance(place, slice):
            return OneEach(self.numbers[place])
        return [self.numbers[place]]
