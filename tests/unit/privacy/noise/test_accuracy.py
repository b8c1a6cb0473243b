"""Error bounds of single noisy numbers are exact: the smallest that hold."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import opendp.prelude as dp
import pytest

from dpgov.privacy.noise.noise import Noise, NoiseKind, rank_statement, statement
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS

SCALES = [0.001, 0.05, 0.3, 1.0, 2.5, 10.0, 333.3, 1e6, 2.0**48]
SUMMED = [0.2, 0.7, 1.0, 2.5, 10.0, 333.3]


def laplace(scale: float) -> Noise:
    return Noise(NoiseKind.LAPLACE, scale)


def tail(scale: float, bound: int) -> Decimal:
    """P(|noise| > bound) = 2 p^(bound + 1) / (1 + p), in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        decay = 1 / Decimal(scale)
        return 2 * (-decay * (bound + 1)).exp() / (1 + (-decay).exp())


def gaussian_tail(sigma: float, bound: int) -> Decimal:
    """P(|noise| > bound) of the discrete Gaussian, every term added up in 40 digits."""
    with localcontext() as context:
        context.prec = 40
        width = 2 * Decimal(sigma) ** 2
        weights = [(-Decimal(k * k) / width).exp() for k in range(math.ceil(14 * sigma) + 2)]
        nothing = Decimal(0)
        return 2 * sum(weights[bound + 1 :], nothing) / (2 * sum(weights, nothing) - 1)


@pytest.mark.parametrize("level", CONFIDENCE_LEVELS)
@pytest.mark.parametrize("scale", SCALES)
def test_a_laplace_bound_holds_and_one_step_less_does_not(scale: float, level: Fraction) -> None:
    bound = laplace(scale).tail_bound(level)
    alpha = Decimal((1 - level).numerator) / (1 - level).denominator
    assert tail(scale, bound) <= alpha
    assert bound == 0 or tail(scale, bound - 1) > alpha


@pytest.mark.parametrize("level", CONFIDENCE_LEVELS)
@pytest.mark.parametrize("sigma", SUMMED)
def test_a_gaussian_bound_holds_and_one_step_less_does_not(sigma: float, level: Fraction) -> None:
    bound = Noise(NoiseKind.GAUSSIAN, sigma).tail_bound(level)
    alpha = Decimal((1 - level).numerator) / (1 - level).denominator
    assert gaussian_tail(sigma, bound) <= alpha
    assert bound == 0 or gaussian_tail(sigma, bound - 1) > alpha


@pytest.mark.parametrize("level", CONFIDENCE_LEVELS)
@pytest.mark.parametrize("sigma", [1500.0, 1e6, 2.0**40])
def test_a_wide_gaussian_bound_is_that_of_the_bell_curve(sigma: float, level: Fraction) -> None:
    bound = Noise(NoiseKind.GAUSSIAN, sigma).tail_bound(level)
    alpha = float(1 - level)
    assert math.erfc((bound + 0.5) / sigma / math.sqrt(2)) <= alpha
    less = bound * (1 - 1e-8) - 1.5
    assert math.erfc(less / sigma / math.sqrt(2)) > alpha


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.5, 10.0, 333.3])
def test_a_laplace_bound_agrees_with_opendp(scale: float) -> None:
    """OpenDP states the first error that is too unlikely; ours is the last that is not."""
    for level in CONFIDENCE_LEVELS:
        theirs = dp.discrete_laplacian_scale_to_accuracy(scale=scale, alpha=float(1 - level))
        assert laplace(scale).tail_bound(level) in (math.floor(theirs), math.ceil(theirs) - 1)


@pytest.mark.parametrize("scale", [0.7, 2.5, 10.0, 333.3])
def test_a_gaussian_bound_agrees_with_opendp(scale: float) -> None:
    for level in CONFIDENCE_LEVELS:
        theirs = dp.discrete_gaussian_scale_to_accuracy(scale=scale, alpha=float(1 - level))
        ours = Noise(NoiseKind.GAUSSIAN, scale).tail_bound(level)
        assert ours in (math.floor(theirs), math.ceil(theirs) - 1)


@pytest.mark.parametrize("scale", [0.05, 0.3, 1.0, 10.0, 333.3])
def test_the_variance_of_noise_is_what_its_probabilities_add_up_to(scale: float) -> None:
    decay = math.exp(-1 / scale)
    masses = [(1 - decay) / (1 + decay) * decay**k for k in range(math.ceil(60 * scale) + 3)]
    assert laplace(scale).variance == pytest.approx(
        2 * sum(k * k * mass for k, mass in enumerate(masses))
    )


def test_a_statement_says_its_bound_in_words() -> None:
    assert statement(Fraction(95, 100), 1.5) == {
        "confidence_level": 0.95,
        "value": 1.5,
        "message": "With 95% confidence the error is at most 1.5.",
    }


def test_a_statement_about_ranks_counts_rows_and_says_which_it_leaves_out() -> None:
    found = rank_statement(Fraction(90, 100), 20, spacing=5, share=(2, 16))
    assert (found["value"], found["rank_error"]) == (None, 20)
    assert found["not_counted"] == {"spacing": 5, "share": 0.125}
    assert found["message"] == (
        "With 90% confidence at most 20 rows lie between this value and the true one, "
        "not counting rows within 5 of either or 2 in 16 of the rows that share one value."
    )
    assert "not_counted" not in rank_statement(Fraction(90, 100), 20)
