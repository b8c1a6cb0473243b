"""Statistics that are one noisy integer times a unit: counts of rows or units, and sums.

Negative counts are released as drawn: clamping would only hide what the noise did.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpgov.language.said import pattern
from dpgov.privacy.accounting.decimals import decimals_of, json_number_up
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.draw import Draw, Measured, Reading, in_units
from dpgov.privacy.mechanisms.mechanism import Column, Drawn, OfOne, Statements, Summed
from dpgov.privacy.noise.accuracy import CONFIDENCE_LEVELS, statement
from dpgov.privacy.noise.sensitivity import Exposure, of_count, of_sum, of_units
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.request import Measure, MeasureKind
from dpgov.privacy.plan.schema import NumericDomain

_WHOLE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Total(OfOne, Summed):
    """The noisy number itself. Its error is the noise, so its bound is exact."""

    statistic: Statistic
    taken: Draw

    def run(self, table: Sequence[Measured]) -> Drawn:
        """One noisy integer a cell."""
        noisy = self.taken.run(table)
        unit, statements = self.taken.readings[0].unit, self._statements()
        cells = tuple({"value": in_units(n[0], unit), "accuracy": statements} for n in noisy)
        return Drawn([list(n) for n in noisy], (Column(self.statistic, {}, cells),))

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[Column, Statements]]:
        """From the noise scale alone; the number of rows does not matter."""
        return [(Column(self.statistic, {}), self._statements())]

    def _statements(self) -> Statements:
        return noise_statements(self.taken, self.taken.readings[0].unit)


def noise_statements(taken: Draw, unit: Fraction, decimals: int | None = None) -> Statements:
    """The noise's own tail bounds times a unit; rounding to fewer decimals is added."""
    places = min(12, decimals_of(unit)) if decimals is None else decimals
    rounding = Fraction(0) if decimals is None else Fraction(1, 2 * 10**decimals)
    return [
        statement(level, json_number_up(taken.noise.tail_bound(level) * unit + rounding, places))
        for level in CONFIDENCE_LEVELS
    ]


def count(statistic: Statistic, exposed: Exposure, loss: Loss) -> Total:
    """Rows in each cell; one noise vector over all cells, priced by its reach."""
    rows = Reading(pattern("count"), ((Measure(MeasureKind.ROWS), 1),), _WHOLE)
    return Total(statistic, Draw((rows,), of_count(exposed), loss))


def count_distinct(statistic: Statistic, exposed: Exposure, loss: Loss) -> Total:
    """Units with at least one row in each cell."""
    units = Reading(pattern("count of units"), ((Measure(MeasureKind.UNITS), 1),), _WHOLE)
    return Total(statistic, Draw((units,), of_units(exposed), loss))


def total(
    statistic: Statistic, column: int, domain: NumericDomain, exposed: Exposure, loss: Loss
) -> Total:
    """The sum of the present values in each cell, on whole steps."""
    return Total(statistic, sum_draw(column, domain, exposed, loss))


def sum_draw(column: int, domain: NumericDomain, exposed: Exposure, loss: Loss) -> Draw:
    """A sum in steps: a code counts steps from the lower bound, so that is added per value."""
    steps = (
        (Measure(MeasureKind.CODE_SUM, column), 1),
        (Measure(MeasureKind.PRESENT, column), domain.lower_steps),
    )
    return Draw(
        (Reading(pattern("sum"), steps, Fraction(domain.step)),), of_sum(domain, exposed), loss
    )
