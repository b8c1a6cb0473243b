"""A mean where the number of rows is public and no row can drop out: a noisy sum over it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpgov.privacy.accounting.decimals import decimals_of, json_number
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.draw import Draw, Measured
from dpgov.privacy.mechanisms.mechanism import Column, Drawn, OfOne, Statements, Summed
from dpgov.privacy.mechanisms.moments import EXTRA_DECIMALS
from dpgov.privacy.mechanisms.totals import noise_statements, sum_draw
from dpgov.privacy.noise.sensitivity import Exposure
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, NumericDomain


@dataclass(frozen=True, slots=True)
class PublicMean(OfOne, Summed):
    """All of the loss goes to the sum; dividing by a public number costs nothing."""

    statistic: Statistic
    domain: NumericDomain
    taken: Draw
    rows: int

    def run(self, table: Sequence[Measured]) -> Drawn:
        """The noisy sum divided, clamped to the bounds and rounded to a fixed number of decimals.

        Clamping can only bring the mean closer.
        """
        noisy = self.taken.run(table)
        statements = self._statements()
        cells = tuple({"value": self._value(n[0]), "accuracy": statements} for n in noisy)
        return Drawn([list(n) for n in noisy], (Column(self.statistic, {}, cells),))

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[Column, Statements]]:
        """From the noise scale and the public number of rows."""
        return [(Column(self.statistic, {}), self._statements())]

    def _value(self, steps: int) -> int | float:
        mean = Fraction(steps * self.taken.readings[0].unit, self.rows)
        clamped = max(Fraction(self.domain.lower), min(Fraction(self.domain.upper), mean))
        return json_number(clamped, self._decimals)

    def _statements(self) -> Statements:
        return noise_statements(self.taken, self.taken.readings[0].unit / self.rows, self._decimals)

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
    loss: Loss,
    *,
    rows: int,
) -> PublicMean:
    """The mean over exactly `rows` rows."""
    return PublicMean(statistic, domain, sum_draw(column, domain, exposed, loss), rows)
