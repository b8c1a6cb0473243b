"""The integers of computed columns, row by row.

A computed code is a function of the stored codes of the same row and of nothing else, so that a
unit's influence is bounded by the column's domain like that of every other column. All of it is
exact: integers and fractions, no floating point. Total: a missing operand, or a division by zero,
is missing; what lies outside the domain counts as its end.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
import numpy.typing as npt

from dpgov.privacy.plan.constants import NumberLine, code_range, constant_code
from dpgov.privacy.plan.formula import Comparison, Formula, FormulaKind
from dpgov.privacy.plan.request import Bilinear
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, NumericDomain

Codes = npt.NDArray[np.int64]
Domain = NumericDomain | CategoryDomain
MISSING = -1


def computed_codes(
    spec: ColumnSpec, operands: Sequence[ColumnSpec], codes: Sequence[Codes]
) -> Codes:
    """The codes of rows by the codes of their operands, before the column's rule for missing ones.

    MISSING stands for a value that is missing, in both.
    """
    if spec.formula is None:
        raise ValueError(spec.name)
    missing = np.logical_or.reduce([one == MISSING for one in codes])
    filled = [np.where(missing, 0, one).astype(np.int64) for one in codes]
    compute = _COMPUTED[spec.formula.kind]
    found = compute(spec.formula, spec.domain, [one.domain for one in operands], filled)
    result: Codes = np.where(missing, MISSING, found)
    return result


def _of_two(
    formula: Formula, domain: Domain, operands: Sequence[Domain], codes: Sequence[Codes]
) -> Codes:
    form, (one, other) = bilinear(formula.kind, domain, operands), codes
    found: Codes = form.first * one + form.second * other + form.both * one * other
    return found + form.plus


def bilinear(kind: FormulaKind, domain: Domain, operands: Sequence[Domain]) -> Bilinear:
    """The code of a difference, a sum or a product by those of its operands.

    `domain` is what `spans` derives, whose ends are at most 2^53 steps from zero. A code is at most
    twice what its column's values reach, so that no part is above 2^55, nor any sum above 2^57.
    """
    one, other = (numeric(each) for each in operands)
    if kind is FormulaKind.PRODUCT:
        low, below = one.lower_steps, other.lower_steps
        return Bilinear(below, low, 1, low * below - numeric(domain).lower_steps)
    first, second = _common_steps(domain, operands)
    if kind is FormulaKind.DIFFERENCE:
        return Bilinear(first, -second, 0, other.top * second)
    return Bilinear(first, second, 0, 0)


def _common_steps(domain: Domain, operands: Sequence[Domain]) -> tuple[int, ...]:
    """How many steps of a difference or a sum are one step of each operand."""
    step = Fraction(numeric(domain).step)
    return tuple(int(Fraction(numeric(each).step) / step) for each in operands)


def _ratio(
    _formula: Formula, domain: Domain, operands: Sequence[Domain], codes: Sequence[Codes]
) -> Codes:
    """In Python's integers, which have no largest one."""
    whole = numeric(domain)
    (a, s), (b, t) = above_and_below(domain, operands)
    rows = zip(codes[0].tolist(), codes[1].tolist(), strict=True)
    found = [_nearest(a + i * s, b + j * t, whole.lower_steps, whole.top) for i, j in rows]
    return np.array(found, np.int64)


def above_and_below(
    domain: Domain, operands: Sequence[Domain]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Two whole numbers whose quotient is a ratio in its steps: each of code 0, and a step more."""
    lines = [NumberLine(numeric(each)) for each in operands]
    below = lcm(*(part.denominator for line in lines for part in (line.begin, line.step)))
    (a, s), (b, t) = ((int(line.begin * below), int(line.step * below)) for line in lines)
    under, over = Fraction(numeric(domain).step).as_integer_ratio()
    return (a * over, s * over), (b * under, t * under)


def _nearest(above: int, below: int, least: int, top: int) -> int:
    """The code of so many steps, half of one to the even multiple; MISSING for a division by 0."""
    if not below:
        return MISSING
    if below < 0:
        above, below = -above, -below
    steps, rest = divmod(above, below)
    if 2 * rest > below or (2 * rest == below and steps % 2):
        steps += 1
    return max(0, min(steps - least, top))


def _bins(
    formula: Formula, _domain: Domain, operands: Sequence[Domain], codes: Sequence[Codes]
) -> Codes:
    """How many edges a value has reached: an edge begins the bin above it."""
    edges = np.array(constants_of(formula, operands[0]), np.int64)
    return np.searchsorted(edges, codes[0], side="right").astype(np.int64)


def _flag(
    formula: Formula, _domain: Domain, operands: Sequence[Domain], codes: Sequence[Codes]
) -> Codes:
    """0 is the first category, that of rows for which it is so. “Other” is in no list."""
    constants, operand = constants_of(formula, operands[0]), operands[0]
    if formula.compares is None or isinstance(operand, CategoryDomain):
        return np.where(np.isin(codes[0], constants), 0, 1)
    low, high = code_range(operand, formula.compares, constants[0])
    inside = (codes[0] >= low) & (codes[0] <= high)
    return np.where(inside != (formula.compares is Comparison.UNEQUAL), 0, 1)


def constants_of(formula: Formula, operand: Domain) -> list[int]:
    """The codes of the constants, which are values of the one operand."""
    return [constant_code(operand, text) for text in formula.constants]


def numeric(domain: Domain) -> NumericDomain:
    """It, where numbers are computed with; raises TypeError for categories."""
    if isinstance(domain, CategoryDomain):
        raise TypeError(domain)
    return domain


_COMPUTED = {
    **dict.fromkeys((FormulaKind.DIFFERENCE, FormulaKind.SUM, FormulaKind.PRODUCT), _of_two),
    FormulaKind.RATIO: _ratio,
    FormulaKind.BINS: _bins,
    FormulaKind.FLAG: _flag,
}
