"""A mean where the number of rows is public and no row can drop out: a noisy sum over it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpgov.privacy.decimals import decimals_of, json_number
from dpgov.privacy.mechanisms.mean import EXTRA_DECIMALS
from dpgov.privacy.mechanisms.mechanism import NoisyCell, Statements
from dpgov.privacy.mechanisms.part import NoisyPart
from dpgov.privacy.mechanisms.sum import sum_part
from dpgov.privacy.mechanisms.total import bounds_of
from dpgov.privacy.plan import Statistic
from dpgov.privacy.schema import DatasetSchema, Neighbouring, NumericDomain
from dpgov.privacy.sensitivity import Exposure


@dataclass(frozen=True, slots=True)
class PublicMean:
    """All of the ε goes to the sum; dividing by a public number costs nothing."""

    statistic: Statistic
    nano: int
    domain: NumericDomain
    sum: NoisyPart
    rows: int

    @property
    def parts(self) -> tuple[NoisyPart, ...]:
        """The noisy sum alone."""
        return (self.sum,)

    def value(self, noisy: NoisyCell) -> int | float:
        """The mean, clamped to the bounds and rounded to a fixed number of decimals."""
        mean = noisy[0] * self.sum.unit / self.rows
        clamped = max(Fraction(self.domain.lower), min(Fraction(self.domain.upper), mean))
        return json_number(clamped, self._decimals)

    def accuracy(self, cells: Sequence[NoisyCell]) -> list[Statements]:
        """The same for every cell; clamping can only bring the mean closer."""
        statements = self.expected_accuracy(None)
        return [statements for _ in cells]

    def expected_accuracy(self, rows_in_a_cell: int | None) -> Statements:
        """From the noise scale and the public number of rows."""
        return bounds_of(self.sum, self.sum.unit / self.rows, self._decimals)

    @property
    def _decimals(self) -> int:
        return decimals_of(Fraction(self.domain.step)) + EXTRA_DECIMALS


def rows_are_public(schema: DatasetSchema, exposed: Exposure) -> bool:
    """Whether every neighbouring table has the same, known, number of rows in this answer."""
    return (
        schema.neighbouring is Neighbouring.CHANGE_ONE
        and bool(schema.public_rows)
        and not (exposed.grouped or exposed.droppable)
    )


def public_mean(
    statistic: Statistic,
    column: int,
    domain: NumericDomain,
    exposed: Exposure,
    nano: int,
    *,
    rows: int,
) -> PublicMean:
    """The mean over exactly `rows` rows."""
    return PublicMean(statistic, nano, domain, sum_part(column, domain, exposed, nano), rows)
