"""A cumulative distribution: for every edge the rows below it, from sums chosen for that purpose.

Within each cell of the other groupings, bin i of the last grouping is answered by the rows of bins
0 to i, and the last bin, which holds everything else, by all rows. Along two groupings, the last
two, it is answered by the rows that are up to their bin in both.

Which sums are drawn and how counts are made of them is in `strategies` and `products`. Which is
best depends on the numbers of bins and the noise alone.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

from dpgov.privacy.accounting.decimals import decimals_of, json_number, json_number_up
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.draw import Draw, Reading, calibrated
from dpgov.privacy.mechanisms.mechanism import ROWS, AnswerColumn, Drawn, OfOne, Statements, Summed
from dpgov.privacy.mechanisms.products import Product, products
from dpgov.privacy.mechanisms.strategies import Strategy, best_of, strategies
from dpgov.privacy.mechanisms.table import Measured
from dpgov.privacy.mechanisms.trees import Integers
from dpgov.privacy.noise.noise import Floats, Noise, statement
from dpgov.privacy.noise.sampling import smallest_nano
from dpgov.privacy.noise.sensitivity import Contribution, Exposure, Sensitivity, of_count, reach
from dpgov.privacy.noise.spread.sums import bounds_of_many
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.schema import LARGEST_SUM

# The answers whose largest weight stands out most have the widest tails for their variance.
_LOOKED_AT = 4
# Far enough below the end of a machine word for what floats round away.
_WORD = 2.0**62


@dataclass(frozen=True, slots=True)
class Cumulative(OfOne, Summed):
    """The counts from the first bin on, made of the sums of one strategy."""

    statistic: Statistic
    strategy: Strategy | Product
    taken: Draw
    least_nano: int

    @property
    def smallest_nano(self) -> int:
        """That of the bins themselves: for less than other sums need, they are drawn."""
        return self.least_nano

    def run(self, table: Sequence[Measured]) -> Drawn:
        """The noisy sums of each cell of the other groupings, and the counts made of them."""
        rows = np.array([cell[ROWS] for cell in table], dtype=np.int64)
        exact = self.exact(rows.reshape(-1, self.strategy.bins))
        noisy = np.array(self.taken.add_noise(exact.ravel().tolist())).reshape(exact.shape)
        values = np.rint(self.strategy.made_of(noisy.astype(np.float64))).astype(np.int64)
        bounds = self._statements()
        cells = tuple(
            {"value": value, "accuracy": bounds[place]}
            for cell in values.tolist()
            for place, value in enumerate(cell)
        )
        return Drawn(noisy.tolist(), (AnswerColumn(self.statistic, {}, cells),))

    def exact(self, rows: Integers) -> Integers:
        """The exact sums of each line of bins; they must never leave the worker.

        Cut as those of a `Reading` are: each by itself, which brings no two tables further apart,
        and nothing fails by a row too many.
        """
        most = float(rows.sum(axis=1, dtype=np.float64).max(initial=0)) * self.strategy.heaviest
        # Where a sum could pass a machine word, integers of any size.
        whole: Any = rows.astype(object) if most >= _WORD else rows
        return np.clip(self.strategy.drawn_of(whole), -LARGEST_SUM, LARGEST_SUM)

    def describe(self) -> dict[str, Any]:
        """See Draw; `strategy` names the sums that are drawn."""
        unit = self.strategy.unit
        lattice = json_number(unit, decimals_of(unit))
        sums = [{"name": self.strategy.reading, "lattice": lattice}]
        return self.taken.describe() | {"strategy": self.strategy.name, "readings": sums}

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[AnswerColumn, Statements]]:
        """The widest of all bounds; the number of rows does not matter."""
        widest = float(np.sqrt(self.strategy.variances.max()))
        return [(AnswerColumn(self.statistic, {}), _stated(widest, self._factors()))]

    def least(self) -> Statements:
        """The narrowest of all bounds; those of single bins count, as ranges are free later."""
        deviation = float(np.sqrt(self.strategy.variances.min()))
        alone = self.strategy.most_exact_bin[None, :]
        (of_a_bin,) = statements_of_weights(alone, self.taken.noise)
        pairs = zip(_stated(deviation, self._factors()), of_a_bin, strict=True)
        return [min(pair, key=lambda statement: statement["value"]) for pair in pairs]

    def _statements(self) -> list[Statements]:
        deviations = np.sqrt(self.strategy.variances)
        return [_stated(deviation, self._factors()) for deviation in deviations.tolist()]

    def _factors(self) -> Sequence[float]:
        return _factors_of(self.strategy, self.taken.noise)


# The same for every answer to a question, and for its quote.
@lru_cache(maxsize=64)
def _factors_of(strategy: Strategy | Product, noise: Noise) -> Sequence[float]:
    deviations = np.sqrt(strategy.variances)
    return _factors(deviations, strategy.largest, strategy.weights_of, noise)


def statements_of_weights(weights: Floats, noise: Noise) -> list[Statements]:
    """The bounds of counts that are so many combinations of noisy sums, a row of weights each.

    A count without any weight is always zero, and so is its bound.
    """
    deviations = np.sqrt((weights**2).sum(axis=1))
    factors = _factors(deviations, np.abs(weights).max(axis=1), weights.__getitem__, noise)
    return [_stated(deviation, factors) for deviation in deviations.tolist()]


def _factors(
    deviations: Floats, largest: Floats, weights_of: Callable[[int], Floats], noise: Noise
) -> Sequence[float]:
    """How many deviations of its weights the bound of a count has at most, at each level.

    Never fewer than with normal noise: so has a sum of many, and at 90% a single Laplace has fewer.
    """
    made = np.maximum(deviations, np.finfo(np.float64).tiny)
    looked_at = np.argsort(-largest / made, kind="stable")[:_LOOKED_AT].tolist()
    bounds = [bounds_of_many(noise, weights_of(at), CONFIDENCE_LEVELS) for at in looked_at]
    of_each = [[bound / made[at] for bound in of] for at, of in zip(looked_at, bounds, strict=True)]
    normal = NormalDist(0, math.sqrt(noise.variance))
    least = [normal.inv_cdf(float((1 + level) / 2)) for level in CONFIDENCE_LEVELS]
    return [float(max(factors)) for factors in zip(least, *of_each, strict=True)]


def _stated(deviation: float, factors: Sequence[float]) -> Statements:
    """The bounds of one count. Rounding to whole rows adds half a row at most."""
    return [
        statement(level, json_number_up(Fraction(factor * deviation + 0.5), 0) if deviation else 0)
        for level, factor in zip(CONFIDENCE_LEVELS, factors, strict=True)
    ]


def cumulative(
    statistic: Statistic, bins: Sequence[int], exposed: Exposure, loss: Loss, *, max_rows: int
) -> Cumulative:
    """The mechanism for so many bins of one grouping or of two, in each cell of the others.

    Of the strategies whose noise can be drawn for this loss the one with the least error; the bins
    themselves, which move least, where there is none.
    """
    looked_at = list(_strategies(bins, max_rows))
    alone = looked_at[0]
    # A cell is one of the other groups here: all rows of a unit may lie along its bins.
    along = replace(exposed, in_a_cell=None, cells=exposed.cells // alone.bins)

    def reach_of(strategy: Strategy | Product) -> Sensitivity:
        if strategy == alone:
            return of_count(exposed)
        size = strategy.reach
        apart = Sensitivity(2 * size.l1, 2 * size.l2_squared)
        return reach(Contribution(size, apart, apart, both=size.l2_squared), along)

    def variance(strategy: Strategy | Product) -> float:
        return calibrated(reach_of(strategy), loss)[0].variance

    def can_be_drawn(strategy: Strategy | Product) -> bool:
        l1 = reach_of(strategy).l1
        return l1 <= LARGEST_SUM and smallest_nano(l1, loss.mode) <= loss.nano

    open_ones = list(filter(can_be_drawn, looked_at))
    strategy = best_of(open_ones, variance) if open_ones else alone
    rows = Reading("rows", ((ROWS, 1),), strategy.unit)
    taken = Draw((rows,), reach_of(strategy), loss)
    return Cumulative(statistic, strategy, taken, smallest_nano(reach_of(alone).l1, loss.mode))


def _strategies(bins: Sequence[int], max_rows: int) -> Iterator[Strategy | Product]:
    """All that are looked at, the bins themselves first."""
    if len(bins) == 1:
        return strategies(bins[0], max_rows=max_rows)
    first, second = bins
    return products(first, second, max_rows=max_rows)
