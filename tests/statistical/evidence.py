"""What counts as evidence: one false-alarm rate for every statistical test.

OpenDP takes no seed, so its draws differ from run to run; a failure here is one in a million.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from dpgov.privacy.noise.noise import Noise, NoiseKind

FALSE_ALARM = 1e-6
Z = float(stats.norm.isf(FALSE_ALARM))
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
_BINS = 12


def fewest(trials: int, share: float | Fraction) -> int:
    """How many of so many trials are inside at least, where each is with this chance."""
    return int(stats.binom.ppf(FALSE_ALARM, trials, float(share)))


def most(trials: int, share: float | Fraction) -> int:
    """How many of so many trials are inside at most, where each is with this chance."""
    return int(stats.binom.ppf(1 - FALSE_ALARM, trials, float(share)))


def excess(event: NDArray[np.bool_], under_neighbour: NDArray[np.bool_], epsilon: float) -> float:
    """How many standard deviations P(event) lies above e^ε P(event | neighbour).

    Half an event is added on either side, so that what never or always happens has a spread too.
    """
    p, q = ((found.sum() + 0.5) / (len(found) + 1) for found in (event, under_neighbour))
    variance = p * (1 - p) / len(event) + math.exp(2 * epsilon) * q * (1 - q) / len(event)
    return float((p - math.exp(epsilon) * q) / math.sqrt(variance))


def excess_divergence(first: Floats, second: Floats, rho: float) -> float:
    """How many standard deviations the Kullback-Leibler divergence of two samples lies above ρ.

    ρ-zCDP bounds it by ρ, and so that of any binning; here bins hold about equally many draws.
    """
    edges = np.unique(np.quantile(np.concatenate([first, second]), np.arange(1, _BINS) / _BINS))
    p, q = (
        (np.bincount(np.searchsorted(edges, draws), minlength=len(edges) + 1) + 0.5) / len(draws)
        for draws in (first, second)
    )
    p, q = p / p.sum(), q / q.sum()
    logs, ratios = np.log(p / q), p / q
    found = float((p * logs).sum()) - len(edges) / len(first)
    variance = (p * logs**2).sum() - (p * logs).sum() ** 2 + (q * ratios**2).sum() - 1
    return (found - rho) / math.sqrt(variance / len(first))


def misfit(draws: Integers, noise: Noise) -> float:
    """The p-value of a chi-square test of draws against the exact discrete distribution."""
    scale = noise.scale
    width = max(1, int(scale / 8))
    reach = max(1, int(scale * (6 if noise.kind is NoiseKind.LAPLACE else 3)) // width)
    places = np.clip(np.floor_divide(draws + width // 2, width), -reach, reach)
    low = np.arange(-reach, reach) * width + (width - width // 2)
    inside = below_laplace if noise.kind is NoiseKind.LAPLACE else below_gaussian
    steps = np.concatenate([[0.0], inside(low, scale), [1.0]])
    observed = np.bincount((places + reach).astype(np.int64), minlength=2 * reach + 1)
    return float(stats.chisquare(observed, np.diff(steps) * len(draws)).pvalue)


def below_laplace(points: Integers, scale: float) -> Floats:
    """P(X < t) for integers t."""
    ratio = math.exp(-1 / scale)
    right = 1 - ratio ** np.maximum(points, 0) / (1 + ratio)
    left = ratio ** np.maximum(1 - points, 0) / (1 + ratio)
    result: Floats = np.where(points > 0, right, left)
    return result


def below_gaussian(points: Integers, sigma: float) -> Floats:
    """P(X < t) for integers t, every term added up."""
    reach = math.ceil(14 * sigma) + 2
    logs = -(np.arange(-reach, reach + 1) ** 2) / (2 * sigma**2)
    masses = np.exp(logs - special.logsumexp(logs))
    result: Floats = np.concatenate([[0.0], np.cumsum(masses)])[points + reach]
    return result


def dependence(first: Integers, second: Integers) -> float:
    """The p-value that sizes and signs of two bins' noise are independent."""
    table = np.zeros((3, 3))
    limit = np.median(np.abs(first))
    for row, column in zip(bands(first, limit), bands(second, limit), strict=True):
        table[row, column] += 1
    return float(stats.chi2_contingency(table).pvalue)


def bands(draws: Integers, limit: float) -> list[int]:
    """Far below, near, far above."""
    found: list[int] = (1 + np.sign(draws) * (np.abs(draws) > limit)).astype(int).tolist()
    return found
