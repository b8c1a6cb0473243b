"""Weighted sums of noises: bounds that hold, and are hardly wider than they must be."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import signal

from dpgov.privacy.noise.intervals import BernsteinSums, mean_bounds, variance_range
from dpgov.privacy.noise.noise import Noise, NoiseKind
from dpgov.privacy.noise.spread import weighted
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS

WEIGHTS = [(1.0, 1.0), (1.0, 0.5), (0.5, -0.5), (0.36, -0.24, 0.16), (1.0, 1.0, 1.0), (1.0, 0.01)]
LAPLACE, GAUSSIAN = NoiseKind.LAPLACE, NoiseKind.GAUSSIAN


def masses(noise: Noise) -> dict[int, float]:
    """P(noise = k) for every k that matters."""
    reach = math.ceil(16 * noise.scale) + 3
    if noise.kind is LAPLACE:
        weigh = {k: math.exp(-abs(k) / noise.scale) for k in range(-reach, reach + 1)}
    else:
        weigh = {k: math.exp(-k * k / (2 * noise.scale**2)) for k in range(-reach, reach + 1)}
    whole = sum(weigh.values())
    return {k: weight / whole for k, weight in weigh.items()}


def tail(noise: Noise, weights: tuple[float, ...], bound: float) -> float:
    """P(|sum| > bound), by every combination of integers."""
    found = 0.0
    for terms in product(masses(noise).items(), repeat=len(weights)):
        size = abs(sum(w * k for w, (k, _) in zip(weights, terms, strict=True)))
        found += math.prod(p for _, p in terms) if size > bound * (1 + 1e-12) else 0.0
    return found


@pytest.mark.parametrize("kind", list(NoiseKind))
@pytest.mark.parametrize("scale", [0.2, 0.6, 1.3])
@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
def test_bounds_of_coarse_noise_hold_exactly(
    weights: tuple[float, ...], scale: float, kind: NoiseKind
) -> None:
    """Where the lattice is coarse, sums jump from one value to the next."""
    noise = Noise(kind, scale)
    for level in CONFIDENCE_LEVELS:
        assert tail(noise, weights, weighted.bound(noise, weights, level)) <= float(1 - level)


def grid_tail(noise: Noise, weights: tuple[int, ...], bound: float) -> float:
    """P(|sum| > bound) for whole weights, by convolution."""
    held = masses(noise)
    one = np.array([held[k] for k in sorted(held)])
    summed = np.ones(1)
    for weight in weights:
        stretched = np.zeros((len(one) - 1) * weight + 1)
        stretched[::weight] = one
        summed = signal.fftconvolve(summed, stretched)
    places = np.arange(len(summed)) - len(summed) // 2
    return float(summed[np.abs(places) > bound].sum()) - 1e-12


@pytest.mark.parametrize("kind", list(NoiseKind))
@pytest.mark.parametrize("scale", [5.0, 31.9, 32.0, 90.0])
@pytest.mark.parametrize("weights", [(1, 1), (3, 2), (2, 4, 2), (7, 5, 3), (10, 1), (9, 9, 9)])
def test_bounds_of_finer_noise_hold_and_are_within_two_percent(
    weights: tuple[int, ...], scale: float, kind: NoiseKind
) -> None:
    noise = Noise(kind, scale)
    for level in CONFIDENCE_LEVELS:
        found = weighted.bound(noise, tuple(map(float, weights)), level)
        alpha = float(1 - level)
        assert grid_tail(noise, weights, found) <= alpha
        slack = 0.03 * found + 2 * max(weights)
        assert grid_tail(noise, weights, found - slack) > alpha


@pytest.mark.parametrize("kind", list(NoiseKind))
def test_a_single_noise_has_its_exact_bound(kind: NoiseKind) -> None:
    for scale in (0.3, 10.0, 1e6):
        noise = Noise(kind, scale)
        for level in CONFIDENCE_LEVELS:
            assert weighted.bound(noise, (0.0, 0.5), level) == 0.5 * noise.tail_bound(level)
    assert weighted.bound(Noise(kind, 40.0), (0.0, 0.0), CONFIDENCE_LEVELS[0]) == 0


def test_many_terms_are_bounded_too() -> None:
    """More terms than a closed form has: on the grid, and beyond it by the sum of their bounds."""
    noise = Noise(LAPLACE, 100.0)
    for terms in (5, 9, 40):
        found = weighted.bound(noise, (1.0,) * terms, Fraction(95, 100))
        assert 1.9 * 100 * math.sqrt(2 * terms) < found
        assert found <= terms * noise.tail_bound(1 - Fraction(5, 100 * terms))


@pytest.mark.parametrize("level", CONFIDENCE_LEVELS)
@pytest.mark.parametrize("scale", [1.5, 31.0, 500.0])
@pytest.mark.parametrize("kind", list(NoiseKind))
def test_a_mean_in_the_middle_is_bounded_better_than_one_at_its_bound(
    kind: NoiseKind, scale: float, level: Fraction
) -> None:
    """In the middle the noise of the count does not matter."""
    sums = BernsteinSums(Noise(kind, scale), degree=1, whole=10)
    middle, side = mean_bounds(sums, level, np.array([0.0, 0.4]), np.array([1e4, 1e4]))
    assert 0 < middle < side


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("count", [0.0, 0.99, -1.0, -50.0])
def test_a_noisy_count_below_one_leaves_only_the_declared_bounds(count: float, degree: int) -> None:
    """Whatever the noise, a mean over what looks like no rows may lie at the farther bound."""
    sums = BernsteinSums(Noise(LAPLACE, 0.1), degree=degree, whole=73)
    level, place, counts = CONFIDENCE_LEVELS[0], np.array([0.2]), np.array([count])
    assert mean_bounds(sums, level, place, counts).tolist() == [0.7]
    if degree == 2:
        low, high = variance_range(sums, level, place, np.array([0.1]), counts)
        assert (low.tolist(), high.tolist()) == ([0.0], [0.25])


@pytest.mark.parametrize("level", CONFIDENCE_LEVELS)
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("kind", list(NoiseKind))
def test_the_bound_of_a_mean_is_the_distance_to_the_farthest_plausible_one(
    kind: NoiseKind, degree: int, level: Fraction
) -> None:
    """Found by trying: on both sides, up to the declared bounds; and hardly wider than that."""
    sums = BernsteinSums(Noise(kind, 20_000.0), degree, whole=20_000)
    means, rows = map(np.ravel, np.meshgrid(np.linspace(-0.5, 0.5, 21), [1.0, 4.5, 30.0, 2e4]))
    tried = np.linspace(-0.5, 0.5, 4001)
    quantiles = sums.quantiles(-(0.5 + tried), -tried, 0.5 - tried, level)
    apart = np.abs(tried - means[:, None])
    farthest = np.where(apart * rows[:, None] <= quantiles, apart, 0).max(axis=1)
    found = mean_bounds(sums, level, means, rows)
    assert (found >= farthest).all()
    assert (found <= 1.01 * farthest + 2 * (tried[1] - tried[0])).all()


def test_bounds_of_many_means_are_those_of_each_alone() -> None:
    """However many are looked at together."""
    sums = BernsteinSums(Noise(LAPLACE, 3000.0), degree=1, whole=2000)
    level, means = CONFIDENCE_LEVELS[1], np.linspace(-0.5, 0.5, 999)
    rows = np.geomspace(0.5, 1e6, 999)
    alone = [mean_bounds(sums, level, means[at : at + 1], rows[at : at + 1]) for at in range(999)]
    assert mean_bounds(sums, level, means, rows).tolist() == np.concatenate(alone).tolist()
