"""How far a sum of very many independent noises spreads.

Terms are taken as those of continuous noise of the same scale, whose variance is never smaller than
that of the discrete one, and half a lattice step of the largest weight is added for the steps. The
distribution comes from the characteristic function as a Fourier series on a range that the sum does
not leave. Everything is after the noise or before the data.
"""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from dpgov.privacy.noise.noise import Floats, Noise, NoiseKind

_WAVES = 4096
_HALVINGS = 50
# In standard deviations: beyond lies less than 1e-8 of the widest of these sums, a single Laplace.
_RANGE = 14.0


def bound_of_many(
    noise: Noise, weights: Floats, confidence: Fraction, *, times: Floats | None = None
) -> float:
    """The size that |Σ w X| passes with probability at most 1 - confidence.

    With `times`, weight w stands for so many independent terms with that weight.
    """
    counts = np.ones_like(weights) if times is None else times
    step = float(np.max(np.abs(weights), initial=0.0)) / 2
    squares = float(np.sum(counts * weights**2))
    if noise.kind is NoiseKind.GAUSSIAN:
        quantile = NormalDist().inv_cdf(float((1 + confidence) / 2))
        return quantile * noise.scale * math.sqrt(squares) + step
    deviation = noise.scale * math.sqrt(2 * squares)
    if not deviation:
        return 0.0
    return (
        deviation * _laplace_quantile(noise.scale * weights / deviation, counts, confidence) + step
    )


def _laplace_quantile(scales: Floats, counts: Floats, confidence: Fraction) -> float:
    """For continuous Laplace terms of these scales, whose sum has variance one."""
    waves = np.arange(1, _WAVES + 1) * (math.pi / _RANGE)
    logs = np.zeros(_WAVES)
    for scale, count in zip(scales.tolist(), counts.tolist(), strict=True):
        logs -= count * np.log1p((scale * waves) ** 2)
    parts = np.exp(logs) * 2 / (np.arange(1, _WAVES + 1) * math.pi)
    low, high = 0.0, _RANGE
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        inside = middle / _RANGE + float(np.sum(parts * np.sin(waves * middle)))
        low, high = (middle, high) if inside < float(confidence) + 1e-7 else (low, middle)
    return high
