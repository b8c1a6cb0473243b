"""How far a sum of independent noises spreads when there are many of them, of one kind or several.

For answers that are put together from released numbers: m cells added up, or the same total made of
several answers. The distribution comes from the characteristic functions of the discrete noises
themselves, as a Fourier series on a range that the sum does not leave. A uniform variable as wide
as one step of the largest weight smooths it, and moves it by half a step at most; where all terms
lie on one lattice, that rounding is exact. Everything is after the noise.

Of very many (`bounds_of_many`) the terms are taken as those of continuous noise of the same scale,
whose variance is never smaller, and half a lattice step of the largest weight is added for the
steps.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from dpgov.privacy.noise.noise import Floats, Noise, NoiseKind
from dpgov.privacy.noise.spread import weighted

# On one lattice a step is told from the next; else the place is rounded up anyway.
_FINE, _COARSE = 8192, 2048
# In standard deviations; beyond lies less than 1e-8 of the widest of these sums, a single Laplace.
_RANGE = 14.0
# What ends of series and rounding may have taken from a probability.
_SLACK = 2e-5
# Below this σ the sum over the lattice is short; above, the one over its dual.
_NARROW = 0.8
_REACH = 12


@dataclass(frozen=True, slots=True)
class WeightedNoise:
    """`times` independent draws of this noise, each multiplied by `weight`."""

    noise: Noise
    weight: float
    times: int = 1


def bound(terms: Sequence[WeightedNoise], confidence: Fraction) -> float:
    """What the size of the sum of all terms passes with probability at most 1 - confidence."""
    used = tuple(_tidy(term) for term in terms if term.weight and term.times)
    if not used:
        return 0.0
    noises = {term.noise for term in used}
    if len(noises) == 1 and all(term.times == 1 for term in used):
        return weighted.bound(noises.pop(), tuple(term.weight for term in used), confidence)
    return _of_sum(used, confidence)


def bounds(noise: Noise, times: int, weights: Floats, confidence: Fraction) -> Floats:
    """The same for many sums, a row of weights each, every weight for `times` draws."""
    if times == 1:
        return weighted.bounds(noise, weights, confidence)
    rows = [tuple(WeightedNoise(noise, w, times) for w in row) for row in np.abs(weights).tolist()]
    return np.array([bound(row, confidence) for row in rows])


def _tidy(term: WeightedNoise) -> WeightedNoise:
    return WeightedNoise(term.noise, abs(term.weight), term.times)


@lru_cache(maxsize=16_384)
def _of_sum(terms: tuple[WeightedNoise, ...], confidence: Fraction) -> float:
    places, inside = _distribution(terms)
    wanted = float(confidence) + _SLACK
    step = max(term.weight for term in terms)
    if all(term.weight == step for term in terms):
        # On the lattice |sum| <= t just when the smoothed sum is within t and a half.
        t = math.ceil(places[int(np.argmax(inside >= wanted))] / step - 0.5)
        least = max(0, t - 1)
        return step * next(
            k for k in range(least, t + 2) if _at(places, inside, step * (k + 0.5)) >= wanted
        )
    return float(places[int(np.argmax(inside >= wanted))]) + step / 2


def _at(places: Floats, inside: Floats, point: float) -> float:
    return float(np.interp(point, places, inside))


@lru_cache(maxsize=256)
def _distribution(terms: tuple[WeightedNoise, ...]) -> tuple[Floats, Floats]:
    """P(|smoothed sum| <= place) at evenly spaced places from 0 to the end of the range."""
    step = max(term.weight for term in terms)
    count = _FINE if all(term.weight == step for term in terms) else _COARSE
    variance = sum(term.times * term.weight**2 * term.noise.variance for term in terms)
    end = _RANGE * math.sqrt(variance) + step
    waves: Floats = np.arange(1, count, dtype=np.float64) * (math.pi / end)
    product = np.sinc(waves * step / (2 * math.pi))
    for term in terms:
        angles: Floats = waves * term.weight
        product = product * _transform(term.noise, angles) ** term.times
    parts = np.concatenate([[0.0], product * 2 / (np.arange(1, count) * math.pi)])
    # Sum of parts_j sin(pi j n / N): the imaginary part of a transform of twice the length.
    series = np.fft.ifft(parts, 2 * count).imag[: count + 1] * (2 * count)
    shares = np.arange(count + 1) / count
    inside: Floats = np.maximum.accumulate(shares + series)
    inside[-1] = max(1.0, inside[-1]) + 1
    return shares * end, inside


def _transform(noise: Noise, angles: Floats) -> Floats:
    """The characteristic function of the noise on the integers."""
    if noise.kind is NoiseKind.LAPLACE:
        found: Floats = 1 / (1 + 2 * noise.variance * np.sin(angles / 2) ** 2)
        return found
    near = np.remainder(angles + math.pi, 2 * math.pi) - math.pi
    if noise.scale >= _NARROW:
        return _dual(noise.scale, near) / _dual(noise.scale, np.zeros(1))
    return _short(noise.scale, near) / _short(noise.scale, np.zeros(1))


def _dual(sigma: float, near: Floats) -> Floats:
    """By Poisson's formula, up to a factor."""
    found: Floats = sum(
        (np.exp(-((sigma * (near + 2 * math.pi * n)) ** 2) / 2) for n in (-2, -1, 0, 1, 2)),
        np.zeros_like(near),
    )
    return found


def _short(sigma: float, near: Floats) -> Floats:
    found: Floats = sum(
        (2 * math.exp(-(k**2) / (2 * sigma**2)) * np.cos(k * near) for k in range(1, _REACH)),
        np.ones_like(near),
    )
    return found


_WAVES = 4096
# Between two places of the series the probability is a straight line to less than this.
_INTERPOLATED = 1e-6
# In standard deviations: beyond lies less than 1e-8 of the widest of these sums, a single Laplace.


def bounds_of_many(
    noise: Noise, weights: Floats, levels: Sequence[Fraction], *, times: Floats | None = None
) -> list[float]:
    """The sizes that |Σ w X| passes with probability at most 1 - level, for each of the levels.

    Several cost little more than one. With `times`, weight w stands for so many independent terms
    with that weight.
    """
    counts = np.ones_like(weights) if times is None else times
    step = float(np.max(np.abs(weights), initial=0.0)) / 2
    squares = float(np.sum(counts * weights**2))
    if noise.kind is NoiseKind.GAUSSIAN:
        deviation = noise.scale * math.sqrt(squares)
        return [deviation * NormalDist().inv_cdf(float((1 + p) / 2)) + step for p in levels]
    deviation = noise.scale * math.sqrt(2 * squares)
    if not deviation:
        return [0.0 for _ in levels]
    parts = _laplace_parts(noise.scale * weights / deviation, counts)
    return [deviation * place + step for place in _laplace_quantiles(parts, levels)]


def _laplace_parts(scales: Floats, counts: Floats) -> Floats:
    """The series of P(|sum| <= t) for continuous Laplace terms, whose sum has variance one."""
    waves = np.arange(1, _WAVES + 1) * (math.pi / _RANGE)
    logs = np.zeros(_WAVES)
    for scale, count in zip(scales.tolist(), counts.tolist(), strict=True):
        if not scale:
            continue
        logs -= count * np.log1p((scale * waves) ** 2)
    return np.asarray(np.exp(logs) * 2 / (np.arange(1, _WAVES + 1) * math.pi), dtype=np.float64)


def _laplace_quantiles(parts: Floats, levels: Sequence[Fraction]) -> list[float]:
    """Where the series reaches each level, in one transform."""
    shares = np.arange(2 * _WAVES + 1) / (2 * _WAVES)
    padded = np.concatenate([[0.0], parts])
    series = np.fft.ifft(padded, 4 * _WAVES).imag[: 2 * _WAVES + 1] * (4 * _WAVES)
    inside = np.maximum.accumulate(shares + series)
    return [
        _RANGE * float(np.interp(float(level) + _INTERPOLATED, inside, shares)) for level in levels
    ]
