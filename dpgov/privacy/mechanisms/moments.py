"""Mean, variance, standard deviation, and with them count and sum, from one shared draw.

Each present row adds the values of the Bernstein polynomials at u, its value's place between the
bounds: 1 - u and u, or (1 - u)², 2u(1 - u) and u². They are never negative and add up to one, so
that all sums together move by no more than a count does, and each gets noise for the whole of the
loss instead of a share of it. Every polynomial of that degree is a combination of them: the count
is their sum. (Linear queries over a public partition of unity; the noise of two such sums is the
noise of the K-norm mechanism for the pair of count and sum, Hardt and Talwar 2010.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, Protocol

from dpgov.language.said import pattern
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.draw import Draw, Measured, NoisyCell, Reading
from dpgov.privacy.mechanisms.mechanism import Column, Drawn, Statements, Summed
from dpgov.privacy.noise.sensitivity import Exposure, of_shares
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.request import Measure, MeasureKind
from dpgov.privacy.plan.schema import LARGEST_SUM, DatasetSchema, NumericDomain
from dpgov.privacy.plan.statistics import Recipe, StatisticKind

# Decimals of a released mean beyond those of its column's step: a public constant.
EXTRA_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Scale:
    """What u stands for: value = lower + size x u. `off` bounds how far coarse codes move it."""

    lower: Fraction
    size: Fraction
    step: Fraction
    off: Fraction


class View(Protocol):
    """One statistic made of the noisy sums."""

    @property
    def statistic(self) -> Statistic:
        """What was asked."""

    def values(self, cells: Sequence[NoisyCell]) -> list[int | float]:
        """The released numbers."""

    def accuracy(self, cells: Sequence[NoisyCell]) -> list[Statements]:
        """How wrong each may be."""

    def worst_cell(self, rows: int) -> NoisyCell | None:
        """Noisy sums of so many rows where the error is largest; None where rows don't matter."""


@dataclass(frozen=True, slots=True)
class Moments(Summed):
    """One draw of `degree` + 1 sums in each cell, and the statistics made of it."""

    views: tuple[View, ...]
    taken: Draw

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """All of them, in the order of `views`."""
        return tuple(view.statistic for view in self.views)

    def run(self, table: Sequence[Measured]) -> Drawn:
        """The noisy sums, and every statistic made of the same ones."""
        noisy = self.taken.run(table)
        columns = tuple(Column(view.statistic, {}, _cells(view, noisy)) for view in self.views)
        return Drawn([list(cell) for cell in noisy], columns)

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[Column, Statements]]:
        """For that many rows and the worst place of the mean."""
        return [
            (Column(view.statistic, {}), expected_of(view, rows_in_a_cell, self.taken))
            for view in self.views
        ]


def _cells(view: View, noisy: Sequence[NoisyCell]) -> tuple[dict[str, Any], ...]:
    pairs = zip(view.values(noisy), view.accuracy(noisy), strict=True)
    return tuple({"value": value, "accuracy": accuracy} for value, accuracy in pairs)


def expected_of(view: View, rows: int | None, taken: Draw) -> Statements:
    """For so many rows and the worst place of the mean; none where rows matter and are unknown."""
    nothing = (0,) * len(taken.readings)
    worst = view.worst_cell(rows or 1) or nothing
    if rows is None and worst is not nothing:
        return []
    return view.accuracy([worst])[0]


def degree_of(kind: StatisticKind) -> int:
    """Of the polynomials that it needs; 0 for what needs no moments."""
    return {Recipe.MEAN: 1, Recipe.SPREAD: 2}.get(kind.facts.recipe, 0)


def scale_of(domain: NumericDomain, width: int) -> Scale:
    """The lattice of codes divided by `width`, each standing for the middle of its codes."""
    step = Fraction(domain.step)
    off = step * (width - 1) / 2
    return Scale(Fraction(domain.lower) + off, step * width * (domain.top // width), step, off)


def width_for(degree: int, domain: NumericDomain, schema: DatasetSchema) -> int:
    """How many codes are taken together so that sums of squares stay exact: a public number."""
    rows = max(schema.max_rows, 2 * schema.group_size * schema.unit.max_rows_per_unit)
    most = isqrt(LARGEST_SUM // rows) if degree == 2 else domain.top
    return min(domain.top // (most + 1) + 1, domain.top)


def moments_draw(
    degree: int, column: int, domain: NumericDomain, width: int, exposed: Exposure, loss: Loss
) -> Draw:
    """The sums of the Bernstein polynomials of `degree`, times top to that degree: integers."""
    top = domain.top // width
    present = Measure(MeasureKind.PRESENT, column)
    codes = Measure(MeasureKind.CODE_SUM, column, width)
    squares = Measure(MeasureKind.SQUARE_SUM, column, width)
    whole = top**degree
    weights: tuple[tuple[str, tuple[tuple[Measure, int], ...]], ...]
    if degree == 1:
        weights = (
            (pattern("rows towards the lower bound"), ((present, top), (codes, -1))),
            (pattern("rows towards the upper bound"), ((codes, 1),)),
        )
    else:
        low = ((present, whole), (codes, -2 * top), (squares, 1))
        weights = (
            (pattern("rows near the lower bound"), low),
            (pattern("rows in between"), ((codes, 2 * top), (squares, -2))),
            (pattern("rows near the upper bound"), ((squares, 1),)),
        )
    unit = Fraction(1, whole)
    readings = tuple(Reading(name, weight, unit) for name, weight in weights)
    return Draw(readings, of_shares(whole, exposed), loss)
