"""The logistic curve in integers: what a row says of coefficients, the same on every machine.

Coefficients lie on a lattice of their own, so that a row's score is an exact integer. The curve is
a table of integers, made of decimals and not of a machine's floats, with straight lines between:
it is level below -8 and above 8. How far it may be from 1 / (1 + e^-x) `misplaced` says.

The gradient of the logistic loss, Σ x (s - y) with a place s on the curve and an outcome y, is the
sum of Σ x (1/2 - y), which is the same everywhere, and Σ x (s - 1/2), which knows no outcome. One
row moves each of them by half of what it moves the gradient, so that they are drawn apart: the
first once.
"""

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from dpgov.privacy.mechanisms.design import Design, Term, check_size, product, room_for
from dpgov.privacy.mechanisms.draw import Reading
from dpgov.privacy.noise.sensitivity import Contribution, Sensitivity
from dpgov.privacy.plan.request import (
    ON_CURVE,
    WEIGHT,
    Factor,
    Measure,
    MeasureKind,
    TabulatedCurve,
)
from dpgov.privacy.plan.schema import DatasetSchema

# Coefficients are multiples of one over this, for components between -1 and 1.
FINE = 2**16
# Scores beyond this are as good as certain: the curve ends here, and so do coefficients.
REACH = 8
_PLACES = 16
_LARGEST_SIZE, _LARGEST_UNIT, _LARGEST_WEIGHT = 2**11, 2**16, 2**12


@dataclass(frozen=True, slots=True)
class Lattice:
    """What one is counted as: a component, a residual, and a weight; all public."""

    size: int
    unit: int
    weight: int

    @property
    def heaviest(self) -> int:
        """The largest weight of a row: one half times one half."""
        return self.weight // 4


def lattice_for(schema: DatasetSchema) -> Lattice:
    """As fine as sums stay exact. Raises InvalidPlan where that would leave too little."""
    room = room_for(schema)
    size = min(_LARGEST_SIZE, _cube_root(room))
    check_size(size)
    unit = min(_LARGEST_UNIT, _power_of_two(room // size))
    weight = min(_LARGEST_WEIGHT, _power_of_two(room // size**2))
    return Lattice(size, unit, weight)


def _cube_root(number: int) -> int:
    root = round(math.cbrt(number))
    return root if root**3 <= number else root - 1


def _power_of_two(most: int) -> int:
    return 1 << (most.bit_length() - 1)


def curve_at(point: tuple[int, ...], design: Design, lattice: Lattice) -> TabulatedCurve:
    """The curve through the scores of these coefficients, each a multiple of 1 / FINE."""
    pairs = list(zip(design.terms, point, strict=True))
    step = FINE * lattice.size // _PLACES
    return TabulatedCurve(
        weights=tuple((t.factor, t.times * at) for t, at in pairs if t.factor is not None),
        plus=sum(term.plus * at for term, at in pairs) + REACH * FINE * lattice.size,
        table=_table(lattice.unit),
        step=step,
        unit=lattice.unit,
        coarse=lattice.unit**2 // lattice.weight,
    )


def misplaced(point: tuple[int, ...], design: Design, lattice: Lattice) -> float:
    """How far a row's place on the curve through this point may be from 1 / (1 + e^-x), at most.

    Lines of a step h leave a curve by h²/8 times its largest bend, 1/(6 √3); an end of a line is
    rounded by half a unit, and what is read off it by one. A score beyond the ends is off by what
    the curve still has there; only those are that large whose coefficients add up to it.
    """
    reached = sum(abs(at) * term.size for term, at in zip(design.terms, point, strict=True))
    lines = 1 / (8 * 6 * math.sqrt(3) * _PLACES**2)
    ends = 1 / (1 + math.exp(REACH)) if reached > REACH * FINE * lattice.size else 0.0
    return max(lines, ends) + 1.5 / lattice.unit


@lru_cache(maxsize=16)
def _table(unit: int) -> tuple[int, ...]:
    with localcontext(prec=40):
        places = (Decimal(n) / _PLACES for n in range(-REACH * _PLACES, REACH * _PLACES + 1))
        return tuple(int((unit / (1 + (-x).exp())).to_integral_value()) for x in places)


def of_outcomes(design: Design, outcome: Factor, lattice: Lattice) -> tuple[Reading, ...]:
    """The sums over rows of each component times one half less the outcome."""
    unit = lattice.unit
    half = Term("1/2 - outcome", outcome.column, outcome, 1, -unit, unit // 2)
    return _by_components(design, half, lattice)


def of_curve(design: Design, lattice: Lattice) -> tuple[Reading, ...]:
    """The sums over rows of each component times the row's place on the curve less one half."""
    unit = lattice.unit
    half = Term("curve - 1/2", ON_CURVE, Factor(ON_CURVE), unit, 1, -unit // 2)
    return _by_components(design, half, lattice)


def _by_components(design: Design, other: Term, lattice: Lattice) -> tuple[Reading, ...]:
    unit = Fraction(1, lattice.unit * lattice.size)
    return tuple(
        Reading(f"{other.name} × {term.label}", product(term, other), unit) for term in design.terms
    )


def weighted(design: Design, lattice: Lattice) -> tuple[Reading, ...]:
    """The moments of a design, each row counting as what the curve makes its weight."""
    unit = Fraction(1, lattice.weight)
    return tuple(
        Reading(one.name, tuple((_with_weight(m), w) for m, w in one.weights), one.unit * unit)
        for one in design.readings
    )


def _with_weight(measure: Measure) -> Measure:
    factors = (*measure.factors, Factor(WEIGHT))
    return Measure(MeasureKind.PRODUCT_SUM, factors=factors)


def of_halves(design: Design, lattice: Lattice) -> Contribution:
    """What one row adds to either: its components times a number from minus to plus one half.

    Two rows may have numbers of either sign, so that they are twice that apart.
    """
    row = [term.size * (lattice.unit // 2) for term in design.largest_row()]
    size = Sensitivity(sum(row), sum(number**2 for number in row))
    return Contribution(size, size.times(2), size.times(2), both=2 * size.l2_squared)


def of_weighted(design: Design, lattice: Lattice) -> Contribution:
    """What one row adds to them: its products times a weight from 0 to the heaviest.

    The distance of two such is convex in either weight, so that it is largest at their ends: both
    heaviest, or one of them nothing.
    """
    found, most = design.contribution(), lattice.heaviest
    apart = found.span_from_nothing.times(most)
    return Contribution(found.size.times(most), apart, apart, both=found.both * most**2)
