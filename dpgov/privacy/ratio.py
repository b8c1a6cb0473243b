"""How wrong a noisy sum divided by a noisy count may be, from the two noise scales.

Fieller's argument: for noisy sum S' = S + X, noisy count N' = N + Y and true mean m = S/N, the
number S' - m N' = X - m Y has a known distribution for each m, whatever the data. So the set of
all m with |S' - m N'| <= q(m), q(m) the quantile of |X - m Y|, holds the true mean with at least
the stated confidence. The bound is the largest distance from the released mean to that set.
(E. C. Fieller, Some problems in interval estimation, 1954.) Tighter than adding the two bounds.

It covers whatever the rows are. It is also no wider than 1.15 times what it bounds when rows
times ε is at least about 1000 and the mean lies inside its bounds by more than the noise. With
fewer rows, or at a bound, where clamping hides half of the errors, it is wider, and has to be:
the noisy numbers cannot tell such cases from worse ones.

Everything here is after the noise or before the data; floats are safe, and rounded up.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy.accuracy import tail_bound

Floats = NDArray[np.float64]

_NODES = 65
_HALVINGS = 16
# Below this scale the steps of the lattice matter and the distributions are added up one by one.
_COARSE = 16.0
_NEGLIGIBLE = 1e-7


@dataclass(frozen=True, slots=True)
class RatioNoise:
    """Noise scales of a sum and of a count, and `reach`: the mean lies in [-reach, reach].

    Sum and mean are in the same lattice units.
    """

    sum_scale: float
    count_scale: float
    reach: int


def error_bounds(noise: RatioNoise, confidence: Fraction, means: Floats, counts: Floats) -> Floats:
    """For each released mean (within the reach) and noisy count, a bound on the mean's error.

    A noisy count below one says nothing of the mean but its declared bounds.
    """
    outward = _farthest(noise, confidence, np.abs(means), counts, direction=1.0)
    inward = _farthest(noise, confidence, np.abs(means), counts, direction=-1.0)
    whole = noise.reach + np.abs(means)
    bounds: Floats = np.where(counts >= 1, np.maximum(outward, inward), whole)
    return bounds


def _farthest(
    noise: RatioNoise, confidence: Fraction, means: Floats, counts: Floats, direction: float
) -> Floats:
    """The distance to the last plausible mean on one side: t N' <= q(mean + direction t)."""
    nodes, quantiles = quantile_table(noise, confidence)
    limit = noise.reach - direction * means
    rows = np.maximum(counts, 1)
    low = np.minimum(limit, quantiles[0] / rows)
    high = np.minimum(limit, quantiles[-1] / rows)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        allowed = np.interp(np.abs(means + direction * middle), nodes, quantiles)
        plausible = middle * rows <= allowed
        low, high = np.where(plausible, middle, low), np.where(plausible, high, middle)
    edge = np.interp(np.abs(means + direction * limit), nodes, quantiles)
    farthest: Floats = np.where(limit * rows <= edge, limit, high)
    return farthest


@lru_cache(maxsize=256)
def quantile_table(noise: RatioNoise, confidence: Fraction) -> tuple[Floats, Floats]:
    """q(m) at evenly spaced m from 0 to the reach, never below the true quantile between them.

    q is convex for smooth noise, so lines between nodes lie above it. On a coarse lattice it has
    small jumps, so there each node takes the value of the next one too.
    """
    nodes = np.linspace(0.0, noise.reach, _NODES)
    alpha = float(1 - confidence)
    half = (1 + confidence) / 2
    low = np.zeros(_NODES)
    high = tail_bound(noise.sum_scale, half) + nodes * tail_bound(noise.count_scale, half) + 1.0
    tail = _coarse_tail if noise.sum_scale < _COARSE else _smooth_tail
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = tail(noise, nodes, middle) <= alpha
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    quantiles = np.maximum.accumulate(high)
    if tail is _coarse_tail:
        quantiles[:-1] = quantiles[1:]
    return nodes, quantiles


def _coarse_tail(noise: RatioNoise, means: Floats, bounds: Floats) -> Floats:
    """P(|X - m Y| > q), added up over the values of Y; what is left out counts as beyond q."""
    ratio = math.exp(-1 / noise.count_scale)
    last = math.ceil(noise.count_scale * -math.log(_NEGLIGIBLE)) + 1
    counts = np.arange(-last, last + 1, dtype=np.float64)
    weights = (1 - ratio) / (1 + ratio) * ratio ** np.abs(counts)
    shifts = np.outer(means, counts)
    beyond = _above(noise, shifts + bounds[:, None]) + _above(noise, bounds[:, None] - shifts)
    tails: Floats = beyond @ weights + 2 * ratio ** (last + 1) / (1 + ratio)
    return tails


def _above(noise: RatioNoise, bounds: Floats) -> Floats:
    """P(X > t) for the discrete Laplace X; t is nudged down, against rounding."""
    decay = 1 / noise.sum_scale
    nudged = bounds - 1e-9
    share = 1 / (1 + math.exp(-decay))
    right = share * np.exp(-decay * np.maximum(np.floor(nudged) + 1, 0))
    left = 1 - share * np.exp(-decay * np.maximum(np.ceil(-nudged), 0))
    above: Floats = np.where(nudged >= 0, right, left)
    return above


def _smooth_tail(noise: RatioNoise, means: Floats, bounds: Floats) -> Floats:
    """An upper bound on P(|X - m Y| > q) in closed form, tight when the scale of X is large.

    Uses P(X > t) <= p^t / (1 + p) for t >= 0 and <= 1 - p^(1 - t) / (1 + p) below, with
    p = e^(-1/scale), which makes the sum over Y geometric: once up to q/m, once beyond.
    """
    a, b = 1 / noise.sum_scale, 1 / noise.count_scale
    share = 1 / (1 + math.exp(-a))
    point = -math.expm1(-b) / (1 + math.exp(-b))
    turn = np.floor(np.minimum(bounds / np.maximum(means, 1e-12), 60 / b + 1))
    start = np.exp(-a * bounds)
    fall = b + a * means
    far = start * np.exp(-fall) / -np.expm1(-fall)
    near = _geometric(a * means - b, turn, -a * bounds)
    rest = np.exp(-b * (turn + 1)) / -math.expm1(-b)
    back = np.exp(a * (bounds - 1) - fall * (turn + 1)) / -np.expm1(-fall)
    tails: Floats = point * (2 * share * start + 2 * (share * (far + near - back) + rest))
    return tails


def _geometric(slope: Floats, terms: Floats, offset: Floats) -> Floats:
    """e^offset (e^slope + e^(2 slope) + ... + e^(terms slope)), without overflow."""
    size = np.maximum(np.abs(slope), 1e-12)
    whole = -np.expm1(-terms * size) / -np.expm1(-size)
    first = np.where(slope > 0, terms * size, -size)
    total: Floats = np.exp(offset + first) * whole
    return total
