"""What every mechanism offers: what it must know exactly, one draw, and what is made of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.draw import Measured
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.request import CodeGrouping, Measure

Statements = list[dict[str, Any]]
"""Accuracy statements at the three confidence levels."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of an answer: what it is, and, when it has been drawn, its cells in order."""

    statistic: Statistic
    facts: dict[str, Any]
    cells: tuple[dict[str, Any], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Its head: statistic, column of the dataset, and what else tells it apart."""
        kind, column = self.statistic.kind.value, self.statistic.column
        return {"statistic": kind, "column": column} | self.facts


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was released: the noisy integers as they came, and the columns made of them.

    `raw` holds for each cell a list of integers; everything in `columns` follows from it.
    """

    raw: list[list[int]]
    columns: tuple[Column, ...]


class Mechanism(Protocol):
    """Some statistics of a plan that share one draw and its price."""

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """What it answers."""

    @property
    def loss(self) -> Loss:
        """What it costs."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What it must know exactly of each cell."""

    @property
    def axis(self) -> CodeGrouping | None:
        """A further grouping, inside each cell of the plan, that it must know exactly."""

    @property
    def smallest_nano(self) -> int:
        """The smallest amount of its loss's currency at which it can be drawn."""

    def run(self, table: Sequence[Measured]) -> Drawn:
        """Draw once. `table` has each cell's measures; with an axis, each bin's of each cell's."""

    def describe(self) -> dict[str, Any]:
        """The public facts about the draw, the same in quote and release."""

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[Column, Statements]]:
        """The columns with how wrong each number may be; no statements where rows decide."""
