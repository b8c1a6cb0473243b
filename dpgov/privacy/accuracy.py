"""How wrong a noisy number may be: exact tail bounds of the discrete Laplace distribution.

Statements come from the noise scale, never from the data. Bounds are rounded up.
"""

from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

CONFIDENCE_LEVELS = (Fraction(90, 100), Fraction(95, 100), Fraction(99, 100))
_DIGITS = 50


@lru_cache(maxsize=4096)
def tail_bound(scale: float, confidence: Fraction) -> int:
    """The smallest integer t with P(|noise| > t) <= 1 - confidence, for noise of that scale.

    P(|X| > t) = 2 p^(t+1) / (1 + p) with p = e^(-1/scale), solved in 50 digits.
    """
    alpha = 1 - confidence
    with localcontext() as context:
        context.prec = _DIGITS
        inverse = 1 / Decimal(scale)
        share = Decimal(alpha.numerator) / Decimal(alpha.denominator)
        steps = -(share * (1 + (-inverse).exp()) / 2).ln() / inverse
        return max(0, int(steps.to_integral_value(rounding=ROUND_CEILING)) - 1)


def statement(confidence: Fraction, bound: int | float) -> dict[str, Any]:
    """One accuracy statement in the JSON form of a quote or release."""
    return {
        "confidence_level": float(confidence),
        "value": bound,
        "message": f"With {int(confidence * 100)} % confidence the error is at most {bound}.",
    }
