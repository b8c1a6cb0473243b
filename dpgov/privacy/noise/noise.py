"""Noise as a value: its kind and scale, and everything that follows from these two alone.

How wrong a released number may be is said from here, before and after, in the JSON form of both:
from the noise, never from the data; bounds are rounded up.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpgov.language.said import pattern

Floats = NDArray[np.float64]

_DIGITS = 50
# From this σ on, sums over the lattice are integrals to 1e-7 of themselves.
_SMOOTH = 1000.0
_REACH = 40
# One over a smaller number, squared, is more than a float can hold.
_LEAST_VARIANCE = 1e-150


class NoiseOutOfRange(ValueError):
    """Noise this large, or for an influence this large, cannot be drawn exactly."""


class NoiseKind(StrEnum):
    """The two distributions on the integers that are drawn from, as quotes and releases say."""

    LAPLACE = pattern("discrete Laplace")
    GAUSSIAN = pattern("discrete Gaussian")


@dataclass(frozen=True, slots=True)
class Noise:
    """Integer noise; `scale` is b of P(x) ~ e^(-|x|/b), or σ of P(x) ~ e^(-x²/(2σ²))."""

    kind: NoiseKind
    scale: float

    @property
    def variance(self) -> float:
        """Of one draw, exactly for Laplace; σ², which is never less, for Gaussian.

        Never nothing, so that estimates may be weighted by it.
        """
        if self.kind is NoiseKind.GAUSSIAN:
            return max(self.scale**2, _LEAST_VARIANCE)
        fall = math.exp(-1 / self.scale)
        return max(2 * fall / math.expm1(-1 / self.scale) ** 2, _LEAST_VARIANCE)

    def tail_bound(self, confidence: Fraction) -> int:
        """The smallest integer t with P(|noise| > t) <= 1 - confidence."""
        if self.kind is NoiseKind.GAUSSIAN:
            return _gaussian_bound(self.scale, confidence)
        return laplace_bound(self.scale, confidence)

    def above(self, points: Floats) -> Floats:
        """P(noise > t) for real t."""
        whole = np.floor(points)
        if self.kind is NoiseKind.GAUSSIAN:
            return _gaussian_above(self.scale, whole)
        share = 1 / (1 + math.exp(-1 / self.scale))
        right = share * np.exp(-np.maximum(whole + 1, 0) / self.scale)
        left = 1 - share * np.exp(-np.maximum(-whole, 0) / self.scale)
        result: Floats = np.where(whole >= 0, right, left)
        return result


@lru_cache(maxsize=4096)
def laplace_bound(scale: float, confidence: Fraction) -> int:
    """P(|X| > t) = 2 p^(t+1) / (1 + p) with p = e^(-1/scale), solved in 50 digits."""
    alpha = 1 - confidence
    with localcontext() as context:
        context.prec = _DIGITS
        inverse = 1 / Decimal(scale)
        share = Decimal(alpha.numerator) / Decimal(alpha.denominator)
        steps = -(share * (1 + (-inverse).exp()) / 2).ln() / inverse
        return max(0, int(steps.to_integral_value(rounding=ROUND_CEILING)) - 1)


@lru_cache(maxsize=4096)
def _gaussian_bound(sigma: float, confidence: Fraction) -> int:
    alpha = float(1 - confidence) / 2
    low, high = -1, math.ceil(_REACH * sigma) + 1
    while high - low > 1:
        middle = (low + high) // 2
        enough = _gaussian_above(sigma, np.array([float(middle)]))[0] <= alpha * (1 - 1e-9)
        low, high = (low, middle) if enough else (middle, high)
    return high


def _gaussian_above(sigma: float, whole: Floats) -> Floats:
    """P(X > t) for whole t: a sum over the lattice, or its integral from t + 1/2 on."""
    if sigma >= _SMOOTH:
        tails = [math.erfc((t + 0.5) / (sigma * math.sqrt(2))) / 2 for t in whole.ravel()]
        return np.array(tails).reshape(whole.shape)
    reach, summed = _gaussian_sums(sigma)
    places = np.clip(whole, -reach - 1, reach).astype(np.int64)
    result: Floats = summed[places + reach + 1]
    return result


@lru_cache(maxsize=256)
def _gaussian_sums(sigma: float) -> tuple[int, Floats]:
    """P(X > t) for t from -reach - 1 to reach."""
    reach = math.ceil(_REACH * sigma) + 1
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * sigma**2))
    above = np.concatenate([np.cumsum(weights[::-1])[::-1], [0.0]])
    return reach, above / above[0]


class Provided(StrEnum):
    """What a bound holds under alone: a condition on what nobody can read out of an answer."""

    LINE_WITHIN_BOUNDS = "line_within_bounds"
    PROBABILITY_WITHIN = "probability_within"


# The largest log odds under PROBABILITY_WITHIN, and the probabilities there, in percent.
FAR = 4.0
WITHIN = tuple(f"{100 / (1 + math.exp(end)):.1f}" for end in (FAR, -FAR))
_PROVIDED = {
    Provided.LINE_WITHIN_BOUNDS: (
        "the true line stays within the bounds of the outcome wherever the predictors are within "
        "theirs"
    ),
    Provided.PROBABILITY_WITHIN: (
        f"the true probability stays between {WITHIN[0]}% and {WITHIN[1]}% wherever the predictors "
        "are within their bounds"
    ),
}


def statement(
    confidence: Fraction, bound: int | float, provided: Provided | None = None
) -> dict[str, Any]:
    """One accuracy statement in the JSON form of a quote or release."""
    but, known = "", {}
    if provided is not None:
        but = f", provided that {_PROVIDED[provided]}"
        known = {"provided": provided.value}
    return {
        "confidence_level": float(confidence),
        "value": bound,
        **known,
        "message": f"With {int(confidence * 100)}% confidence the error is at most {bound}{but}.",
    }


def rank_statement(
    confidence: Fraction,
    rows: int,
    *,
    spacing: int | float | None = None,
    share: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """How far off a quantile may be, counted in rows: there is no bound on the value itself.

    Rows within `spacing` of either value are not counted, nor are so many in so many of the rows
    that share one value.
    """
    words, known = [], {}
    if spacing is not None:
        words.append(f"rows within {spacing} of either")
        known["spacing"] = spacing
    if share is not None:
        words.append(f"{share[0]} in {share[1]} of the rows that share one value")
        known["share"] = share[0] / share[1]
    but = f", not counting {' or '.join(words)}" if words else ""
    return {
        "confidence_level": float(confidence),
        "value": None,
        "rank_error": rows,
        **({"not_counted": known} if known else {}),
        "message": (
            f"With {int(confidence * 100)}% confidence at most {rows} rows lie between this "
            f"value and the true one{but}."
        ),
    }
