"""Count, sum, mean, variance and standard deviation, made of one draw of noisy sums."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpgov.privacy.accounting.decimals import decimals_of, json_number, json_number_up
from dpgov.privacy.mechanisms.draw import Draw, NoisyCell
from dpgov.privacy.mechanisms.mechanism import AnswerColumn, Drawn, Statements, Summed
from dpgov.privacy.mechanisms.table import Measured
from dpgov.privacy.mechanisms.totals import EXTRA_DECIMALS, Scale
from dpgov.privacy.noise.intervals import HALF, BernsteinSums, mean_bounds, variance_range
from dpgov.privacy.noise.noise import Floats, statement
from dpgov.privacy.noise.spread import weighted
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.statistics import Quantity, Recipe


@dataclass(frozen=True, slots=True)
class Basis:
    """The sums that a view is made of: `whole` is what the readings of one row add up to.

    `times` is of how many released cells they were added up.
    """

    taken: Draw
    scale: Scale
    times: int = 1

    @property
    def degree(self) -> int:
        """Of the polynomials."""
        return len(self.taken.readings) - 1

    @property
    def whole(self) -> int:
        """One row, in lattice units."""
        return self.taken.readings[0].unit.denominator

    @property
    def sums(self) -> BernsteinSums:
        """For intervals."""
        return BernsteinSums(self.taken.noise, self.degree, self.whole, self.times)

    @property
    def decimals(self) -> int:
        """Of a mean: a fixed number."""
        return decimals_of(self.scale.step) + EXTRA_DECIMALS

    def combined(self, cell: NoisyCell, at_zero: Fraction, at_one: Fraction) -> Fraction:
        """The sum over rows of the straight line with these ends."""
        ends = [at_zero, at_one] if self.degree == 1 else [at_zero, (at_zero + at_one) / 2, at_one]
        added = sum((weight * n for weight, n in zip(ends, cell, strict=True)), Fraction(0))
        return added / self.whole

    def centred_mean(self, cell: NoisyCell) -> Fraction:
        """The mean of u less one half. A noisy count below one divides as one."""
        half = Fraction(1, 2)
        rows = self.combined(cell, Fraction(1), Fraction(1))
        return max(-half, min(half, self.combined(cell, -half, half) / max(Fraction(1), rows)))

    def arrays(self, cells: Sequence[NoisyCell]) -> tuple[Floats, Floats, Floats]:
        """Counts, unclamped centred means and unclamped variances of u (degree two only)."""
        table = np.array(cells, dtype=np.float64) / self.whole
        counts = table.sum(axis=1)
        rows = np.maximum(counts, 1)
        centred = (table[:, -1] - table[:, 0]) / 2 / rows
        if self.degree == 1:
            return counts, centred, np.zeros_like(counts)
        # (u - 1/2)² is 1/4 at both ends and -1/4 in the middle coefficient.
        squares = (table[:, 0] - table[:, 1] + table[:, 2]) / 4 / rows
        return counts, centred, squares - centred**2


@dataclass(frozen=True, slots=True)
class CountOrSum:
    """A count or a sum: the sum over rows of a straight line in u, on a lattice of its own."""

    statistic: Statistic
    basis: Basis

    def values(self, cells: Sequence[NoisyCell]) -> list[int | float]:
        """Rounded to the lattice that the exact number lies on."""
        weights = [weight / self.lattice for weight in self.weights]
        steps = (sum(w * n for w, n in zip(weights, cell, strict=True)) for cell in cells)
        return [self._in_units(round(number)) for number in steps]

    def accuracy(self, cells: Sequence[NoisyCell]) -> list[Statements]:
        """From the noise alone: the same for every cell."""
        found, weights = [], tuple(map(float, self.weights))
        for level in CONFIDENCE_LEVELS:
            off = weighted.bound(self.basis.taken.noise, weights, level)
            # The exact number lies on the lattice: rounding adds at most half a step.
            steps = (Fraction(off) / self.lattice + Fraction(1, 2)).__floor__()
            found.append(statement(level, self._in_units(steps)))
        return [found for _ in cells]

    def worst_cell(self, rows: int) -> NoisyCell | None:
        """The number of rows does not matter."""
        return None

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """What one step of each reading adds to the number: the line at 0, (in between,) and 1."""
        ends = Fraction(1), Fraction(1)
        if self.statistic.kind.facts.recipe is not Recipe.ROWS:
            scale = self.basis.scale
            ends = scale.lower, scale.lower + scale.size
        nodes = ends if self.basis.degree == 1 else (ends[0], sum(ends) / 2, ends[1])
        return tuple(Fraction(node) / self.basis.whole for node in nodes)

    @property
    def lattice(self) -> Fraction:
        """What the exact number is a multiple of."""
        one = self.statistic.kind.facts.recipe is Recipe.ROWS
        return Fraction(1) if one else self.basis.scale.step

    def _in_units(self, steps: int) -> int | float:
        return json_number(steps * self.lattice, decimals_of(self.lattice))


@dataclass(frozen=True, slots=True)
class Mean:
    """The ratio, clamped to the declared bounds."""

    statistic: Statistic
    basis: Basis

    def values(self, cells: Sequence[NoisyCell]) -> list[int | float]:
        """Rounded to a fixed number of decimals. Clamping can only bring them closer."""
        scale, half = self.basis.scale, Fraction(1, 2)
        places = (self.basis.centred_mean(cell) + half for cell in cells)
        means = (scale.within(scale.lower + scale.size * place) for place in places)
        return [json_number(mean, self.basis.decimals) for mean in means]

    def accuracy(self, cells: Sequence[NoisyCell]) -> list[Statements]:
        """From the released integers and the noise; see `intervals`."""
        counts, centred, _ = self.basis.arrays(cells)
        inside, sums = np.clip(centred, -HALF, HALF), self.basis.sums
        by_level = [
            mean_bounds(sums, level, inside, counts).tolist() for level in CONFIDENCE_LEVELS
        ]
        size, off = self.basis.scale.size, self.basis.scale.off
        return [
            statements_of([Fraction(b) * size + off for b in bounds], self.basis.decimals)
            for bounds in zip(*by_level, strict=True)
        ]

    def worst_cell(self, rows: int) -> NoisyCell | None:
        """All rows at the upper bound."""
        return (0,) * self.basis.degree + (self.basis.whole * rows,)


@dataclass(frozen=True, slots=True)
class Variance:
    """The mean squared distance from the mean, or its root; divided by the number of rows."""

    statistic: Statistic
    basis: Basis

    def values(self, cells: Sequence[NoisyCell]) -> list[int | float]:
        """Between zero and a quarter of the squared width of the bounds."""
        return [json_number(Fraction(v), self.basis.decimals) for v in self._released(cells)]

    def accuracy(self, cells: Sequence[NoisyCell]) -> list[Statements]:
        """The distance to the farthest plausible variance; see `intervals`."""
        counts, centred, variances = self.basis.arrays(cells)
        released = np.array(self._released(cells))
        off = float(self.basis.scale.off)
        by_level = []
        for level in CONFIDENCE_LEVELS:
            plausible = variance_range(self.basis.sums, level, centred, variances, counts)
            low, high = (np.sqrt(v) * float(self.basis.scale.size) for v in plausible)
            # Coarse codes move a standard deviation by at most `off`.
            low, high = self._in_units(np.maximum(low - off, 0)), self._in_units(high + off)
            by_level.append(np.maximum(released - low, high - released).tolist())
        return [
            statements_of([Fraction(max(b, 0)) for b in bounds], self.basis.decimals)
            for bounds in zip(*by_level, strict=True)
        ]

    def worst_cell(self, rows: int) -> NoisyCell | None:
        """All rows at the upper bound: the noise in (u - m)² counts in full there."""
        return (0, 0, self.basis.whole * rows)

    def _released(self, cells: Sequence[NoisyCell]) -> list[float]:
        _, _, variances = self.basis.arrays(cells)
        deviations = np.sqrt(np.clip(variances, 0, HALF**2)) * float(self.basis.scale.size)
        return [float(v) for v in self._in_units(deviations)]

    def _in_units(self, deviations: Floats) -> Floats:
        if self.statistic.kind.facts.quantity is Quantity.DISTANCE:
            return deviations
        squared: Floats = deviations**2
        return squared


View = CountOrSum | Mean | Variance
VIEWS: dict[Recipe, type[Mean] | type[Variance]] = {Recipe.MEAN: Mean, Recipe.SPREAD: Variance}


def view_of(statistic: Statistic, basis: Basis) -> View:
    """The statistic as what is made of these sums."""
    return VIEWS.get(statistic.kind.facts.recipe, CountOrSum)(statistic, basis)


@dataclass(frozen=True, slots=True)
class PowerSums(Summed):
    """One draw of `degree` + 1 sums in each cell, and the statistics made of it."""

    views: tuple[View, ...]
    taken: Draw

    @property
    def basis(self) -> Basis:
        """The sums that all views are made of."""
        return self.views[0].basis

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """All of them, in the order of `views`."""
        return tuple(view.statistic for view in self.views)

    def run(self, table: Sequence[Measured]) -> Drawn:
        """The noisy sums, and every statistic made of the same ones."""
        noisy = self.taken.run(table)
        columns = tuple(
            AnswerColumn(view.statistic, {}, _cells(view, noisy)) for view in self.views
        )
        return Drawn([list(cell) for cell in noisy], columns)

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[AnswerColumn, Statements]]:
        """For that many rows and the worst place of the mean."""
        return [
            (AnswerColumn(view.statistic, {}), expected_of(view, rows_in_a_cell, self.taken))
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


def statements_of(bounds: Sequence[Fraction], decimals: int) -> Statements:
    """The bounds with half a unit of the last decimal for the rounding of the value itself."""
    rounding = Fraction(1, 2 * 10**decimals)
    return [
        statement(level, json_number_up(bound + rounding, decimals))
        for level, bound in zip(CONFIDENCE_LEVELS, bounds, strict=True)
    ]
