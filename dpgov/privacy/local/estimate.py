"""Shares of the true answers, from counts of randomised reports, each with an exact interval.

A report names an answer with probability p if it is the true one and q if not, so that c of n
reports estimate the share (c - nq) / ((p - q)n). What c shares are possible is bounded exactly
(Clopper and Pearson, The use of confidence or fiducial limits, 1934), mapped by the same line and
cut to 0 and 1. Every number here follows from reports, which are public.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from dpgov.privacy.local.randomiser import Randomiser

CONFIDENCE = 0.95
_HALVINGS = 60
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Share:
    """What share of the respondents gave an answer. `exact` may lie below 0 or above 1."""

    exact: Fraction
    low: float
    high: float

    @property
    def shown(self) -> float:
        """The estimate, cut to what a share can be."""
        return min(1.0, max(0.0, float(self.exact)))


def share_of(
    randomiser: Randomiser, count: int, reports: int, confidence: float = CONFIDENCE
) -> Share:
    """The share of one answer that `count` of so many reports name; by one report at least."""
    exact = _mapped(randomiser, Fraction(count, reports))
    low, high = bounds(count, reports, 1 - confidence)
    slope, shift = float(randomiser.p - randomiser.q), float(randomiser.q)
    ends = [min(1.0, max(0.0, (end - shift) / slope)) for end in (low, high)]
    return Share(exact, ends[0], ends[1])


def _mapped(randomiser: Randomiser, observed: Fraction) -> Fraction:
    return (observed - randomiser.q) / (randomiser.p - randomiser.q)


def widest(randomiser: Randomiser, reports: int, confidence: float = CONFIDENCE) -> float:
    """Half of the widest interval that so many reports can have, before it is cut.

    The reported share that is nearest to one half has it: no true answer is looked at.
    """
    nearest = min(max(Fraction(1, 2), randomiser.q), randomiser.p)
    low, high = bounds(round(nearest * reports), reports, 1 - confidence)
    return (high - low) / 2 / float(randomiser.p - randomiser.q)


def moved_by(randomiser: Randomiser, liars: int, reports: int) -> Fraction:
    """How far so many among the respondents can move a share, if they send what they like.

    k / (n(p - q)) (Cheu, Smith and Ullman, Manipulation Attacks in Local Differential Privacy,
    2021).
    """
    return Fraction(liars, reports) / (randomiser.p - randomiser.q)


def bounds(count: int, trials: int, alpha: float) -> tuple[float, float]:
    """Between which probabilities the true one lies but with probability `alpha`."""
    low = _inverse(count, trials - count + 1, alpha / 2) if count else 0.0
    high = _inverse(count + 1, trials - count, 1 - alpha / 2) if count < trials else 1.0
    return low, high


def _inverse(a: int, b: int, wanted: float) -> float:
    """Where the regularised incomplete beta function of a and b has this value."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _beta(middle, a, b) < wanted else (low, middle)
    return (low + high) / 2


def _beta(x: float, a: int, b: int) -> float:
    """P(at least a of a + b - 1 trials succeed) at probability x.

    By its continued fraction (Lentz), on the side where that converges quickly.
    """
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(1 - x, b, a)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    log += a * math.log(max(x, _TINY)) + b * math.log1p(-x)
    return math.exp(log) * _fraction(x, a, b) / a


def _fraction(x: float, a: int, b: int) -> float:
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    whole = d
    for m in range(1, 2000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            whole *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return whole


def _away(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
