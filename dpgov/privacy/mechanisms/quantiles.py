"""Median and other quantiles, min and max: a noisy choice among public candidates.

Candidates are codes of the column's own lattice, or every so many of them; never values taken from
the data. The score of a candidate for the quantile a/b is -|(b - a) below - a above|, with the
numbers of rows below and above it: one row more or less moves it by max(a, b - a), where a
rank would move the distance to a rank by b (Smith 2011; OpenDP's quantile scores).

Several quantiles of one column are found from the middle outwards: the rows left of the middle one
cannot tell anything about the quantiles right of it, so that all quantiles of one depth share its
price (Kaplan, Schnapp and Stemmer, Differentially Private Approximate Quantiles, 2022). Under the
same price that beats one choice after another as soon as there are three. That needs rows that can
be told apart, so the rows of one candidate are first dealt out, one after the other, to finer
places of it: one row more or less changes one place by one, whatever the others do.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy import sampling
from dpgov.privacy.accuracy import CONFIDENCE_LEVELS, rank_statement
from dpgov.privacy.decimals import decimals_of, json_number
from dpgov.privacy.loss import Loss
from dpgov.privacy.mechanisms.draw import Measured
from dpgov.privacy.mechanisms.mechanism import Column, Drawn, Statements
from dpgov.privacy.plan import Statistic, StatisticKind
from dpgov.privacy.request import CodeGrouping, Measure, MeasureKind
from dpgov.privacy.schema import NumericDomain
from dpgov.privacy.sensitivity import Exposure

Counts = NDArray[np.int64]

MECHANISM = "report noisy max"
MOST_CANDIDATES = 65_536
# Candidates of all cells together: what one answer may take.
MOST_SCORES = 2**18
# Finer places of one candidate, where several quantiles follow each other.
_MOST_PLACES = 256
_ROWS = Measure(MeasureKind.ROWS)


@dataclass(frozen=True, slots=True)
class Grid:
    """A candidate for every `width` codes: the middle one of each bin."""

    domain: NumericDomain
    width: int

    @property
    def size(self) -> int:
        """How many candidates there are."""
        return self.domain.top // self.width + 1

    def axis(self, column: int) -> CodeGrouping:
        """Rows by candidate; the rest bin is for missing values."""
        starts = range(0, self.domain.top + 1, self.width)
        return CodeGrouping(column, tuple((s, s + self.width - 1) for s in starts))

    def value(self, place: int) -> int | float:
        """The number that a candidate stands for."""
        code = min(place * self.width + (self.width - 1) // 2, self.domain.top)
        number = Fraction(self.domain.lower) + code * Fraction(self.domain.step)
        return json_number(number, max(map(self._decimals, ("lower", "step"))))

    def _decimals(self, name: str) -> int:
        return decimals_of(Fraction(getattr(self.domain, name)))


def grid_for(domain: NumericDomain, cells: int) -> Grid:
    """The finest grid that one answer of so many cells may use: a public number."""
    most = max(2, min(MOST_CANDIDATES, MOST_SCORES // cells))
    return Grid(domain, -(-(domain.top + 1) // most))


@dataclass(frozen=True, slots=True)
class Quantiles:
    """All quantiles of one column, in rising order, for one price."""

    asked: tuple[Statistic, ...]
    orders: tuple[Fraction, ...]
    column: int
    grid: Grid
    exposed: Exposure
    loss: Loss

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """What was asked of this column: medians and lists of quantiles."""
        return self.asked

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Rows."""
        return (_ROWS,)

    @property
    def axis(self) -> CodeGrouping | None:
        """Rows by candidate."""
        return self.grid.axis(self.column)

    @property
    def smallest_nano(self) -> int:
        """The smallest amount at which the deepest choice can be drawn."""
        reach = max(2 * self._sensitivity(order) for order in self._steps())
        return self.depth * sampling.smallest_nano(reach, self.loss.mode)

    @property
    def depth(self) -> int:
        """How many choices follow each other."""
        return len(self.orders).bit_length()

    def run(self, table: Sequence[Measured]) -> Drawn:
        """One choice after the other in each cell; cells share the price, as their rows differ."""
        width = self.grid.size + 1
        rows = [cell[_ROWS] for cell in table]
        chosen = [
            self._choose(rows[at : at + self.grid.size]) for at in range(0, len(rows), width)
        ]
        statements = self._statements()
        columns = tuple(
            Column(statistic, facts, tuple(self._cell(c[at], statements) for c in chosen))
            for at, statistic, facts in self._columns()
        )
        return Drawn(chosen, columns)

    def describe(self) -> dict[str, Any]:
        """The public facts about the choices."""
        scale = sampling.choice(self._sensitivity(self.orders[0]), self._paid())[0]
        return self.loss.as_json() | {
            "mechanism": MECHANISM,
            "noise_scale": scale,
            "candidates": self.grid.size,
            "grid": json_number(self.grid.width * Fraction(self.grid.domain.step), 12),
            "depth": self.depth,
            "readings": [{"name": "rows by candidate", "lattice": 1}],
        }

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[Column, Statements]]:
        """In rows; the number of rows does not matter."""
        return [(Column(s, facts), self._statements()) for _, s, facts in self._columns()]

    def _cell(self, place: int, statements: Statements) -> dict[str, Any]:
        return {"value": self.grid.value(place), "accuracy": statements}

    def _columns(self) -> Iterator[tuple[int, Statistic, dict[str, Any]]]:
        """Where each column's quantile stands among all, in the order of the plan."""
        for statistic in self.asked:
            for order in orders_of(statistic):
                alone = statistic.kind is StatisticKind.MEDIAN
                facts = {} if alone else {"quantile": float(order)}
                yield self.orders.index(order), statistic, facts

    def _choose(self, rows: list[int]) -> list[int]:
        """The places of all quantiles among the candidates."""
        finer = self._places
        dealt = deal_out(rows, finer)
        found = [0] * len(self.orders)
        spans = [(0, len(self.orders), 0, dealt, Fraction(0), Fraction(1))]
        while spans:
            first, last, low, inside, below, above = spans.pop()
            if first == last:
                continue
            middle = (first + last) // 2
            here = self.orders[middle]
            at = self._highest(inside, (here - below) / (above - below))
            found[middle] = (low + at) // finer
            # Rows of the chosen place count to its right alone: the two sides share none.
            left = inside[:at] if at else np.zeros(1, dtype=np.int64)
            spans.append((first, middle, low, left, below, here))
            spans.append((middle + 1, last, low + at, inside[at:], here, above))
        return found

    @property
    def _places(self) -> int:
        if len(self.orders) == 1:
            return 1
        room = MOST_CANDIDATES // self.grid.size
        return min(_MOST_PLACES, 1 << max(0, room.bit_length() - 1))

    def _highest(self, rows: Counts, order: Fraction) -> int:
        """The candidate whose rank is noisily nearest to `order` of these rows."""
        a, b = order.numerator, order.denominator
        upto = np.cumsum(rows)
        # A candidate's own rows are neither below nor above it.
        scores = -np.abs((b - a) * (upto - rows) - a * (upto[-1] - upto))
        return sampling.highest(
            scores.tolist(), sensitivity=self._sensitivity(order), loss=self._paid()
        )

    def _paid(self) -> Loss:
        return self.loss.part(1, self.depth)

    def _sensitivity(self, order: Fraction) -> int:
        """Rows of all spans of one depth together come and go: never more than `moves`."""
        a, b = order.numerator, order.denominator
        return self.exposed.moves * max(a, b - a)

    def _steps(self) -> Iterator[Fraction]:
        """The orders of all choices, each within the rows of its span."""
        spans = [(0, len(self.orders), Fraction(0), Fraction(1))]
        while spans:
            first, last, below, above = spans.pop()
            if first < last:
                middle = (first + last) // 2
                here = self.orders[middle]
                yield (here - below) / (above - below)
                spans += [(first, middle, below, here), (middle + 1, last, here, above)]

    def _statements(self) -> Statements:
        """Errors in rows of choices that follow each other add up; so do their probabilities."""
        found = []
        for level in CONFIDENCE_LEVELS:
            alpha = float(1 - level) / self.depth
            rows = 0.0
            for order in self._steps():
                sensitivity = self._sensitivity(order)
                scale = sampling.choice(sensitivity, self._paid())[0]
                gap = scale * math.log(self.grid.size / alpha)
                rows = max(rows, gap / order.denominator)
            found.append(rank_statement(level, math.ceil(rows * self.depth)))
        return found


def deal_out(rows: Sequence[int], places: int) -> Counts:
    """Each candidate's rows over finer places, evenly: row j goes to the place of j's reversed bits.

    A row more or less in a candidate changes exactly one place by one.
    """
    counts = np.array(rows, dtype=np.int64)
    if places == 1:
        return counts
    bits = places.bit_length() - 1
    turn = np.array([int(f"{place:0{bits}b}"[::-1], 2) for place in range(places)])
    dealt: Counts = (counts[:, None] - turn[None, :] + places - 1) // places
    return dealt.ravel()


def orders_of(statistic: Statistic) -> tuple[Fraction, ...]:
    """The quantiles that a statistic asks for; a median is one half."""
    if statistic.kind is StatisticKind.MEDIAN:
        return (Fraction(1, 2),)
    return tuple(Fraction(text) for text in statistic.quantiles)
