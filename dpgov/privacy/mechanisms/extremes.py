"""Min and max, as a noisy choice of a value with only a few rows beyond it.

The true extreme belongs to one unit and cannot be told. Asked for the least value, the mechanism
looks for the candidate that holds the row number `aim` from below, with an aim just large enough,
given the price and the number of candidates, that noise will hardly point outside the data. A row
more or less moves the distance to that row by one, and so does a row that is replaced.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.grid import Grid, scores
from dpgov.privacy.mechanisms.mechanism import AnswerColumn, Chosen, Drawn, OfOne, Statements
from dpgov.privacy.mechanisms.table import Measured
from dpgov.privacy.noise import sampling
from dpgov.privacy.noise.noise import rank_statement
from dpgov.privacy.noise.sensitivity import Exposure
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.request import Counts
from dpgov.privacy.plan.statistics import StatisticKind

_OUTSIDE = 0.05


@dataclass(frozen=True, slots=True)
class Extreme(OfOne, Chosen):
    """The least or largest value of one column."""

    statistic: Statistic
    column: int
    grid: Grid
    exposed: Exposure
    loss: Loss

    @property
    def smallest_nano(self) -> int:
        """The smallest amount at which the choice can be drawn."""
        return sampling.smallest_nano(2 * self.sensitivity, self.loss.mode)

    @property
    def aim(self) -> int:
        """How many rows should lie beyond the released value: public."""
        return math.ceil(self.noise_scale * math.log(self.grid.size / _OUTSIDE))

    def run(self, table: Sequence[Measured]) -> Drawn:
        """One choice in each cell; cells share the price, as their rows differ."""
        chosen = [[self._choose(rows)] for rows in self.rows_of_cells(table)]
        statements = self._statements()
        cells = tuple(
            {"value": self.grid.value(place), "accuracy": statements} for (place,) in chosen
        )
        return Drawn(chosen, (AnswerColumn(self.statistic, self._facts(), cells),))

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[AnswerColumn, Statements]]:
        """In rows; the number of rows does not matter."""
        return [(AnswerColumn(self.statistic, self._facts()), self._statements())]

    def _facts(self) -> dict[str, Any]:
        return {"rows_beyond": self.aim}

    @property
    def noise_scale(self) -> float:
        """See Chosen."""
        return sampling.choice(self.sensitivity, self.loss)[0]

    @property
    def sensitivity(self) -> int:
        """A replaced row counts once within one cell, and twice if it can change its cell."""
        return self.exposed.moves if self.exposed.grouped else self.exposed.rows

    def _choose(self, rows: Counts) -> int:
        upwards = self.statistic.kind is StatisticKind.MIN
        found = scores(rows if upwards else rows[::-1], 0, 1, self.aim)
        place = sampling.highest(found, sensitivity=self.sensitivity, loss=self.loss)
        return place if upwards else len(rows) - 1 - place

    def _statements(self) -> Statements:
        """Rows beyond the released value: the aim and how far the choice may miss it."""
        return [
            rank_statement(
                level,
                self.aim
                + math.ceil(self.noise_scale * math.log(self.grid.size / float(1 - level))),
                spacing=self.grid.not_counted,
            )
            for level in CONFIDENCE_LEVELS
        ]
