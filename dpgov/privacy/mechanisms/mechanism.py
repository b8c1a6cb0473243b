"""What every mechanism offers: what it must know exactly, one draw, and what is made of it; and the
two ways in which that is drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from dpgov.language.said import pattern
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.mechanisms.grid import Grid
from dpgov.privacy.mechanisms.table import Measured, column
from dpgov.privacy.noise.noise import NoiseKind
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.plan import Statistic, clip_as_json
from dpgov.privacy.plan.request import CodeFilter, Counts, Measure, MeasureKind
from dpgov.privacy.plan.statistics import Facts

CHOICE = pattern("report noisy max")
ROWS = Measure(MeasureKind.ROWS)
Statements = list[dict[str, Any]]
"""Accuracy statements at the three confidence levels."""


def released_by(facts: Facts, mode: Mode) -> tuple[str, ...]:
    """What may release it, as quotes and releases say; of two the better one is drawn."""
    if facts.error_in_rows:
        return (CHOICE,)
    return (NoiseKind.LAPLACE,) if mode is Mode.PURE else (NoiseKind.GAUSSIAN, NoiseKind.LAPLACE)


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """One column of an answer: what it is, and, when it has been drawn, its cells in order."""

    statistic: Statistic
    facts: dict[str, Any]
    cells: Sequence[dict[str, Any]] = ()

    def as_json(self) -> dict[str, Any]:
        """Its head: statistic, column of the dataset, and what else tells it apart."""
        kind, column = self.statistic.kind.value, self.statistic.column
        clip = clip_as_json(self.statistic.clip)
        return {"statistic": kind, "column": column} | clip | self.facts


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was released: the noisy integers as they came, and the columns made of them.

    `raw` holds for each cell a list of integers; everything in `columns` follows from it. `told` is
    what else was public by then and must be known to draw conclusions from the integers.
    """

    raw: Sequence[list[int]]
    columns: tuple[AnswerColumn, ...]
    told: dict[str, Any] = field(default_factory=dict)


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
    def filters(self) -> tuple[CodeFilter, ...]:
        """What rows must pass besides the plan's filters to count in it at all."""

    @property
    def smallest_nano(self) -> int:
        """The smallest amount of its loss's currency at which it can be drawn."""

    def run(self, table: Sequence[Measured]) -> Drawn:
        """Draw once. `table` has each cell's measures; with an axis, each bin's of each cell's."""

    def describe(self) -> dict[str, Any]:
        """The public facts about the draw, the same in quote and release."""

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[AnswerColumn, Statements]]:
        """The columns with how wrong each number may be; no statements where rows decide."""


class OfOne:
    """A mechanism that answers one statistic."""

    __slots__ = ()
    statistic: Statistic

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """The one."""
        return (self.statistic,)


class OfRows:
    """A mechanism that knows exactly how many rows there are."""

    __slots__ = ()

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Rows."""
        return (ROWS,)


class Unfiltered:
    """A mechanism for which all rows of the plan count."""

    __slots__ = ()

    @property
    def filters(self) -> tuple[CodeFilter, ...]:
        """None."""
        return ()


class Whole(Unfiltered):
    """A mechanism that reads the cells of the plan as they are."""

    __slots__ = ()

    @property
    def axis(self) -> CodeGrouping | None:
        """None."""
        return None


class Summed(Whole):
    """A mechanism that is one draw of noisy sums: it knows, costs and says what the draw does."""

    __slots__ = ()
    taken: Draw

    @property
    def loss(self) -> Loss:
        """Of the draw."""
        return self.taken.loss

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What the readings add up."""
        return tuple({m: None for reading in self.taken.readings for m, _ in reading.weights})

    @property
    def smallest_nano(self) -> int:
        """Of the draw."""
        return self.taken.smallest_nano

    def describe(self) -> dict[str, Any]:
        """The public facts about the draw."""
        return self.taken.describe()


class Chosen(OfRows, Unfiltered):
    """A mechanism that chooses noisily among the candidates of a grid, `depth` times in a row."""

    __slots__ = ()
    column: int
    grid: Grid
    loss: Loss

    @property
    def depth(self) -> int:
        """How many choices follow each other."""
        return 1

    @property
    def noise_scale(self) -> float:
        """The largest, in steps of the scores."""
        raise NotImplementedError

    @property
    def axis(self) -> CodeGrouping | None:
        """Rows by candidate; rows without a value are left out of them."""
        return self.grid.axis(self.column)

    def describe(self) -> dict[str, Any]:
        """The public facts about the choices."""
        return self.loss.as_json() | {
            "mechanism": CHOICE,
            "noise_scale": self.noise_scale,
            "candidates": self.grid.size,
            "grid": self.grid.spacing,
            "depth": self.depth,
            "readings": [{"name": pattern("rows by candidate"), "lattice": 1}],
        }

    def rows_of_cells(self, table: Sequence[Measured]) -> Counts:
        """For each cell the rows of each candidate; those without a value are left out."""
        return column(table, ROWS).reshape(-1, self.grid.size + 1)[:, :-1]
