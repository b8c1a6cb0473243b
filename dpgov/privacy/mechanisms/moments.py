"""Mean, variance, standard deviation, and with them count and sum, from one shared draw.

Each present row adds the values of the Bernstein polynomials at u, its value's place between the
bounds: 1 - u and u, or (1 - u)², 2u(1 - u) and u². They are never negative and add up to one, so
that all sums together move by no more than a count does, and each gets noise for the whole of the
loss instead of a share of it. Every polynomial of that degree is a combination of them: the count
is their sum. (Linear queries over a public partition of unity; the noise of two such sums is the
noise of the K-norm mechanism for the pair of count and sum, Hardt and Talwar 2010.)
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from dpgov.language.said import pattern
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.draw import Draw, Reading
from dpgov.privacy.noise.sensitivity import Exposure, of_shares
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
