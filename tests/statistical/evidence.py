"""What counts as evidence: one false-alarm rate for every statistical test.

OpenDP takes no seed, so its draws differ from run to run; a failure here is one in a million.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import stats

FALSE_ALARM = 1e-6
Z = float(stats.norm.isf(FALSE_ALARM))
Integers = NDArray[np.int64]


def excess(event: NDArray[np.bool_], under_neighbour: NDArray[np.bool_], epsilon: float) -> float:
    """How many standard deviations P(event) lies above e^ε P(event | neighbour)."""
    p, q = event.mean(), under_neighbour.mean()
    variance = p * (1 - p) / len(event) + math.exp(2 * epsilon) * q * (1 - q) / len(event)
    return float((p - math.exp(epsilon) * q) / math.sqrt(variance))


def misfit(draws: Integers, scale: float) -> float:
    """The p-value of a chi-square test of draws against the exact discrete Laplace."""
    ratio = math.exp(-1 / scale)
    width = max(1, int(scale / 8))
    reach = int(scale * 6) // width
    places = np.clip(np.floor_divide(draws + width // 2, width), -reach, reach)
    low = np.arange(-reach, reach) * width + (width - width // 2)
    steps = np.concatenate([[0.0], below(low, ratio), [1.0]])
    observed = np.bincount((places + reach).astype(np.int64), minlength=2 * reach + 1)
    return float(stats.chisquare(observed, np.diff(steps) * len(draws)).pvalue)


def below(points: NDArray[np.int64], ratio: float) -> NDArray[np.float64]:
    """P(X < t) for integers t."""
    right = 1 - ratio ** np.maximum(points, 0) / (1 + ratio)
    left = ratio ** np.maximum(1 - points, 0) / (1 + ratio)
    result: NDArray[np.float64] = np.where(points > 0, right, left)
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
    return (1 + np.sign(draws) * (np.abs(draws) > limit)).astype(int).tolist()
