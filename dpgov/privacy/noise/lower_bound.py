"""A lower bound on the true privacy loss of a mechanism, from many answers about two tables.

What tells the two tables apart is learned from a fifth of the answers and tested on the others, so
that the stated confidence holds whatever was learned (Jagielski, Ullman and Oprea, Auditing
differentially private machine learning, 2020). The mechanism is a black box. A bound above the
claim proves the claim wrong; a bound below it proves nothing, so that the same test must be seen to
catch a mechanism that is known to be wrong.

How far two samples tell two tables apart is bounded for every sample size, wrong with a stated
probability: no normal approximation decides anything here. Must never draw, and never see data: the
samples are of released numbers.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy.noise.binomial import at_least, at_most
from dpgov.privacy.noise.noise import Floats


def epsilon_bound(
    hits: int, others: int, trials: int, *, alpha: float, delta: float = 0.0
) -> float:
    """An ε that the true one falls below with probability at most `alpha`; 0 says nothing.

    `hits` and `others` count one event, in as many trials each, under a table and its neighbour:
    (ε, δ)-DP promises P(event) <= e^ε P(event under the neighbour) + δ.
    """
    above = at_least(hits, trials, alpha / 2) - delta
    below = at_most(others, trials, alpha / 2)
    return max(0.0, math.log(above / below)) if above > 0 else 0.0


def rho_bound(scores: Floats, others: Floats, reach: float, *, alpha: float) -> float:
    """A ρ that the true one falls below with probability at most `alpha`; 0 says nothing.

    `scores` and `others` are of one function of the answer, under a table and its neighbour, cut
    to ±`reach`. ρ-zCDP promises that the Kullback-Leibler divergence is at most ρ, and that is at
    least E[score] - ln E[e^score under the neighbour] (Donsker and Varadhan, 1975).
    """
    under = np.clip(scores, -reach, reach)
    tilted = np.exp(np.clip(others, -reach, reach))
    lowest = float(under.mean()) - _radius(under, 2 * reach, alpha / 2)
    spread = 2 * math.sinh(reach)
    highest = float(tilted.mean()) + _radius(tilted, spread, alpha / 2)
    return max(0.0, lowest - math.log(highest))


def _radius(values: Floats, spread: float, alpha: float) -> float:
    """How far a mean of values within `spread` lies from the true one: at most this, on one side.

    Maurer and Pontil, Empirical Bernstein bounds, 2009.
    """
    count, log = len(values), math.log(2 / alpha)
    return math.sqrt(2 * float(values.var(ddof=1)) * log / count) + 7 * spread * log / (
        3 * (count - 1)
    )


# A feature with more values than this is cut into as many parts of about equal weight, unless each
# of its values was seen so often that it can be told from its neighbours.
_PARTS, _SEEN = 32, 100
# One in so many answers is learned from.
_LEARNED = 5
_REACHES = (0.5, 1.0, 1.5, 2.0, 3.0)
_FEWEST = 10
Sides = tuple[Floats, Floats]


class TooFewAnswers(ValueError):
    """Nothing can be learned from so few answers, or not as many were given of each table."""


@dataclass(frozen=True, slots=True)
class LikelihoodRatio:
    """By how much each answer speaks for the first table: a sum over the features of the answer.

    The logarithm of how much more often the first table gave such a feature.
    """

    edges: tuple[Floats, ...]
    logs: tuple[Floats, ...]

    def of(self, answers: Floats) -> Floats:
        """One number for each answer."""
        places = [
            np.searchsorted(edges, answers[:, at], side="right")
            for at, edges in enumerate(self.edges)
        ]
        parts = [logs[place] for logs, place in zip(self.logs, places, strict=True)]
        total: Floats = np.sum(parts, axis=0)
        return total


def learn(first: Floats, second: Floats) -> LikelihoodRatio:
    """From answers about both tables, one row each."""
    edges = tuple(_edges(np.concatenate([first[:, at], second[:, at]])) for at in _columns(first))
    logs = tuple(
        np.log((_counts(first[:, at], cut) + 0.5) / (_counts(second[:, at], cut) + 0.5))
        for at, cut in enumerate(edges)
    )
    return LikelihoodRatio(edges, logs)


def _columns(answers: Floats) -> range:
    return range(answers.shape[1])


def _edges(values: Floats) -> Floats:
    """Where a feature is cut: between all of its values, if they are few."""
    known = np.unique(values)
    if len(known) > max(_PARTS, len(values) // _SEEN):
        return np.unique(np.quantile(values, np.arange(1, _PARTS) / _PARTS))
    return known[1:]


def _counts(values: Floats, edges: Floats) -> NDArray[np.int64]:
    places = np.searchsorted(edges, values, side="right")
    return np.bincount(places, minlength=len(edges) + 1)


def lower_bound_of_epsilon(
    first: Floats, second: Floats, *, alpha: float, delta: float = 0.0
) -> float:
    """An ε that a mechanism with these answers exceeds, but with probability `alpha`."""
    learned_from, tested_on = _parted(first, second)
    events = [
        _best_event(
            learned_from[side], learned_from[1 - side], sign, alpha, delta, len(tested_on[0])
        )
        for side, sign in ((0, 1.0), (1, -1.0))
    ]
    side = 0 if events[0][0] >= events[1][0] else 1
    sign, threshold = (1.0, -1.0)[side], events[side][1]
    hits = int((sign * tested_on[side] >= threshold).sum())
    others = int((sign * tested_on[1 - side] >= threshold).sum())
    trials = len(tested_on[0])
    return epsilon_bound(hits, others, trials, alpha=alpha, delta=delta)


def lower_bound_of_rho(first: Floats, second: Floats, *, alpha: float) -> float:
    """A ρ that a mechanism with these answers exceeds, but with probability `alpha`."""
    learned_from, tested_on = _parted(first, second)
    found = max(
        (
            rho_bound(sign * learned_from[side], sign * learned_from[1 - side], reach, alpha=alpha),
            side,
            sign,
            reach,
        )
        for side, sign in ((0, 1.0), (1, -1.0))
        for reach in _REACHES
    )
    _, side, sign, reach = found
    return rho_bound(sign * tested_on[side], sign * tested_on[1 - side], reach, alpha=alpha)


def _parted(first: Floats, second: Floats) -> tuple[Sides, Sides]:
    """What the answers say: of those that are learned from, and of those that are tested."""
    trials = len(first)
    if trials < 2 * _FEWEST or first.shape != second.shape:
        raise TooFewAnswers
    learned = max(trials // _LEARNED, _FEWEST)
    likeness = learn(first[:learned], second[:learned])
    seen = likeness.of(first[:learned]), likeness.of(second[:learned])
    fresh = likeness.of(first[learned:]), likeness.of(second[learned:])
    return seen, fresh


def _best_event(
    own: Floats, other: Floats, sign: float, alpha: float, delta: float, trials: int
) -> tuple[float, float]:
    """The threshold above which this table shows best, and how well by a quick estimate.

    It is the best one for the test, which has more `trials` than were learned from; shares that
    were learned from few are taken a little worse than they were seen.
    """
    own, other = np.sort(sign * own), np.sort(sign * other)
    thresholds = np.unique(np.concatenate([own, other]))
    z, learned = NormalDist().inv_cdf(1 - alpha / 2), len(own)
    above = _wilson(1 - np.searchsorted(own, thresholds) / learned, learned, -1.0)
    below = _wilson(1 - np.searchsorted(other, thresholds) / learned, learned, 1.0)
    low = _wilson(above, trials, -z) - delta
    high = _wilson(below, trials, z)
    worth = np.log(np.maximum(low, 1e-300) / high)
    best = int(np.argmax(worth))
    return float(worth[best]), float(thresholds[best])


def _wilson(shares: Floats, trials: int, z: float) -> Floats:
    """Near the exact bounds, and fast: it only chooses where the exact ones are asked."""
    middle = shares + z * z / (2 * trials)
    far = z * np.sqrt(shares * (1 - shares) / trials + z * z / (4 * trials**2))
    found: Floats = np.maximum((middle + far) / (1 + z * z / trials), 0.0)
    return found
