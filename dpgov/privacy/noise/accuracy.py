"""How wrong a released number may be, said before and after, in the JSON form of both."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

CONFIDENCE_LEVELS = (Fraction(90, 100), Fraction(95, 100), Fraction(99, 100))


def statement(confidence: Fraction, bound: int | float) -> dict[str, Any]:
    """One accuracy statement in the JSON form of a quote or release."""
    return {
        "confidence_level": float(confidence),
        "value": bound,
        "message": f"With {int(confidence * 100)} % confidence the error is at most {bound}.",
    }


def rank_statement(
    confidence: Fraction, rows: int, *, not_counted: Sequence[str] = ()
) -> dict[str, Any]:
    """How far off a quantile may be, counted in rows: there is no bound on the value itself.

    `not_counted` says in words which rows between the two are left out.
    """
    but = f", not counting {' or '.join(not_counted)}" if not_counted else ""
    return {
        "confidence_level": float(confidence),
        "value": None,
        "rank_error": rows,
        "message": (
            f"With {int(confidence * 100)} % confidence at most {rows} rows lie between this "
            f"value and the true one{but}."
        ),
    }
