"""A statistic that is one noisy integer times a unit: a count, a sum, a mean of public rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpgov.privacy.accuracy import CONFIDENCE_LEVELS, statement, tail_bound
from dpgov.privacy.decimals import decimals_of, json_number_up
from dpgov.privacy.mechanisms.mechanism import NoisyCell, Statements
from dpgov.privacy.mechanisms.part import NoisyPart
from dpgov.privacy.plan import Statistic


@dataclass(frozen=True, slots=True)
class Total:
    """The noisy number itself. Its error is the noise, so its bound is exact."""

    statistic: Statistic
    nano: int
    part: NoisyPart

    @property
    def parts(self) -> tuple[NoisyPart, ...]:
        """The one part, with all of the ε."""
        return (self.part,)

    def value(self, noisy: NoisyCell) -> int | float:
        """The noisy number in units."""
        return self.part.in_units(noisy[0])

    def accuracy(self, cells: Sequence[NoisyCell]) -> list[Statements]:
        """The same for every cell."""
        statements = self.expected_accuracy(None)
        return [statements for _ in cells]

    def expected_accuracy(self, rows_in_a_cell: int | None) -> Statements:
        """From the noise scale alone; the number of rows does not matter."""
        return bounds_of(self.part, self.part.unit, decimals_of(self.part.unit))


def bounds_of(part: NoisyPart, unit: Fraction, decimals: int) -> Statements:
    """The noise's own tail bounds times a unit."""
    return [
        statement(level, json_number_up(tail_bound(part.scale, level) * unit, decimals))
        for level in CONFIDENCE_LEVELS
    ]
