"""Lower bounds on a privacy loss: exact, and sharp enough to see noise that is too small."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dpgov.privacy.noise.binomial import at_least, at_most
from dpgov.privacy.noise.lower_bound import (
    TooFewAnswers,
    epsilon_bound,
    lower_bound_of_epsilon,
    lower_bound_of_rho,
    rho_bound,
)
from dpgov.privacy.noise.sampling import gaussian_of, laplace_of

ALPHA = 1e-6
ANSWERS = 12_000
Floats = NDArray[np.float64]


@pytest.mark.parametrize(
    ("hits", "trials"), [(1, 1), (7, 50), (49, 50), (3, 9_000), (4_000, 9_000)]
)
@pytest.mark.parametrize("alpha", [0.05, ALPHA])
def test_bounds_of_a_probability_are_those_of_clopper_and_pearson(
    hits: int, trials: int, alpha: float
) -> None:
    low = stats.beta.ppf(alpha, hits, trials - hits + 1)
    assert at_least(hits, trials, alpha) == pytest.approx(low, rel=1e-8)
    misses = trials - hits
    assert at_most(misses, trials, alpha) == pytest.approx(1 - low, rel=1e-8)


def test_what_never_happened_may_still_be_possible() -> None:
    assert at_least(0, 50, ALPHA) == 0
    assert at_most(50, 50, ALPHA) == 1
    assert at_most(0, 50, 0.05) == pytest.approx(1 - 0.05 ** (1 / 50))


def test_an_event_bounds_epsilon_from_below_less_by_delta() -> None:
    whole = epsilon_bound(900, 100, 1_000, alpha=0.05)
    assert 1.8 < whole < math.log(9)
    assert 0 < epsilon_bound(900, 100, 1_000, alpha=0.05, delta=0.1) < whole
    assert epsilon_bound(100, 900, 1_000, alpha=0.05) == 0
    assert epsilon_bound(1, 0, 1_000, alpha=0.05, delta=0.5) == 0


def test_scores_bound_rho_from_below_by_the_divergence() -> None:
    """Two coins of 0.9 and 0.5: their Kullback-Leibler divergence is 0.368."""
    likely, unlikely = math.log(0.9 / 0.5), math.log(0.1 / 0.5)
    own = np.array([likely] * 9_000 + [unlikely] * 1_000)
    other = np.array([likely] * 5_000 + [unlikely] * 5_000)
    assert 0.25 < rho_bound(own, other, 1.7, alpha=ALPHA) < 0.368
    assert rho_bound(other, other, 1.7, alpha=ALPHA) == 0


def answers(scale: float, exact: list[int], *, gaussian: bool = False) -> Floats:
    """Of several numbers each, with this noise."""
    noisy = (gaussian_of if gaussian else laplace_of)(scale)(exact * ANSWERS)
    return np.array(noisy, dtype=np.float64).reshape(ANSWERS, len(exact))


@pytest.mark.parametrize(("reach", "scale"), [(1, 0.5), (100, 50.0)])
def test_a_bound_on_epsilon_stays_below_the_truth_and_catches_less_noise(
    reach: int, scale: float
) -> None:
    """C1: ε = 2; the control has noise that is 1.8 times smaller, which no luck can hide."""
    for weaker, (least, most) in {1.0: (1.0, 2.0), 1.8: (2.0, 3.6)}.items():
        pair = (answers(scale / weaker, [5 + moved, 7]) for moved in (0, reach))
        assert least < lower_bound_of_epsilon(*pair, alpha=ALPHA) <= most


def test_a_bound_on_rho_stays_below_the_truth_and_catches_less_noise() -> None:
    """C1: ρ = 0.5; the control has noise that is 1.5 times smaller."""
    for weaker, (least, most) in {1.0: (0.2, 0.5), 1.5: (0.5, 1.125)}.items():
        pair = (answers(10 / weaker, [5 + moved], gaussian=True) for moved in (0, 10))
        assert least < lower_bound_of_rho(*pair, alpha=ALPHA) <= most


def test_equal_tables_are_not_told_apart() -> None:
    first, second = answers(2.0, [5, 7]), answers(2.0, [5, 7])
    assert lower_bound_of_epsilon(first, second, alpha=ALPHA) < 0.05
    assert lower_bound_of_rho(first, second, alpha=ALPHA) == 0


def test_answers_that_are_not_alike_in_number_or_too_few_are_refused() -> None:
    with pytest.raises(TooFewAnswers):
        lower_bound_of_epsilon(np.zeros((9, 1)), np.zeros((9, 1)), alpha=ALPHA)
    with pytest.raises(TooFewAnswers):
        lower_bound_of_rho(np.zeros((99, 1)), np.zeros((98, 1)), alpha=ALPHA)
