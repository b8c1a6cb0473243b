"""Decimal text in, JSON numbers out, exact in between.

Must never pass a value through binary floating point before it is rounded for the page: a float
here is only the shortest spelling of an exact decimal.
"""

import re
from decimal import Decimal
from fractions import Fraction

from dpgov.language.said import said

MAX_DECIMALS = 12
MAX_DIGITS = 15
LARGEST_NUMBER = 10**15
_LONGEST = 40
_PLAIN = re.compile(r"-?[0-9]{1,32}(\.[0-9]{1,32})?([eE][+-]?[0-9]{1,2})?", re.ASCII)


class InvalidNumber(ValueError):
    """The text or number is not one we can hold exactly; `str` says what to write instead."""


def read_decimal(value: object) -> Decimal:
    """An exact decimal from a form or JSON: ASCII text, int, float (its shortest text) or Decimal.

    Raises InvalidNumber for booleans, NaN, infinities, other scripts' digits, more than 15
    significant digits, more than 12 decimals, and anything of 10¹⁵ or beyond. Within these limits
    a number survives the way through JSON unchanged.
    """
    number = Decimal(_plain_text(value))
    if number == 0:
        return Decimal(0)
    if abs(number) >= LARGEST_NUMBER:
        raise InvalidNumber(said("must be smaller than 10¹⁵ in size."))
    tidy = number.normalize()
    if len(tidy.as_tuple().digits) > MAX_DIGITS:
        raise InvalidNumber(said("can have at most {most} significant digits.", most=MAX_DIGITS))
    if decimals_of(Fraction(tidy)) > MAX_DECIMALS:
        raise InvalidNumber(said("can have at most {most} decimals.", most=MAX_DECIMALS))
    return tidy


def _plain_text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise InvalidNumber(said("must be a number, like 12.5."))
    if isinstance(value, int) and abs(value) >= LARGEST_NUMBER:
        raise InvalidNumber(said("must be smaller than 10¹⁵ in size."))
    text = (value if isinstance(value, str) else str(value)).strip()
    if len(text) > _LONGEST or not _PLAIN.fullmatch(text):
        raise InvalidNumber(said("must be a plain decimal number, like 12.5."))
    return text


def decimal_text(number: Decimal) -> str:
    """The one spelling of an exact decimal: no exponent, no trailing zeros, no minus zero."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def decimals_of(value: Fraction) -> int:
    """How many decimals an exact finite decimal needs; 40 for anything longer."""
    for places in range(40):
        if (value * 10**places).denominator == 1:
            return places
    return 40


def json_number(value: Fraction, decimals: int) -> int | float:
    """`value` rounded half to even to `decimals`, as an int when it is whole.

    The float, if any, is the one nearest to the exact decimal, so that JSON shows that decimal.
    """
    return _from_scaled(round(value * 10**decimals), decimals)


def json_number_up(value: Fraction, decimals: int) -> int | float:
    """Like `json_number`, rounded up: for bounds, which may be too wide but not too narrow."""
    scaled = value * 10**decimals
    return _from_scaled(-((-scaled.numerator) // scaled.denominator), decimals)


def _from_scaled(scaled: int, decimals: int) -> int | float:
    whole, rest = divmod(scaled, 10**decimals)
    return whole if rest == 0 else float(f"{scaled}e-{decimals}")
