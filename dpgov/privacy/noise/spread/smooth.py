"""Weighted sums of a few noises of large scale, in closed form. Part of `spread`.

Integer noise of scale b is continuous noise rounded by less than 1/2 + 1/(3b): matching their
tails, discrete Laplace moves by 1/2 + 1/(8b) at most, discrete Gaussian up to eight σ by
1/2 + 1/(3σ). So the sum of integer noises lies within that times the sum of the weights.
"""

from fractions import Fraction
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
