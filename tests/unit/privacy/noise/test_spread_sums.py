"""The spread of sums of many noises: never too narrow, and close to the exact one."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpgov.privacy.noise.noise import Floats, Noise, NoiseKind
from dpgov.privacy.noise.spread.sums import WeightedNoise, bound, bounds
from dpgov.privacy.noise.spread.weighted import bound as bound_of_few

LEVELS = (Fraction(90, 100), Fraction(95, 100), Fraction(99, 100))
CENTS = 1.15


def chances(noise: Noise, cells: int) -> Floats:
    """The noise's own distribution on a circle of so many integers."""
    places = np.minimum(np.arange(cells), cells - np.arange(cells)).astype(np.float64)
    falls = (
        places / noise.scale
        if noise.kind is NoiseKind.LAPLACE
        else places**2 / (2 * noise.scale**2)
    )
    chance = np.exp(-falls)
    result: Floats = chance / chance.sum()
    return result


def exact_bound(noise: Noise, times: int, level: Fraction) -> int:
    """By multiplying the distribution with itself, on a circle that is far too large."""
    deviation = math.sqrt(noise.variance * times)
    cells = 1 << math.ceil(math.log2(40 * deviation + 80 * noise.scale + 64))
    summed = np.fft.irfft(np.fft.rfft(chances(noise, cells)) ** times, cells)
    half = cells // 2
    sizes = np.append(summed[:1], summed[1:half] + summed[:half:-1])
    return int(np.argmax(np.cumsum(sizes) >= float(level) - 1e-12))


@pytest.mark.parametrize("kind", NoiseKind)
@pytest.mark.parametrize("scale", [0.2, 0.5, 1, 2, 7, 40, 300])
@pytest.mark.parametrize("times", [2, 3, 10, 100, 1_000, 10_000])
def test_a_sum_of_equal_noises_is_bounded_as_exactly_as_can_be(
    kind: NoiseKind, scale: float, times: int
) -> None:
    """Never below the exact bound on the lattice, and at most one percent and a step above."""
    noise = Noise(kind, scale)
    for level in LEVELS:
        exact = exact_bound(noise, times, level)
        assert (
            exact
            <= math.floor(bound((WeightedNoise(noise, 1.0, times),), level))
            <= 1.01 * exact + 1
        )


def test_one_noise_has_its_own_bound() -> None:
    noise = Noise(NoiseKind.LAPLACE, 3.0)
    found = [bound((WeightedNoise(noise, 1.0),), level) for level in LEVELS]
    assert found == [noise.tail_bound(level) for level in LEVELS]
    assert bound((), LEVELS[0]) == 0.0


MIXED = (
    (
        WeightedNoise(Noise(NoiseKind.LAPLACE, 2.0), 0.8),
        WeightedNoise(Noise(NoiseKind.LAPLACE, 6.0), 0.2),
    ),
    (
        WeightedNoise(Noise(NoiseKind.LAPLACE, 2.0), 0.5, 9),
        WeightedNoise(Noise(NoiseKind.GAUSSIAN, 4.0), -0.5, 2),
    ),
    (
        WeightedNoise(Noise(NoiseKind.LAPLACE, 0.4), 1.0, 12),
        WeightedNoise(Noise(NoiseKind.LAPLACE, 0.4), 0.3, 12),
    ),
    (
        WeightedNoise(Noise(NoiseKind.LAPLACE, 900.0), 0.01, 4),
        WeightedNoise(Noise(NoiseKind.LAPLACE, 900.0), 0.02),
    ),
    (
        WeightedNoise(Noise(NoiseKind.GAUSSIAN, 0.5), 1.0, 40),
        WeightedNoise(Noise(NoiseKind.LAPLACE, 1.0), 0.1),
    ),
)


@pytest.mark.parametrize("terms", MIXED)
@pytest.mark.parametrize("level", LEVELS)
def test_a_sum_of_different_noises_is_covered_and_not_too_wide(
    terms: tuple[WeightedNoise, ...], level: Fraction
) -> None:
    """Against many sums, within 1.15 of the empirical quantile and half a step."""
    generator = np.random.default_rng(7)
    sums = np.zeros(150_000)
    for term in terms:
        cells = 1 << math.ceil(math.log2(80 * term.noise.scale + 64))
        at = np.searchsorted(
            np.cumsum(chances(term.noise, cells)), generator.random((term.times, len(sums)))
        )
        places = np.where(at > cells // 2, at - cells, at)
        sums += term.weight * places.sum(axis=0)
    found, sizes = bound(terms, level), np.abs(sums)
    missed = float((sizes > found + 1e-9).mean())
    assert missed <= float(1 - level) + 4 * math.sqrt(float(level * (1 - level)) / len(sums))
    step = max(abs(term.weight) for term in terms)
    assert found <= CENTS * float(np.quantile(sizes, float(level))) + step / 2


def test_rows_of_weights_are_bounded_one_by_one() -> None:
    noise, level = Noise(NoiseKind.LAPLACE, 50.0), LEVELS[1]
    weights = np.array([[1.0, -0.5], [0.0, 2.0], [0.0, 0.0]])
    found = bounds(noise, 6, weights, level)
    assert found[0] == bound((WeightedNoise(noise, 1.0, 6), WeightedNoise(noise, 0.5, 6)), level)
    assert found[1] == 2 * math.floor(bound((WeightedNoise(noise, 1.0, 6),), level))
    assert found[2] == 0.0
    assert bounds(noise, 1, weights, level)[0] == bound_of_few(noise, (1.0, -0.5), level)
