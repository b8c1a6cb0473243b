"""Error bounds of single noisy numbers are exact: the smallest that hold."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest

from dpgov.privacy.accuracy import CONFIDENCE_LEVELS, statement, tail_bound
from dpgov.privacy.ratio import RatioNoise, error_bounds, quantile_table

SCALES = [0.001, 0.05, 0.3, 1.0, 2.5, 10.0, 333.3, 1e6, 2.0**48]


def tail(scale: float, bound: int) -> Decimal:
    """P(|noise| > bound) = 2 p^(bound + 1) / (1 + p), in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        decay = 1 / Decimal(scale)
        return 2 * (-decay * (bound + 1)).exp() / (1 + (-decay).exp())


@pytest.mark.parametrize("level", CONFIDENCE_LEVELS)
@pytest.mark.parametrize("scale", SCALES)
def test_a_bound_holds_and_one_step_less_does_not(scale: float, level: Fraction) -> None:
    bound = tail_bound(scale, level)
    alpha = Decimal((1 - level).numerator) / (1 - level).denominator
    assert tail(scale, bound) <= alpha
    assert bound == 0 or tail(scale, bound - 1) > alpha


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.5, 10.0, 333.3])
def test_a_bound_agrees_with_opendp(scale: float) -> None:
    """OpenDP states the first error that is too unlikely; ours is the last that is not."""
    for level in CONFIDENCE_LEVELS:
        theirs = dp.discrete_laplacian_scale_to_accuracy(scale=scale, alpha=float(1 - level))
        assert tail_bound(scale, level) in (math.floor(theirs), math.ceil(theirs) - 1)


@pytest.mark.parametrize("level", CONFIDENCE_LEVELS)
@pytest.mark.parametrize("sum_scale", [1.5, 15.9, 16.1, 500.0])
def test_a_mean_in_the_middle_is_bounded_by_the_sum_alone(
    sum_scale: float, level: Fraction
) -> None:
    """At the middle of the bounds the noise of the count does not matter."""
    noise = RatioNoise(sum_scale, sum_scale / 5, reach=10)
    _, quantiles = quantile_table(noise, level)
    alone = tail_bound(sum_scale, level)
    assert alone - 1e-6 <= quantiles[0] <= 1.12 * alone + 1


@pytest.mark.parametrize("level", CONFIDENCE_LEVELS)
@pytest.mark.parametrize("sum_scale", [1.5, 15.9, 16.1, 500.0])
def test_a_mean_at_a_bound_is_better_than_adding_both_bounds(
    sum_scale: float, level: Fraction
) -> None:
    noise = RatioNoise(sum_scale, sum_scale / 5, reach=10)
    nodes, quantiles = quantile_table(noise, level)
    half = (1 + level) / 2
    union = tail_bound(sum_scale, half) + 10 * tail_bound(sum_scale / 5, half)
    assert nodes[-1] == 10
    assert quantiles[0] < quantiles[-1] < union + 1


@pytest.mark.parametrize("count", [0.0, -1.0, -50.0])
def test_a_noisy_count_below_one_leaves_only_the_declared_bounds(count: float) -> None:
    """Whatever the noise, a mean over what looks like no rows may lie at the farther bound."""
    noise = RatioNoise(0.1, 0.1, reach=73)
    bounds = error_bounds(noise, CONFIDENCE_LEVELS[0], np.array([20.0]), np.array([count]))
    assert bounds.tolist() == [93.0]


def test_a_statement_says_its_bound_in_words() -> None:
    assert statement(Fraction(95, 100), 1.5) == {
        "confidence_level": 0.95,
        "value": 1.5,
        "message": "With 95 % confidence the error is at most 1.5.",
    }
