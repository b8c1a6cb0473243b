"""Cells of an answer that differ by their numbers alone, kept as two lists in place of a list of
dictionaries: of a million cells that is the difference between megabytes and gigabytes.
"""

from collections.abc import Sequence
from typing import Any, overload

Number = int | float


class AlikeCells(Sequence[dict[str, Any]]):
    """Cells that have one `accuracy`; each is made when it is asked for, as JSON has it."""

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
