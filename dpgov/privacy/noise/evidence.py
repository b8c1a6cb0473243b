"""How far two samples tell two tables apart, as bounds that are wrong with a stated probability.

Exact for every sample size: no normal approximation decides anything here. Must never draw, and
never see data: the samples are of released numbers.
"""

import math

import numpy as np

from dpgov.privacy.noise.noise import Floats

_HALVINGS = 60


def at_least(hits: int, trials: int, alpha: float) -> float:
    """A probability that the true one falls below with probability at most `alpha`.

    Clopper and Pearson, The use of confidence or fiducial limits, 1934.
    """
    if hits == 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        seldom = _from_on(hits, trials, middle) <= alpha
        low, high = (middle, high) if seldom else (low, middle)
    return low


def at_most(hits: int, trials: int, alpha: float) -> float:
    """A probability that the true one exceeds with probability at most `alpha`."""
    return 1 - at_least(trials - hits, trials, alpha)


def _from_on(hits: int, trials: int, chance: float) -> float:
    """P(X >= hits) of a binomial variable."""
    successes = np.arange(hits, trials + 1)
    logs = _log_choose(trials)[hits:]
    logs = logs + successes * math.log(chance) + (trials - successes) * math.log1p(-chance)
    most = logs.max()
    return min(1.0, math.exp(most) * float(np.exp(logs - most).sum()))


def _log_choose(trials: int) -> Floats:
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, trials + 1)))])
    found: Floats = logs[-1] - logs - logs[::-1]
    return found


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
