"""How far a weighted sum of independent noises spreads: quantiles of |w1 X1 + w2 X2 + ...|.

Every statistic that is made of several noisy numbers takes its interval from here. Everything is
after the noise or before the data; floats are safe, and every step errs to the wide side: a few
terms of large scale are those of continuous noise, in closed form; others are added up on a fine
grid.

Integer noise of scale b is continuous noise rounded by less than 1/2 + 1/(3b): matching their
tails, discrete Laplace moves by 1/2 + 1/(8b) at most, discrete Gaussian up to eight σ by 1/2 +
1/(3σ). So the sum of integer noises lies within that times the sum of the weights.
"""

import math
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from dpgov.privacy.noise.noise import Floats, Noise, NoiseKind

# From this scale on the rounding widens an interval by about one percent at most.
SMOOTH = 32.0
# More terms than that would lose too many digits.
FEW = 4
_ROUNDED = 0.52
_APART = 1 + 1e-3
_SMALLEST = 1e-6
_TINY = 1e-60
_HALVINGS = 60


def smooth_bounds(noise: Noise, weights: Floats, confidence: Fraction) -> Floats:
    """For rows of at most FEW falling weights: what the sum's size passes with 1 - confidence."""
    alpha = float(1 - confidence)
    gaussian = noise.kind is NoiseKind.GAUSSIAN
    sizes = _gaussian(weights, alpha) if gaussian else _laplace(weights, alpha)
    bounds: Floats = noise.scale * sizes * (1 + 1e-9) + _ROUNDED * weights.sum(axis=1)
    return bounds


def _gaussian(weights: Floats, alpha: float) -> Floats:
    sizes: Floats = NormalDist().inv_cdf(1 - alpha / 2) * np.sqrt((weights**2).sum(axis=1))
    return sizes


def _laplace(weights: Floats, alpha: float) -> Floats:
    """Where Σ A e^(-t/w) falls to alpha, by halving; A are the residues of Π 1/(1 + w² s²)."""
    apart = _apart(weights)
    squares = apart**2
    residues = np.ones_like(apart)
    for place in range(apart.shape[1]):
        others = np.delete(squares, place, axis=1)
        residues[:, place] = np.prod(squares[:, [place]] / (squares[:, [place]] - others), axis=1)
    low = np.zeros(len(apart))
    high = apart.sum(axis=1) * -np.log(alpha / apart.shape[1])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        far = (residues * np.exp(-middle[:, None] / apart)).sum(axis=1) > alpha
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    result: Floats = high
    return result


def _apart(weights: Floats) -> Floats:
    """Weights, rounded up so that no two are the same; a wider term makes a wider sum.

    Birnbaum, On random variables with comparable peakedness, 1948.
    """
    apart = np.maximum(weights, weights[:, [0]] * _SMALLEST)
    apart = np.maximum(apart, _TINY)
    for place in range(apart.shape[1] - 2, -1, -1):
        apart[:, place] = np.maximum(apart[:, place], apart[:, place + 1] * _APART)
    return apart


_CELLS = 4096
_CELLS_PER_SCALE = 96
_CIRCLE = _CELLS / 2 / _CELLS_PER_SCALE
_SHAPES = 2048


@lru_cache(maxsize=2048)
def bound(noise: Noise, weights: tuple[float, ...], confidence: Fraction) -> float:
    """A number that the sum's size passes with probability at most 1 - confidence.

    Questions of one plan ask for the same ones again.
    """
    return float(bounds(noise, np.array([weights], dtype=np.float64), confidence)[0])


def bounds(noise: Noise, weights: Floats, confidence: Fraction) -> Floats:
    """The same for many sums, a row of weights each; all with the same noise."""
    used = -np.sort(-np.abs(weights), axis=1)
    if noise.scale >= SMOOTH and used.shape[1] <= FEW:
        found = smooth_bounds(noise, used, confidence)
    else:
        found = np.array([_on_a_grid(noise, tuple(row), confidence) for row in used.tolist()])
    alone = (used[:, 1:] == 0).all(axis=1)
    result: Floats = np.where(alone, used[:, 0] * noise.tail_bound(confidence), found)
    return result


def _on_a_grid(noise: Noise, weights: tuple[float, ...], confidence: Fraction) -> float:
    used = tuple(weight for weight in weights if weight)
    if len(used) < 2:
        return 0.0
    # Weights relative to the largest, rounded up so that they repeat.
    shape = tuple(math.ceil(weight / used[0] * _SHAPES) / _SHAPES for weight in used)
    return used[0] * _of_shape(noise, shape, confidence)


@lru_cache(maxsize=16_384)
def _of_shape(noise: Noise, weights: tuple[float, ...], confidence: Fraction) -> float:
    """Each term has moved by less than a step, their weights all together by another."""
    above, alpha = _tails(noise, weights), float(1 - confidence)
    if above[-1] > alpha:
        each = 1 - (1 - confidence) / len(weights)
        return sum(weights) * noise.tail_bound(each)
    place = int(np.argmax(above <= alpha))
    return (place + len(weights) + 1) * noise.scale / _CELLS_PER_SCALE


@lru_cache(maxsize=2048)
def _tails(noise: Noise, weights: tuple[float, ...]) -> Floats:
    """P(|sum| > place x step) for each place, for weights of which the largest is one."""
    product = np.ones(_CELLS // 2 + 1)
    for weight in weights:
        product = product * _transform(noise, weight)
    sizes = np.fft.irfft(product, _CELLS)
    both = sizes[: _CELLS // 2].copy()
    both[1:] += sizes[: _CELLS // 2 : -1]
    above: Floats = np.maximum(1 - np.cumsum(both), 0) + _around(len(weights)) + 1e-12
    return above


def _around(terms: int) -> float:
    """What may have gone once around the circle, and so came too near: a Chernoff bound.

    E e^(sX) is at most 1/(1 - s²) for Laplace noise of scale one, and less for all others.
    """
    s = max(0.0, 1 - terms / _CIRCLE)
    moved = terms / _CELLS_PER_SCALE
    return 2 * math.exp(-terms * math.log(1 - s * s) - s * (_CIRCLE - moved))


@lru_cache(maxsize=2048)
def _transform(noise: Noise, weight: float) -> Floats:
    """Of the distribution of weight x X on the grid, moved outwards, as one period of a circle."""
    half = _CELLS // 2
    edges: Floats = np.arange(half, dtype=np.float64) * (noise.scale / _CELLS_PER_SCALE / weight)
    above = noise.above(edges)
    outwards = above[:-1] - above[1:]
    term = np.zeros(_CELLS)
    term[0] = 1 - 2 * above[0]
    term[1:half] = outwards
    term[half] = 2 * above[-1]
    term[half + 1 :] = outwards[::-1]
    transform: Floats = np.fft.rfft(term).real
    return transform
