"""Decimal text in, JSON numbers out, exact in between: amounts of ε, and numbers of plans.

Amounts are integers of nano-ε, 10⁻⁹ ε each, and are added, compared and stored as Python integers
only. Must never pass a value through binary floating point before it is rounded for the page: a
float here is only the shortest spelling of an exact decimal.
"""

import re
from decimal import Context, Decimal
from fractions import Fraction

from dpgov.language.said import said

NANO = 1_000_000_000
MAX_EPSILON = 1_000
MAX_NANO = MAX_EPSILON * NANO
_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_LONGEST = 40
# Digits are counted where none can be rounded away: the usual context has 28 of them.
_EXACTLY = Context(prec=_LONGEST)


class InvalidAmount(ValueError):
    """The text or number is no amount of ε that can be booked; `str` says what to do."""


def parse_epsilon(value: object, *, symbol: str = "ε") -> int:
    """Read an ε from a form or JSON and return it in nano-ε, exactly; a ρ alike.

    Accepts decimal text in ASCII digits, int, float (its shortest text) and Decimal. Raises
    InvalidAmount for booleans, NaN, infinities, zero, negatives, other scripts' digits, more than
    nine decimals (what cannot be booked exactly is refused, not rounded) and more than 1000.
    """
    exact = _exact(_text(value, symbol), symbol)
    nano = exact * NANO
    if nano < 1:
        raise InvalidAmount(said("{symbol} must be at least 0.000000001.", symbol=symbol))
    if nano.denominator != 1:
        raise InvalidAmount(said("{symbol} can have at most nine decimals.", symbol=symbol))
    if nano > MAX_NANO:
        raise InvalidAmount(
            said("{symbol} can be at most {most}.", symbol=symbol, most=MAX_EPSILON)
        )
    return nano.numerator


def _text(value: object, symbol: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise InvalidAmount(said("{symbol} must be a number, like 0.5.", symbol=symbol))
    text = (value if isinstance(value, str) else str(value)).strip()
    if text.startswith("-"):
        raise InvalidAmount(said("{symbol} must be above zero.", symbol=symbol))
    if len(text) > _LONGEST or not _AMOUNT.fullmatch(text):
        raise InvalidAmount(
            said("{symbol} must be a plain decimal number, like 0.5.", symbol=symbol)
        )
    return text


def _exact(text: str, symbol: str) -> Fraction:
    amount = Fraction(text)
    if amount <= 0:
        raise InvalidAmount(said("{symbol} must be above zero.", symbol=symbol))
    return amount


def as_text(nano: int) -> str:
    """The shortest exact decimal text of an amount: 500_000_000 is "0.5"."""
    whole, rest = divmod(abs(nano), NANO)
    text = f"{whole}.{rest:09d}".rstrip("0").rstrip(".")
    return f"-{text}" if nano < 0 else text


def as_number(nano: int) -> float:
    """For JSON and charts. Up to MAX_NANO its shortest text reads back to the same nano-ε."""
    return nano / NANO


def as_fraction(nano: int) -> Fraction:
    """The exact ε, for comparison with what a mechanism's own privacy map reports."""
    return Fraction(nano, NANO)


MAX_DECIMALS = 12
MAX_DIGITS = 15
LARGEST_NUMBER = 10**15
_PLAIN = re.compile(r"-?[0-9]{1,32}(\.[0-9]{1,32})?([eE][+-]?[0-9]{1,2})?", re.ASCII)


class InvalidNumber(ValueError):
    """The text or number is not one we can hold exactly; `str` says what to write instead."""


def read_decimal(value: object) -> Decimal:
    """An exact decimal from a form or JSON: ASCII text, int, float (its shortest text) or Decimal.

    Raises InvalidNumber for booleans, NaN, infinities, other scripts' digits, more than 15
    significant digits, more than 12 decimals, and anything of 10¹⁵ or beyond; nothing is rounded
    into these limits. Within them a number survives the way through JSON unchanged.
    """
    number = Decimal(_plain_text(value))
    if number == 0:
        return Decimal(0)
    if number.copy_abs() >= LARGEST_NUMBER:
        raise InvalidNumber(said("must be smaller than 10¹⁵ in size."))
    tidy = _EXACTLY.normalize(number)
    told = tidy.as_tuple()
    if len(told.digits) > MAX_DIGITS:
        raise InvalidNumber(said("can have at most {most} significant digits.", most=MAX_DIGITS))
    if -int(told.exponent) > MAX_DECIMALS:
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
        if 10**places % value.denominator == 0:
            return places
    return 40


def json_number(value: Fraction, decimals: int) -> int | float:
    """`value` rounded half to even to `decimals`, as an int when it is whole.

    The float, if any, is the one nearest to the exact decimal, so that JSON shows that decimal.
    """
    scaled, rest = divmod(value.numerator * 10**decimals, value.denominator)
    is_up = 2 * rest + scaled % 2 > value.denominator
    return _from_scaled(scaled + is_up, decimals)


def json_number_up(value: Fraction, decimals: int) -> int | float:
    """Like `json_number`, rounded up: for bounds, which may be too wide but not too narrow."""
    return _from_scaled(-(-value.numerator * 10**decimals // value.denominator), decimals)


def _from_scaled(scaled: int, decimals: int) -> int | float:
    whole, rest = divmod(scaled, 10**decimals)
    return whole if rest == 0 else float(f"{scaled}e-{decimals}")
