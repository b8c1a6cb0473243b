"""How far a weighted sum of independent noises spreads: quantiles of |w1 X1 + w2 X2 + ...|.

Every statistic that is made of several noisy numbers takes its interval from here. Everything is
after the noise or before the data; floats are safe, and rounded up: each term's distribution is
moved outwards onto a fine grid, and symmetric unimodal terms that are wider make a wider sum
(Birnbaum, On random variables with comparable peakedness, 1948).
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy.noise import Floats, Noise

_CELLS = 8192
_CELLS_PER_SCALE = 128
# From this scale on, the shape no longer depends on it but for the size of one lattice step.
_CANONICAL = 512.0


def bound(noise: Noise, weights: Sequence[float], confidence: Fraction) -> float:
    """The smallest number found that the sum's size passes with at most 1 - confidence."""
    return float(bounds(noise, np.array([weights], dtype=np.float64), confidence)[0])


def bounds(noise: Noise, weights: Floats, confidence: Fraction) -> Floats:
    """The same for many sums, a row of weights each; all with the same noise."""
    table = [_quantile(noise, tuple(row), confidence) for row in weights.tolist()]
    return np.array(table)


@lru_cache(maxsize=16_384)
def _quantile(noise: Noise, weights: tuple[float, ...], confidence: Fraction) -> float:
    used = tuple(sorted(abs(w) for w in weights if w))
    if not used:
        return 0.0
    if len(used) == 1:
        return used[0] * noise.tail_bound(confidence)
    if noise.scale <= _CANONICAL:
        return used[-1] * _of_shape(noise, _shape(used), confidence)
    smooth = _of_shape(replace(noise, scale=_CANONICAL), _shape(used), confidence)
    return used[-1] * smooth * noise.scale / _CANONICAL + sum(used)


def _shape(used: tuple[float, ...]) -> tuple[float, ...]:
    """Weights relative to the largest, rounded up to a fine grid so that they repeat."""
    return tuple(np.ceil(np.array(used) / used[-1] * 2048) / 2048)


@lru_cache(maxsize=16_384)
def _of_shape(noise: Noise, weights: tuple[float, ...], confidence: Fraction) -> float:
    step, above = _tails(noise, weights)
    place = int(np.argmax(above <= float(1 - confidence)))
    return step * place


@lru_cache(maxsize=2048)
def _tails(noise: Noise, weights: tuple[float, ...]) -> tuple[float, Floats]:
    """The grid's step, and P(|sum| > place x step) for each place."""
    step = noise.scale * weights[-1] / _CELLS_PER_SCALE
    product = np.ones(_CELLS // 2 + 1)
    for weight in weights:
        product = product * np.fft.rfft(_term(noise, weight, step)).real
    sizes = np.fft.irfft(product, _CELLS)
    both = sizes[: _CELLS // 2].copy()
    both[1:] += sizes[: _CELLS // 2 : -1]
    # What rounding of the transform can have lost is counted as far out.
    above = np.maximum(1 - np.cumsum(both), 0) + 1e-12
    return step, above


def _term(noise: Noise, weight: float, step: float) -> NDArray[np.float64]:
    """The distribution of weight x X on the grid, moved outwards, as one period of a circle."""
    half = _CELLS // 2
    edges = np.arange(half) * (step / weight)
    above = noise.above(edges)
    outwards = above[:-1] - above[1:]
    term = np.zeros(_CELLS)
    term[0] = 1 - 2 * above[0]
    term[1:half] = outwards
    term[half] = 2 * above[-1]
    term[half + 1 :] = outwards[::-1]
    return term
