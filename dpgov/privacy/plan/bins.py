"""Bins of one column as an engine is asked for them: inclusive ranges of lattice codes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

# The column number by which a grouping means `n`, the number of rows of a row's unit.
ROWS_OF_UNIT = -1


@dataclass(frozen=True, slots=True)
class EvenRanges(Sequence[tuple[int, int]]):
    """The codes from 0 to `top` in ranges of `width`, the last one cut off by nothing.

    Tens of thousands of candidates are such ranges: they are never written out.
    """

    top: int
    width: int

    def __len__(self) -> int:
        return self.top // self.width + 1

    @overload
    def __getitem__(self, place: int) -> tuple[int, int]: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[tuple[int, int], ...]: ...

    def __getitem__(self, place: int | slice) -> tuple[int, int] | tuple[tuple[int, int], ...]:
        if isinstance(place, slice):
            return tuple(self[at] for at in range(*place.indices(len(self))))
        start = range(len(self))[place] * self.width
        return start, start + self.width - 1


@dataclass(frozen=True, slots=True)
class CodeGrouping:
    """Bins of one column: bin b takes codes in the b-th inclusive range, in declared order.

    Ranges never overlap. The last bin, number len(ranges), takes every other code and null. Column
    ROWS_OF_UNIT stands for `n`. Where `turns` is not 0 (7 for weekdays), ranges are of what
    `turned` makes of a code. Where `folds` is not 0 (12 for the months of the year), ranges lie
    upon each other: the first is of bin `enters`, and after the last of so many bins comes the
    first again.
    """

    column: int
    ranges: tuple[tuple[int, int], ...] | EvenRanges
    turns: int = 0
    start: int = 0
    folds: int = 0
    enters: int = 0

    def turned(self, code: int) -> int:
        """The place of a code in a round of `turns` that code 0 enters at `start`."""
        return (code + self.start) % self.turns if self.turns else code

    def bin_of_range(self, place: int) -> int:
        """The bin that takes the codes of a range."""
        return (place + self.enters) % self.folds if self.folds else place

    @property
    def is_scattered(self) -> bool:
        """Whether the codes of a bin may lie apart, with those of others between them."""
        return bool(self.turns or self.folds)

    @property
    def rest(self) -> int:
        """The number of the last bin."""
        return self.folds or len(self.ranges)

    @property
    def bins(self) -> int:
        """How many bins an answer has along this grouping, the one for the rest included."""
        return self.rest + 1

    @property
    def even_width(self) -> int:
        """The common width of bins that follow each other without a gap; 0 if they do not.

        The bin of a code is then a division, and a search through all of them otherwise.
        """
        if isinstance(self.ranges, EvenRanges):
            return self.ranges.width
        if not self.ranges or self.folds:
            return 0
        start = self.ranges[0][0]
        width = self.ranges[0][1] - start + 1
        even = all(
            low == start + place * width and high == low + width - 1
            for place, (low, high) in enumerate(self.ranges)
        )
        return width if even else 0
