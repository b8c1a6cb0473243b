"""Median and other quantiles: noisy choices among public candidates.

The score of a candidate for the quantile a/b is b times the number of rows between the rank
a n / b and the candidate's own rows, taken negative: one row more or less moves it by
max(a, b - a), where a plain distance between ranks would move by b (Smith 2011; OpenDP's quantile
scores, which count no row of the candidate itself and so pass over values that many rows share).

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

from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.grid import Grid, deal_out, scores
from dpgov.privacy.mechanisms.mechanism import AnswerColumn, Chosen, Drawn, Statements
from dpgov.privacy.mechanisms.table import Measured
from dpgov.privacy.noise import sampling
from dpgov.privacy.noise.noise import rank_statement
from dpgov.privacy.noise.sensitivity import Exposure
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.request import Counts
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.privacy.plan.statistics import StatisticKind


@dataclass(frozen=True, slots=True)
class Quantiles(Chosen):
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
    def smallest_nano(self) -> int:
        """The smallest amount at which the deepest choice can be drawn."""
        reach = max(2 * self.sensitivity(order) for order in self.steps())
        return self.depth * sampling.smallest_nano(reach, self.loss.mode)

    @property
    def depth(self) -> int:
        """How many choices follow each other."""
        return len(self.orders).bit_length()

    @property
    def noise_scale(self) -> float:
        """See Chosen."""
        return max(map(self._scale, self.steps()))

    def run(self, table: Sequence[Measured]) -> Drawn:
        """One choice after the other in each cell; cells share the price, as their rows differ."""
        chosen = [self._choose(rows) for rows in self.rows_of_cells(table)]
        statements = self._statements()
        columns = tuple(
            AnswerColumn(statistic, facts, tuple(self._cell(c[at], statements) for c in chosen))
            for at, statistic, facts in self._columns()
        )
        return Drawn(chosen, columns)

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[AnswerColumn, Statements]]:
        """In rows; the number of rows does not matter."""
        return [(AnswerColumn(s, facts), self._statements()) for _, s, facts in self._columns()]

    def _cell(self, place: int, statements: Statements) -> dict[str, Any]:
        return {"value": self.grid.value(place), "accuracy": statements}

    def _columns(self) -> Iterator[tuple[int, Statistic, dict[str, Any]]]:
        """Where each column's quantile stands among all, in the order of the plan."""
        for statistic in self.asked:
            for order in orders_of(statistic):
                alone = statistic.kind is StatisticKind.MEDIAN
                facts = {} if alone else {"quantile": float(order)}
                yield self.orders.index(order), statistic, facts

    def _choose(self, rows: Counts) -> list[int]:
        """The places of all quantiles among the candidates."""
        finer = self.grid.places
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

    def _highest(self, rows: Counts, order: Fraction) -> int:
        """The candidate whose rows are noisily nearest to `order` of these rows."""
        inwards = self._inwards(order)
        found = scores(rows, order.numerator, order.denominator, inwards=inwards)
        return sampling.highest(found, sensitivity=self.sensitivity(order), loss=self.paid())

    def paid(self) -> Loss:
        """What one depth of choices costs."""
        return self.loss.part(1, self.depth)

    def sensitivity(self, order: Fraction) -> int:
        """How far the protected group moves a score.

        Rows of all cells, and of all spans of one depth, come and go together: never more than
        `moves`. A single choice of which all rows stay in its reach sees a replaced row once.
        """
        a, b = order.numerator, order.denominator
        replaced = self.exposed.neighbouring is Neighbouring.CHANGE_ONE
        if replaced and len(self.orders) == 1 and not self.exposed.grouped:
            return self.exposed.rows * b
        return self.exposed.moves * max(a, b - a)

    def steps(self) -> Iterator[Fraction]:
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
        share = (self.depth, self.grid.places) if len(self.orders) > 1 else None
        return [
            rank_statement(
                level,
                self._rows_off(float(1 - level)),
                spacing=self.grid.not_counted,
                share=share,
            )
            for level in CONFIDENCE_LEVELS
        ]

    def _rows_off(self, alpha: float) -> int:
        gap = math.log(self.grid.size * self.grid.places * self.depth / alpha)
        rows = max(
            self._scale(order) * gap / order.denominator + self._inwards(order)
            for order in self.steps()
        )
        # Where rows are parted, those of one place stay together, which may be one row too many.
        return math.ceil(rows * self.depth) + (self.depth if len(self.orders) > 1 else 0)

    def _inwards(self, order: Fraction) -> int:
        """How many outermost rows of a candidate don't count for it: what noise hides, halved."""
        return math.floor(self._scale(order) / (2 * order.denominator))

    def _scale(self, order: Fraction) -> float:
        return sampling.choice(self.sensitivity(order), self.paid())[0]


def orders_of(statistic: Statistic) -> tuple[Fraction, ...]:
    """The quantiles that a statistic asks for; a median is one half."""
    if statistic.kind is StatisticKind.MEDIAN:
        return (Fraction(1, 2),)
    return tuple(Fraction(text) for text in statistic.quantiles)
