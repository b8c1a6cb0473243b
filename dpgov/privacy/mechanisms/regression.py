"""Linear regression by noisy moments: one scan, one draw, and every coefficient made of it.

Anything else about the same columns that the moments tell, such as a regression on fewer of them,
is free later. What is released is the line that fits best, and for each coefficient how far noise
may have moved it, with an interval for noise and chance together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np

from dpgov.language.said import pattern
from dpgov.privacy.accounting.decimals import json_number, json_number_up
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.descent import LogisticFit
from dpgov.privacy.mechanisms.design import Design, Term, complete, design_for
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.mechanisms.least_squares import LinearFit, Moments, solve
from dpgov.privacy.mechanisms.mechanism import AnswerColumn, Drawn, OfOne, Statements, Summed
from dpgov.privacy.mechanisms.table import Measured
from dpgov.privacy.noise.noise import Floats, Noise, statement
from dpgov.privacy.noise.sensitivity import Exposure
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS, USUAL_LEVEL, USUAL_STATED
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.request import CodeFilter
from dpgov.privacy.plan.schema import DatasetSchema

MOMENTS = pattern("sums of products")
# Decimals beyond the size of a coefficient that moves the outcome through its whole range.
_DIGITS = 6
_MOST_DECIMALS = 12
# Of the spread of invented rows, between -1 and 1: the mean of three even draws.
_INVENTED_VARIANCE = 1 / 9


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One number of the answer: a combination of the solution, in units of the columns."""

    term: Term | None
    combination: Floats
    plus: float
    decimals: int

    @property
    def facts(self) -> dict[str, Any]:
        """What tells it apart in an answer: {"term": "age"}; the term of the intercept is None.

        `span` are the ends of what the term can be: declared bounds, or 0 and 1 for a category.
        """
        if self.term is None:
            return {"term": None}
        category = {"category": self.term.category} if self.term.is_indicator else {}
        ends = self.term.origin, self.term.origin + self.term.unit * self.term.top
        span = [json_number(end, _MOST_DECIMALS) for end in ends]
        return {"term": self.term.name} | category | {"span": span}


@dataclass(frozen=True, slots=True)
class Regression(OfOne, Summed):
    """One draw of all moments of a design."""

    statistic: Statistic
    design: Design
    usable: tuple[CodeFilter, ...]
    taken: Draw

    @property
    def filters(self) -> tuple[CodeFilter, ...]:
        """Rows with something in each of its columns."""
        return self.usable

    def run(self, table: Sequence[Measured]) -> Drawn:
        """The noisy moments, and the coefficients made of them."""
        noisy = self.taken.run(table)
        return Drawn([list(cell) for cell in noisy], self.released(noisy))

    def released(self, noisy: Sequence[Sequence[int]]) -> tuple[AnswerColumn, ...]:
        """The columns that these released moments make; the intercept's cells tell of the line."""
        lines = [self._line(cell) for cell in noisy]
        spreads = [line.spread() for line in lines]
        columns = [
            AnswerColumn(
                self.statistic, self._facts(one), tuple(map(partial(_cell, one), lines, spreads))
            )
            for one in coefficients_of(self.design)
        ]
        first = columns[0]
        told = zip(first.cells, lines, strict=True)
        cells = tuple(cell | {"fit": _fit(line, self.design)} for cell, line in told)
        return (replace(first, cells=cells), *columns[1:])

    def _line(self, cell: Sequence[int]) -> LinearFit:
        return solve(self._moments(np.array(cell, dtype=np.float64) / self.design.size**2))

    def describe(self) -> dict[str, Any]:
        """See Draw; `moments` names the components of each number that is drawn."""
        names = [list(pair) for pair in self.design.names]
        sums = [{"name": MOMENTS, "lattice": 1 / self.design.size**2}]
        return self.taken.describe() | {"readings": sums, "moments": names}

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[AnswerColumn, Statements]]:
        """For so many invented rows; see `invented`."""
        made = coefficients_of(self.design)
        errors: tuple[Statements, ...] = tuple([] for _ in made)
        if rows_in_a_cell is not None:
            errors = _expected(self.design, self.taken.noise, rows_in_a_cell)
        return [
            (AnswerColumn(self.statistic, self._facts(one)), list(statements))
            for one, statements in zip(made, errors, strict=True)
        ]

    def _moments(self, values: Floats) -> Moments:
        return Moments(self.design, values, self.taken.noise)

    def _facts(self, one: Coefficient) -> dict[str, Any]:
        return {"predictors": list(self.statistic.predictors)} | one.facts


def regression(
    statistic: Statistic, schema: DatasetSchema, exposed: Exposure, loss: Loss
) -> Regression:
    """The mechanism. Raises InvalidPlan; see `design_for`."""
    design = design_for(statistic, schema)
    draw = Draw(design.readings, design.reach(exposed), loss)
    return Regression(statistic, design, complete(statistic, schema), draw)


def coefficients_of(design: Design) -> list[Coefficient]:
    """The intercept, then a slope for each term, in units of the outcome by units of the term."""
    *components, outcome = design.terms
    return coefficients(components, design.size, *outcome.line(design.size))


def coefficients(
    components: Sequence[Term],
    size: int,
    start: Fraction = Fraction(0),
    scale: Fraction = Fraction(1),
) -> list[Coefficient]:
    """The same where an outcome of 0 is `start`, and of one `start` + `scale`."""
    lines = [(Fraction(0), Fraction(1)), *(term.line(size) for term in components[1:])]
    slopes = [float(scale / width) for _, width in lines]
    # Where all numbers are 0: the constant, less what each slope adds up to its column's middle.
    shifts = -np.array(slopes) * np.array([float(a) for a, _ in lines])
    shifts[0] = slopes[0]
    found = [Coefficient(None, shifts, float(start), _decimals(abs(slopes[0])))]
    for place, term in enumerate(components[1:], start=1):
        one = np.zeros(len(components))
        one[place] = slopes[place]
        found.append(Coefficient(term, one, 0.0, _decimals(abs(slopes[place]))))
    return found


def invented(design: Design) -> Floats:
    """Moments of one invented row, on average: public numbers alone.

    The terms together move the outcome as much as one of them could alone.
    """
    *components, _outcome = design.terms
    matrix = invented_matrix(components, design.size)
    theta = np.full(len(components), 1 / math.sqrt(max(1, len(components) - 1)))
    theta[0] = 0.0
    products = matrix @ theta
    square = float(theta @ products) + _INVENTED_VARIANCE
    whole = np.block([[matrix, products[:, None]], [products[None, :], np.array([[square]])]])
    return np.array([whole[i, j] for i, j in design.moments])


def invented_matrix(components: Sequence[Term], size: int) -> Floats:
    """The products of the components of one invented row, on average.

    Numbers lie around the middle of their bounds as those of the trial on invented rows do (the
    mean of three even draws), each category is rarer than the one before it, all are independent.
    """
    means, squares = _spread(components, size)
    matrix = np.outer(means, means)
    np.fill_diagonal(matrix, squares)
    for i, one in enumerate(components):
        for j, other in enumerate(components):
            if i != j and one.is_indicator and one.column == other.column:
                matrix[i, j] = 0.0
    return matrix


def _spread(components: Sequence[Term], size: int) -> tuple[Floats, Floats]:
    """The mean of each component, and of its square."""
    means, squares = [1.0], [1.0]
    levels = {c.column: 1 for c in components if c.is_indicator}
    for term in components:
        if term.is_indicator:
            levels[term.column] += 1
    for term in components[1:]:
        if term.is_indicator and term.factor is not None:
            many, place = levels[term.column], term.factor.level or 0
            # The smallest of three even draws.
            share = ((many - place) ** 3 - (many - place - 1) ** 3) / many**3
            means.append(share)
            squares.append(share)
        else:
            means.append(0.0)
            squares.append(_INVENTED_VARIANCE * (term.size / size) ** 2)
    return np.array(means), np.array(squares)


def _decimals(scale: float) -> int:
    return max(0, min(_MOST_DECIMALS, _DIGITS - math.floor(math.log10(scale))))


# The same for a quote, its page and its curve.
@lru_cache(maxsize=256)
def _expected(design: Design, noise: Noise, rows: int) -> tuple[Statements, ...]:
    line = solve(Moments(design, invented(design) * rows, noise))
    made = coefficients_of(design)
    return tuple(said_of(one, line, line.errors(one.combination)) for one in made)


def said_of(
    one: Coefficient, found: LinearFit | LogisticFit, errors: Sequence[float] | None
) -> Statements:
    """Its errors at each level, with what rounding adds; or that none of them is known."""
    if errors is None:
        return [_unknown(level) for level in CONFIDENCE_LEVELS]
    rounding = Fraction(1, 2 * 10**one.decimals)
    return [
        statement(level, json_number_up(Fraction(error) + rounding, one.decimals), found.provided)
        for level, error in zip(CONFIDENCE_LEVELS, errors, strict=True)
    ]


def _unknown(level: Fraction) -> dict[str, Any]:
    return {
        "confidence_level": float(level),
        "value": None,
        "message": "No error is known: the coefficients reached the end of what is looked for.",
    }


def cell_of(one: Coefficient, found: LinearFit | LogisticFit, chance: float) -> dict[str, Any]:
    """Its number, its error by noise, and, where that is known, the interval for noise and chance
    together.
    """
    errors = found.errors(one.combination)
    exact = Fraction(float(one.combination @ found.theta) + one.plus)
    cell = {
        "value": json_number(exact, one.decimals),
        "accuracy": said_of(one, found, errors),
    }
    if errors is None:
        return cell
    by_noise = errors[CONFIDENCE_LEVELS.index(USUAL_LEVEL)]
    half = Fraction(math.hypot(by_noise, chance))
    ends = [json_number(exact - half, one.decimals), json_number_up(exact + half, one.decimals)]
    return cell | {"interval": {"confidence_level": USUAL_STATED, "range": ends}}


def _cell(one: Coefficient, line: LinearFit, spread: float) -> dict[str, Any]:
    chance = line.chance(one.combination, spread)
    return cell_of(one, line, chance)


def _fit(line: LinearFit, design: Design) -> dict[str, Any]:
    """The whole line: rows by the noisy count, R², how far off an outcome is, what was widened.

    Of a line that was widened the noise leaves nothing to say of what it explains.
    """
    _, scale = design.terms[-1].line(design.size)
    spread = Fraction(math.sqrt(line.residual / line.rows) * float(scale))
    known = not line.widened
    return {
        "rows": round(line.rows),
        "r_squared": round(line.explained, 4) if known else None,
        "residual_deviation": json_number(spread, _decimals(float(scale))) if known else None,
        "widened_directions": line.widened,
    }
