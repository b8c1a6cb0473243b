"""A mean where the number of rows is private: a noisy centred sum over a noisy count.

The sum is centred on the middle of the bounds, which halves its influence under add_remove. Both
parts are released; the rest is arithmetic on released integers and public bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpgov.privacy.accuracy import CONFIDENCE_LEVELS, statement
from dpgov.privacy.decimals import decimals_of, json_number, json_number_up
from dpgov.privacy.mechanisms.mechanism import NoisyCell, Statements
from dpgov.privacy.mechanisms.part import NoisyPart, part_nano
from dpgov.privacy.plan import Statistic
from dpgov.privacy.ratio import RatioNoise, error_bounds
from dpgov.privacy.request import Measure, MeasureKind
from dpgov.privacy.schema import NumericDomain
from dpgov.privacy.sensitivity import Exposure, of_centred_sum, of_count

# The error is about (X - d Y)/n with d the mean's distance from the middle. Its variance is
# smallest at shares 1 : |d/reach|^(2/3). Two thirds is best for a mean a sixth of the range off
# the middle, within 6 % of the best for any mean in the middle two thirds, and 19 % at a bound.
CENTRED_SUM_SHARE = Fraction(2, 3)
# Decimals of a released mean beyond those of its column's step: a public constant.
EXTRA_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Mean:
    """The ratio, moved back from the middle and clamped to the declared bounds."""

    statistic: Statistic
    nano: int
    domain: NumericDomain
    centred_sum: NoisyPart
    count: NoisyPart

    @property
    def parts(self) -> tuple[NoisyPart, ...]:
        """Centred sum, then count."""
        return (self.centred_sum, self.count)

    def value(self, noisy: NoisyCell) -> int | float:
        """The mean, rounded to a fixed number of decimals."""
        middle = Fraction(self.domain.lower + self.domain.upper) / 2
        return json_number(middle + self._ratio(noisy) * self.centred_sum.unit, self._decimals)

    def accuracy(self, cells: Sequence[NoisyCell]) -> list[Statements]:
        """From the released integers and the two scales; see `ratio`."""
        means = np.array([float(self._ratio(noisy)) for noisy in cells])
        counts = np.array([float(noisy[1]) for noisy in cells])
        by_level = [
            error_bounds(self._noise, level, means, counts).tolist() for level in CONFIDENCE_LEVELS
        ]
        return [self._statements(bounds) for bounds in zip(*by_level, strict=True)]

    def expected_accuracy(self, rows_in_a_cell: int | None) -> Statements:
        """For that many rows and the worst place of the mean; nothing when rows are private."""
        if rows_in_a_cell is None:
            return []
        return self.accuracy([(self.domain.top * rows_in_a_cell, rows_in_a_cell)])[0]

    def _ratio(self, noisy: NoisyCell) -> Fraction:
        """In half-steps from the middle. A noisy count below one divides as one."""
        ratio = Fraction(noisy[0], max(1, noisy[1]))
        return max(Fraction(-self.domain.top), min(Fraction(self.domain.top), ratio))

    def _statements(self, bounds: Sequence[float]) -> Statements:
        rounding = Fraction(1, 2 * 10**self._decimals)
        in_units = [Fraction(bound) * self.centred_sum.unit + rounding for bound in bounds]
        return [
            statement(level, json_number_up(bound, self._decimals))
            for level, bound in zip(CONFIDENCE_LEVELS, in_units, strict=True)
        ]

    @property
    def _noise(self) -> RatioNoise:
        return RatioNoise(self.centred_sum.scale, self.count.scale, self.domain.top)

    @property
    def _decimals(self) -> int:
        return decimals_of(Fraction(self.domain.step)) + EXTRA_DECIMALS


def mean(
    statistic: Statistic, column: int, domain: NumericDomain, exposed: Exposure, nano: int
) -> Mean:
    """The mean of the present values in each cell."""
    present = Measure(MeasureKind.PRESENT, column)
    count_share = 1 - CENTRED_SUM_SHARE
    centred_sum = NoisyPart(
        name="centred sum",
        weights=((Measure(MeasureKind.CODE_SUM, column), 2), (present, -domain.top)),
        sensitivity=of_centred_sum(domain, exposed),
        unit=Fraction(domain.step) / 2,
        share=CENTRED_SUM_SHARE,
        nano=part_nano(nano, CENTRED_SUM_SHARE),
    )
    count = NoisyPart(
        name="count",
        weights=((present, 1),),
        sensitivity=of_count(exposed),
        unit=Fraction(1),
        share=count_share,
        nano=part_nano(nano, count_share),
    )
    return Mean(statistic, nano, domain, centred_sum, count)
