"""Amounts of privacy loss as exact integers of nano-ε; floats end at this border.

One nano-ε is 10⁻⁹ ε. Amounts are added, compared and stored as Python integers only.
"""

import re
from decimal import Decimal
from fractions import Fraction

NANO = 1_000_000_000
MAX_EPSILON = 1_000
MAX_NANO = MAX_EPSILON * NANO
_DECIMAL = re.compile(r"[0-9]{1,12}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_LONGEST = 40


class InvalidAmount(ValueError):
    """The text or number is no amount of ε that can be booked; `str` says what to do."""


def parse_epsilon(value: object) -> int:
    """Read an ε from a form or JSON and return it in nano-ε, exactly.

    Accepts decimal text in ASCII digits, int, float (its shortest text) and Decimal. Raises
    InvalidAmount for booleans, NaN, infinities, zero, negatives, other scripts' digits, more than
    nine decimals (what cannot be booked exactly is refused, not rounded) and more than 1000.
    """
    exact = _exact(_text(value))
    nano = exact * NANO
    if nano < 1:
        raise InvalidAmount("ε must be at least 0.000000001.")
    if nano.denominator != 1:
        raise InvalidAmount("ε can have at most nine decimals.")
    if nano > MAX_NANO:
        raise InvalidAmount(f"ε can be at most {MAX_EPSILON}.")
    return nano.numerator


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise InvalidAmount("ε must be a number, like 0.5.")
    text = (value if isinstance(value, str) else str(value)).strip()
    if text.startswith("-"):
        raise InvalidAmount("ε must be above zero.")
    if len(text) > _LONGEST or not _DECIMAL.fullmatch(text):
        raise InvalidAmount("ε must be a plain decimal number, like 0.5.")
    return text


def _exact(text: str) -> Fraction:
    amount = Fraction(text)
    if amount <= 0:
        raise InvalidAmount("ε must be above zero.")
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
