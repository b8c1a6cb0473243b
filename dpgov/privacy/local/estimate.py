"""Shares of the true answers, from counts of randomised reports, each with an exact interval.

A report names an answer with probability p if it is the true one and q if not, so that c of n
reports estimate the share (c - nq) / ((p - q)n). What c shares are possible is bounded exactly
(Clopper and Pearson, The use of confidence or fiducial limits, 1934), mapped by the same line and
cut to 0 and 1. Every number here follows from reports, which are public.
"""

from dataclasses import dataclass
from fractions import Fraction

from dpgov.privacy.local.randomiser import Randomiser
from dpgov.privacy.noise.binomial import at_least, at_most
from dpgov.privacy.plan.levels import USUAL_STATED

CONFIDENCE = USUAL_STATED


@dataclass(frozen=True, slots=True)
class EstimatedShare:
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
) -> EstimatedShare:
    """The share of one answer that `count` of so many reports name; by one report at least."""
    exact = _mapped(randomiser, Fraction(count, reports))
    low, high = bounds(count, reports, 1 - confidence)
    slope, shift = float(randomiser.p - randomiser.q), float(randomiser.q)
    ends = [min(1.0, max(0.0, (end - shift) / slope)) for end in (low, high)]
    return EstimatedShare(exact, ends[0], ends[1])


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
    return at_least(count, trials, alpha / 2), at_most(count, trials, alpha / 2)
