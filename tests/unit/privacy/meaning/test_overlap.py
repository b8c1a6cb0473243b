"""Two noises side by side: exact against scipy and closed forms."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from dpgov.privacy.meaning.overlap import Overlap
from dpgov.privacy.noise.noise import Noise, NoiseKind

LAPLACE, GAUSSIAN = NoiseKind.LAPLACE, NoiseKind.GAUSSIAN


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 3.0])
def test_a_count_is_guessed_as_often_as_epsilon_allows(epsilon: float) -> None:
    """The bound e^ε/(1 + e^ε) is attained by discrete Laplace noise for a shift of one step."""
    found = Overlap(Noise(LAPLACE, 1 / epsilon), 1).best_guess
    assert found >= 1 / (1 + math.exp(-epsilon))
    assert found == pytest.approx(1 / (1 + math.exp(-epsilon)), abs=2e-6)


@pytest.mark.parametrize("shift", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("scale", [0.7, 5.0, 60.0])
def test_no_event_tells_the_two_apart_better(shift: int, scale: float) -> None:
    """The best guess takes, at every value, whichever is likelier."""
    places = np.arange(-4000, 4000 + shift)
    noise = stats.dlaplace(1 / scale)
    likelier = np.maximum(noise.pmf(places), noise.pmf(places - shift)).sum() / 2
    found = Overlap(Noise(LAPLACE, scale), shift).best_guess
    assert likelier <= found <= likelier + 3e-6


@pytest.mark.parametrize(("sigma", "shift"), [(1.0, 1), (10.0, 4), (5000.0, 5000)])
def test_gaussian_noise_is_guessed_by_the_nearer_middle(sigma: float, shift: int) -> None:
    reach = int(12 * sigma) + shift
    places = np.arange(-reach, reach + shift)
    weights = np.exp(-(places**2) / (2 * sigma**2))
    moved = np.exp(-((places - shift) ** 2.0) / (2 * sigma**2))
    likelier = np.maximum(weights, moved).sum() / weights.sum() / 2
    found = Overlap(Noise(GAUSSIAN, sigma), shift).best_guess
    assert likelier <= found <= likelier + 3e-6


@pytest.mark.parametrize(
    ("kind", "scale", "shift"),
    [(LAPLACE, 2.0, 1), (LAPLACE, 9000.0, 120_000), (GAUSSIAN, 3.0, 2), (GAUSSIAN, 4000.0, 10)],
)
def test_the_bins_hold_nearly_all_of_both(kind: NoiseKind, scale: float, shift: int) -> None:
    bins = Overlap(Noise(kind, scale), shift).bins()
    assert 2 <= len(bins) <= 121
    assert 0.999 - 1e-6 <= sum(b.without for b in bins) <= 1 + 1e-9
    assert 0.999 - 1e-6 <= sum(b.within for b in bins) <= 1 + 1e-9
    assert all(a.last + 1 == b.first for a, b in pairwise(bins))


def test_small_bins_are_single_values_with_their_exact_probability() -> None:
    noise = stats.dlaplace(1.0)
    for one in Overlap(Noise(LAPLACE, 1.0), 1).bins():
        assert one.first == one.last
        assert one.without == pytest.approx(noise.pmf(one.first), abs=1e-12)
        assert one.within == pytest.approx(noise.pmf(one.first - 1), abs=1e-12)


def test_nobody_moves_an_answer_by_nothing() -> None:
    with pytest.raises(ValueError, match="at least one step"):
        Overlap(Noise(LAPLACE, 1.0), 0)
