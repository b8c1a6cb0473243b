"""What two declared ranges can make together: the bounds and the step of a computed column.

Functions of declarations alone, exact. What could go wrong: a bound that some row passes, so that a
row counts for more than its noise is made for; a lattice on which a value does not lie, so that one
is rounded unseen; more steps than are added up exactly, which is refused here.
"""

from decimal import Decimal, Inexact, localcontext
from fractions import Fraction
from math import ceil, floor, gcd, lcm

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import decimal_text
from dpgov.privacy.plan.constants import NumberLine
from dpgov.privacy.plan.domains import numeric_domain
from dpgov.privacy.plan.formula import FormulaKind
from dpgov.privacy.plan.schema import CategoryDomain, InvalidDomain, NumericDomain

# More than any product of two declared numbers has.
_DIGITS = 200
Ends = tuple[Fraction, Fraction, Fraction]
"""The lowest value, the highest and the step."""


def derived_domain(kind: FormulaKind, *domains: NumericDomain | CategoryDomain) -> NumericDomain:
    """All that the values of two ranges can make, and nothing that they cannot.

    Raises InvalidDomain naming "second" where that is too fine or too far to be held exactly.
    """
    one, other = (NumberLine(domain) for domain in domains if isinstance(domain, NumericDomain))
    try:
        return numeric_domain(*map(_exact, DERIVED[kind](one, other)))
    except InvalidDomain as problem:
        raise InvalidDomain("second", _not_held(kind, problem.args[0])) from problem


def _span_of_difference(one: NumberLine, other: NumberLine) -> Ends:
    return one.begin - other.end, one.end - other.begin, _common(one.step, other.step)


def _span_of_sum(one: NumberLine, other: NumberLine) -> Ends:
    return one.begin + other.begin, one.end + other.end, _common(one.step, other.step)


def _span_of_product(one: NumberLine, other: NumberLine) -> Ends:
    """The extremes lie at corners. Both are whole multiples of their steps, as bounds must be, and
    so is the product of those of both steps' product.
    """
    corners = [x * y for x in (one.begin, one.end) for y in (other.begin, other.end)]
    return min(corners), max(corners), one.step * other.step


DERIVED = {
    FormulaKind.DIFFERENCE: _span_of_difference,
    FormulaKind.SUM: _span_of_sum,
    FormulaKind.PRODUCT: _span_of_product,
}


def _not_held(kind: FormulaKind, problem: str) -> str:
    if kind is FormulaKind.SUM:
        return said(
            "Their sum cannot be held exactly: {problem} Choose larger steps or narrower bounds.",
            problem=problem,
        )
    if kind is FormulaKind.PRODUCT:
        return said(
            "Their product cannot be held exactly: {problem} Choose larger steps or narrower "
            "bounds.",
            problem=problem,
        )
    return said(
        "Their difference cannot be held exactly: {problem} Choose larger steps or narrower "
        "bounds.",
        problem=problem,
    )


def _common(one: Fraction, other: Fraction) -> Fraction:
    """The largest step of which both are whole multiples."""
    below = lcm(one.denominator, other.denominator)
    return Fraction(gcd(int(one * below), int(other * below)), below)


def _exact(value: Fraction) -> str:
    """What was declared is a decimal, and so are sums and products of it, whatever their places."""
    with localcontext() as context:
        context.prec, context.traps[Inexact] = _DIGITS, True
        return decimal_text(Decimal(value.numerator) / value.denominator)


def ratio_bounds(one: NumericDomain, other: NumericDomain, step: str) -> NumericDomain:
    """From where to where the first divided by the second can go, in whole steps around it.

    Raises InvalidDomain naming "step", or "lower" where the second may be zero: then there are no
    bounds that follow.
    """
    above, below = NumberLine(one), NumberLine(other)
    width = Fraction(numeric_domain("0", step, step).step)
    if below.begin <= 0 <= below.end:
        raise InvalidDomain(
            "lower",
            said("The second column may be zero: declare from where to where the ratio goes."),
        )
    corners = [x / y / width for x in (above.begin, above.end) for y in (below.begin, below.end)]
    low, high = floor(min(corners)), ceil(max(corners))
    return numeric_domain(_exact(low * width), _exact(high * width), step)
