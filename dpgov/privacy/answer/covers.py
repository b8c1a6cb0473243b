"""Which tables are drawn so that a whole set of tables can be read off them, by expected error.

A table of some columns can be read off any table of more of them, by adding up cells: the noise of
as many cells as it adds up comes with it. Fewer draws get larger parts of the price; larger tables
add up more noise. Which way is best follows from the numbers of bins and the noise alone, never
from data. Each drawn table is a question of its own with an equal part of the price, so that the
whole costs what its parts cost together.

Sources: the trade of fewer and larger marginals against more and smaller ones is that of Barak and
others, Privacy, accuracy, and consistency too (2007); a set of marginals as a strategy is that of
McKenna, Miklau, Hay and Machanavajjhala, Optimizing error of high-dimensional statistical queries
(2018), here without weights and with a greedy search.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from dpgov.language.said import pattern, said


class Method(StrEnum):
    """Each table drawn by itself, all read off one, or off some that hold several each; or, where
    the asker names it, the tables that a model of the earlier ones gets most wrong, with AIM's part
    of the price for choosing or with that of textbook multiplicative weights.

    The simplest first: of methods with one error it is taken. The last two have no error that could
    be known beforehand, and are never taken by themselves.
    """

    SEPARATE = "separate_tables"
    FULL = "one_full_table"
    LARGER = "larger_tables"
    ADAPTIVE = "adaptive"
    MWEM = "mwem"

    @property
    def words(self) -> str:
        """As pages name it: a pattern."""
        return _WORDS[self]


IN_ROUNDS = (Method.ADAPTIVE, Method.MWEM)
_WORDS = {
    Method.SEPARATE: pattern("Separate tables"),
    Method.LARGER: pattern("Fewer, larger tables"),
    Method.FULL: pattern("One full table"),
    Method.ADAPTIVE: pattern("Adaptive rounds"),
    Method.MWEM: pattern("Multiplicative weights (MWEM)"),
}
Table = frozenset[int]
"""The places of its columns in the list of columns."""
Variance = Callable[[int], float | None]
"""Of the noise in each cell where so many tables share the price; None where it is too small."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a table and a set of drawn tables may have at most, and what can be held of a fit."""

    cells: int
    columns: int
    tables: int


@dataclass(frozen=True, slots=True)
class CoverOption:
    """One way to draw: which tables, and the root mean square of the errors of all asked cells.

    `rmse` is None where the way is shut. `reason` says why it is, or why it is open and not taken.
    """

    method: Method
    drawn: tuple[Table, ...]
    cells: int
    rmse: float | None
    reason: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it can be taken."""
        return self.rmse is not None

    def as_json(self) -> dict[str, Any]:
        """For quotes."""
        return {
            "method": self.method.value,
            "tables": len(self.drawn),
            "cells": self.cells,
            "rmse": four_digits_up(self.rmse),
            "reason": self.reason or None,
        }


@dataclass(frozen=True, slots=True)
class Cover:
    """The asked tables, every way to draw them, and the chosen one.

    `names` are the columns, `bins` how many bins each has, the one for everything else included.
    """

    names: tuple[str, ...]
    bins: tuple[int, ...]
    asked: tuple[Table, ...]
    ways: tuple[CoverOption, ...]
    chosen: CoverOption
    variance: Variance

    def as_json(self) -> dict[str, Any]:
        """For quotes: the method with its error beside the others, and each table with its own."""
        return {
            "method": self.chosen.method.value,
            "rmse": four_digits_up(self.chosen.rmse),
            "ways": [way.as_json() for way in self.ways],
            "answers": [self._answer(table) for table in self.asked],
            "adaptive": None,
        }

    def _answer(self, table: Table) -> dict[str, Any]:
        source = source_of(table, self.chosen.drawn, self.bins)
        alone = self.variance(len(self.asked))
        return {
            "columns": self.named(table),
            "cells": cells_of(table, self.bins),
            "made_from": self.named(source),
            "rmse": four_digits_up(self._error(table, source)),
            "separate_rmse": None if alone is None else four_digits_up(math.sqrt(alone)),
        }

    def _error(self, table: Table, source: Table) -> float:
        noise = self.variance(len(self.chosen.drawn)) or 0.0
        return math.sqrt(noise * cells_of(source, self.bins) / cells_of(table, self.bins))

    def named(self, table: Table) -> list[str]:
        """Its columns, in the order of the list."""
        return [self.names[place] for place in sorted(table)]


def four_digits_up(error: float | None) -> float | None:
    """Four digits, rounded up."""
    if not error:
        return error
    digit = 10.0 ** (math.floor(math.log10(error)) - 3)
    return round(math.ceil(error / digit - 1e-9) * digit, 12)


def cells_of(table: Table, bins: Sequence[int]) -> int:
    """How many cells a table of these columns has."""
    return math.prod(bins[place] for place in table)


def source_of(table: Table, drawn: Sequence[Table], bins: Sequence[int]) -> Table:
    """The smallest drawn table that holds all of its columns."""
    return min((one for one in drawn if table <= one), key=lambda one: cells_of(one, bins))


def ways_of(
    asked: Sequence[Table], bins: Sequence[int], variance: Variance, bounds: Bounds
) -> tuple[CoverOption, ...]:
    """Every method with its expected error; all of them, open or shut."""
    full = frozenset().union(*asked)
    larger = _best_merged(asked, bins, variance, bounds)
    return (
        _way(Method.SEPARATE, tuple(asked), asked, bins, variance, bounds),
        _way(Method.FULL, (full,), asked, bins, variance, bounds),
        _way(Method.LARGER, larger, asked, bins, variance, bounds),
    )


def best_of(ways: Sequence[CoverOption]) -> CoverOption | None:
    """The open one with the least error; of equal ones the first. None where all are shut."""
    return min(
        (way for way in ways if way.rmse is not None), key=lambda w: w.rmse or 0.0, default=None
    )


def _way(
    method: Method,
    drawn: tuple[Table, ...],
    asked: Sequence[Table],
    bins: Sequence[int],
    variance: Variance,
    bounds: Bounds,
) -> CoverOption:
    cells = sum(cells_of(table, bins) for table in drawn)
    reason, noise = shut(drawn, bins, bounds), variance(len(drawn))
    if not reason and noise is None:
        reason = said("The price is too small for {number} tables.", number=len(drawn))
    if reason or noise is None:
        return CoverOption(method, drawn, cells, None, reason)
    read = _added_up(drawn, asked, bins)
    whole = sum(cells_of(table, bins) for table in asked)
    return CoverOption(method, drawn, cells, math.sqrt(noise * read / whole))


def shut(drawn: Sequence[Table], bins: Sequence[int], bounds: Bounds) -> str:
    """Which bound it passes, in words; nothing where it keeps them."""
    cells = max(cells_of(table, bins) for table in drawn)
    columns = max(map(len, drawn))
    if cells > bounds.cells:
        return said(
            "A table would have {cells} cells; at most {most} are answered at once.",
            cells=cells,
            most=bounds.cells,
        )
    if columns > bounds.columns:
        return said(
            "A table would have {number} columns; at most {most} are possible.",
            number=columns,
            most=bounds.columns,
        )
    if len(drawn) > bounds.tables:
        return said(
            "It would take {number} tables; at most {most} are asked together.",
            number=len(drawn),
            most=bounds.tables,
        )
    return ""


def _best_merged(
    asked: Sequence[Table], bins: Sequence[int], variance: Variance, bounds: Bounds
) -> tuple[Table, ...]:
    """The best of all steps of a greedy search that puts two tables together at a time."""
    steps = _merges(tuple(asked), tuple(bins), bounds)
    fitting = [drawn for drawn in steps if not shut(drawn, bins, bounds)]
    return min(fitting or steps[-1:], key=lambda drawn: _squares(drawn, asked, bins, variance))


def _squares(
    drawn: Sequence[Table], asked: Sequence[Table], bins: Sequence[int], variance: Variance
) -> float:
    noise = variance(len(drawn))
    if noise is None:
        return math.inf
    return noise * _added_up(drawn, asked, bins)


def _added_up(drawn: Sequence[Table], asked: Sequence[Table], bins: Sequence[int]) -> int:
    """How many drawn counts go into all asked ones."""
    return sum(cells_of(source_of(table, drawn, bins), bins) for table in asked)


@lru_cache(maxsize=256)
def _merges(
    asked: tuple[Table, ...], bins: tuple[int, ...], bounds: Bounds
) -> tuple[tuple[Table, ...], ...]:
    return tuple(_steps(asked, bins, bounds))


def _steps(
    asked: Sequence[Table], bins: Sequence[int], bounds: Bounds
) -> Iterator[tuple[Table, ...]]:
    """From the largest asked tables down to as few as fit: each step adds the fewest cells.

    `read` counts for each drawn table how many asked ones are read off it.
    """
    read = dict.fromkeys((t for t in asked if not any(t < other for other in asked)), 0)
    for table in asked:
        read[source_of(table, tuple(read), bins)] += 1
    yield _ordered(read)
    while len(read) > 1:
        merged = min(_unions(read, bins, bounds), default=None)
        if merged is None:
            return
        whole = frozenset(merged[1])
        parts = [table for table in read if table <= whole]
        together = sum(read.pop(table) for table in parts)
        read[whole] = together
        yield _ordered(read)


def _unions(
    read: dict[Table, int], bins: Sequence[int], bounds: Bounds
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """How many more cells would be added up by putting two tables together, where that fits."""
    tables = list(read)
    for place, one in enumerate(tables):
        for other in tables[place + 1 :]:
            whole = one | other
            cells = cells_of(whole, bins)
            if cells <= bounds.cells and len(whole) <= bounds.columns:
                parts = [table for table in tables if table <= whole]
                before = sum(read[table] * cells_of(table, bins) for table in parts)
                more = cells * sum(read[table] for table in parts) - before
                # Several at once count by what each step less costs.
                yield more // (len(parts) - 1), tuple(sorted(whole))


def _ordered(tables: dict[Table, int]) -> tuple[Table, ...]:
    return tuple(sorted(tables, key=lambda table: (len(table), sorted(table))))
