"""Amounts of privacy loss as exact integers of nano-ε; floats end at this border.

One nano-ε is 10⁻⁹ ε. Amounts are added, compared and stored as Python integers only.
"""

import re
from decimal import Decimal
from fractions import Fraction

from dpgov.language.said import said

NANO = 1_000_000_000
MAX_EPSILON = 1_000
MAX_NANO = MAX_EPSILON * NANO
_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_LONGEST = 40


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
    if len(text) > _LONGEST or not _DECIMAL.fullmatch(text):
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
