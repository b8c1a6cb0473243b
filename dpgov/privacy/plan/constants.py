"""Values of a declared domain: what somebody typed as a code, and a code as its text.

Functions of declarations alone; exact.
"""

from fractions import Fraction

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import InvalidNumber, decimal_text, read_decimal
from dpgov.privacy.plan.calendar import NotADate, PeriodSpan, number_of, span_of
from dpgov.privacy.plan.formula import Comparison
from dpgov.privacy.plan.schema import CategoryDomain, DateDomain, InvalidDomain, NumericDomain


class NumberLine:
    """Where the values of a domain lie, as exact fractions; dates as numbers of periods."""

    def __init__(self, domain: NumericDomain) -> None:
        first = domain.first if isinstance(domain, DateDomain) else 0
        self.begin = Fraction(domain.lower) + first
        self.step = Fraction(domain.step)
        self.end = self.begin + domain.top * self.step


def constant_code(domain: NumericDomain | CategoryDomain, text: str, *, whole: bool = False) -> int:
    """The code of a constant, which lies on the column's lattice within its bounds.

    Of dates the period in which it begins; a longer one is refused where it is to be `whole`.
    """
    if isinstance(domain, CategoryDomain):
        if text.strip() not in domain.categories:
            words = said("“{value}” is no category of the column.", value=text.strip())
            raise InvalidDomain("constants", words)
        return domain.categories.index(text.strip())
    steps = _steps(domain, text, whole=whole)
    if steps.denominator != 1 or not 0 <= steps <= domain.top:
        words = said(
            "“{value}” is no value of the column, which goes from {lower} to {upper} in its steps.",
            value=text.strip(),
            lower=text_of(domain, 0),
            upper=text_of(domain, domain.top),
        )
        raise InvalidDomain("constants", words)
    return steps.numerator


def _steps(domain: NumericDomain, text: str, *, whole: bool) -> Fraction:
    try:
        if isinstance(domain, DateDomain):
            return Fraction(_period(domain, span_of(text.strip()), text, whole=whole))
        return (Fraction(read_decimal(text)) - Fraction(domain.lower)) / Fraction(domain.step)
    except NotADate as problem:
        raise InvalidDomain("constants", problem.args[0]) from problem
    except InvalidNumber as problem:
        words = said("“{value}” {problem}", value=text.strip()[:60], problem=problem.args[0])
        raise InvalidDomain("constants", words) from problem


def _period(domain: DateDomain, span: PeriodSpan, text: str, *, whole: bool) -> int:
    first, last = (int(number_of(domain.unit, end)) for end in (span.start, span.end - 1))
    if whole and first != last:
        words = said(
            "“{value}” is longer than a step of the column: write it like {example}.",
            value=text.strip(),
            example=domain.text(0),
        )
        raise InvalidDomain("constants", words)
    return first - domain.first


def text_of(domain: NumericDomain | CategoryDomain, code: int) -> str:
    """The value that a code of a declared domain stands for."""
    if isinstance(domain, CategoryDomain):
        return domain.categories[code]
    if isinstance(domain, DateDomain):
        return domain.text(code)
    return decimal_text(domain.lower + code * domain.step)


def code_range(domain: NumericDomain, compares: Comparison, code: int) -> tuple[int, int]:
    """The codes for which a flag is set, or, of “unequal”, is not."""
    return {
        Comparison.BELOW: (0, code - 1),
        Comparison.AT_MOST: (0, code),
        Comparison.ABOVE: (code + 1, domain.top),
        Comparison.AT_LEAST: (code, domain.top),
    }.get(compares, (code, code))
