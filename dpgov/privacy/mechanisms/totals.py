"""Statistics made of noisy sums: one integer times a unit, or several from one shared draw.

Counts of rows or units, sums, and a mean where the number of rows is public and no row can drop
out: a noisy sum over it. Negative counts are released as drawn: clamping would only hide what the
noise did.

Mean, variance, standard deviation, and with them count and sum, come from one shared draw (`views`
makes them of it). Each present row adds the values of the Bernstein polynomials at u, its value's
place between the bounds: 1 - u and u, or (1 - u)², 2u(1 - u) and u². They are never negative and
add up to one, so that all sums together move by no more than a count does, and each gets noise for
the whole of the loss instead of a share of it. Every polynomial of that degree is a combination of
them: the count is their sum. (Linear queries over a public partition of unity; the noise of two
such sums is the noise of the K-norm mechanism for the pair of count and sum, Hardt and Talwar
2010.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from dpgov.language.said import pattern
from dpgov.privacy.accounting.decimals import decimals_of, json_number, json_number_up
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.draw import Draw, Reading, in_units
from dpgov.privacy.mechanisms.mechanism import AnswerColumn, Drawn, OfOne, Statements, Summed
from dpgov.privacy.mechanisms.table import AlikeCells, Counted, Measured, OneEach
from dpgov.privacy.noise.noise import statement
from dpgov.privacy.noise.sensitivity import (
    Exposure,
    of_count,
    of_shares,
    of_sum,
    of_units,
    of_values,
)
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.request import Measure, MeasureKind
from dpgov.privacy.plan.schema import (
    LARGEST_SUM,
    ClippedDomain,
    DatasetSchema,
    Neighbouring,
    NumericDomain,
)
from dpgov.privacy.plan.statistics import Recipe, StatisticKind

_WHOLE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Total(OfOne, Summed):
    """The noisy number itself. Its error is the noise, so its bound is exact."""

    statistic: Statistic
    taken: Draw

    def run(self, table: Sequence[Measured]) -> Drawn:
        """One noisy integer a cell."""
        if isinstance(table, Counted):
            return self.released(self.taken.run_whole(table).ravel().tolist())
        return self.released([number for (number,) in self.taken.run(table)])

    def released(self, noisy: Sequence[int]) -> Drawn:
        """What these released integers say, one a cell."""
        unit = self.taken.readings[0].unit
        values = noisy if unit == 1 else [in_units(number, unit) for number in noisy]
        cells = AlikeCells(values, self._statements())
        return Drawn(OneEach(noisy), (AnswerColumn(self.statistic, {}, cells),))

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[AnswerColumn, Statements]]:
        """From the noise scale alone; the number of rows does not matter."""
        return [(AnswerColumn(self.statistic, {}), self._statements())]

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


def count_values(
    statistic: Statistic, column: int, values: int, exposed: Exposure, loss: Loss
) -> Total:
    """Distinct values of a column in each cell; a missing one is none."""
    there = Reading(pattern("count"), ((Measure(MeasureKind.VALUES, column), 1),), _WHOLE)
    return Total(statistic, Draw((there,), of_values(values, exposed), loss))


def total(
    statistic: Statistic, column: int, domain: NumericDomain, exposed: Exposure, loss: Loss
) -> Total:
    """The sum of the present values in each cell, on whole steps."""
    return Total(statistic, sum_draw(column, domain, exposed, loss))


def sum_draw(column: int, domain: NumericDomain, exposed: Exposure, loss: Loss) -> Draw:
    """A sum in steps: a code counts steps from the lower bound, so that is added per value."""
    steps = (
        (_codes(MeasureKind.CODE_SUM, column, domain), 1),
        (Measure(MeasureKind.PRESENT, column), domain.lower_steps),
    )
    return Draw(
        (Reading(pattern("sum"), steps, Fraction(domain.step)),), of_sum(domain, exposed), loss
    )


def _codes(kind: MeasureKind, column: int, domain: NumericDomain, width: int = 1) -> Measure:
    """Codes as the domain counts them: those of a clip begin at its lower end."""
    clip = None
    if isinstance(domain, ClippedDomain):
        clip = domain.offset, domain.offset + domain.top
    return Measure(kind, column, width, clip)


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
        return Drawn([list(n) for n in noisy], (AnswerColumn(self.statistic, {}, cells),))

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[AnswerColumn, Statements]]:
        """From the noise scale and the public number of rows."""
        return [(AnswerColumn(self.statistic, {}), self._statements())]

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


# Decimals of a released mean beyond those of its column's step: a public constant.
EXTRA_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Scale:
    """What u stands for: value = lower + size x u. `off` bounds how far coarse codes move it.

    `bounds` are those of the column: coarse codes begin above the one and may end above the other.
    """

    lower: Fraction
    size: Fraction
    step: Fraction
    off: Fraction
    bounds: tuple[Fraction, Fraction]

    def within(self, value: Fraction) -> Fraction:
        """The value, held between the bounds."""
        least, most = self.bounds
        return max(least, min(most, value))


def degree_of(kind: StatisticKind) -> int:
    """Of the polynomials that it needs; 0 for what needs no moments."""
    return {Recipe.MEAN: 1, Recipe.SPREAD: 2}.get(kind.facts.recipe, 0)


def scale_of(domain: NumericDomain, width: int) -> Scale:
    """The lattice of codes divided by `width`, each standing for the middle of its codes."""
    step = Fraction(domain.step)
    off = step * (width - 1) / 2
    bounds = Fraction(domain.lower), Fraction(domain.upper)
    return Scale(bounds[0] + off, step * width * (domain.top // width), step, off, bounds)


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
    codes = _codes(MeasureKind.CODE_SUM, column, domain, width)
    squares = _codes(MeasureKind.SQUARE_SUM, column, domain, width)
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
