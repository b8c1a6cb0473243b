"""The price of noise: OpenDP's own map never reports more than what is booked."""

import math
from fractions import Fraction
from random import Random

import pytest

from dpgov.privacy.blueprint import Blueprint
from dpgov.privacy.budget import MAX_NANO, NANO, as_fraction
from dpgov.privacy.domains import column_spec, numeric_domain
from dpgov.privacy.sampling import (
    LARGEST_SCALE,
    NoiseOutOfRange,
    add_laplace,
    calibrated,
    loss_of,
    noise_scale,
    smallest_nano,
)
from dpgov.privacy.schema import LARGEST_SUM, Neighbouring
from tests.unit.privacy.tables import COUNT, MEAN_AGE, SUM_AGE, blueprint_of, question, schema_of

SEED = 6


def random_blueprint(choice: Random) -> Blueprint:
    step = choice.choice(["0.01", "0.5", "1", "7"])
    low = choice.randint(-1000, 1000)
    high = low + choice.randint(1, 10 ** choice.randint(1, 6))
    width = Fraction(step)
    domain = numeric_domain(*(str(float(n * width)) for n in (low, high)), step)
    raw = question(
        *choice.sample([COUNT, MEAN_AGE, SUM_AGE], choice.randint(1, 3)),
        epsilon=f"{choice.randint(1_000, 10 ** choice.randint(4, 11)) / NANO:.9f}",
        where=choice.choice([[], [{"column": "age", "op": "is_present"}]]),
        group_by=choice.choice([[], [{"column": "age", "edges": [0, 1, 2]}]]),
    )
    relation = choice.choice(list(Neighbouring))
    group = choice.randint(1, 20)
    schema = schema_of(
        column_spec("age", domain, "drop", ""), neighbouring=relation, group_size=group
    )
    return blueprint_of(raw, schema)


def test_a_thousand_random_questions_cost_at_most_what_is_booked() -> None:
    """C6: the maps of all parts, added as fractions, against the booked ε."""
    choice = Random(SEED)
    for _ in range(1_000):
        blueprint = random_blueprint(choice)
        parts = [part for mechanism in blueprint.mechanisms for part in mechanism.parts]
        losses = [loss_of(calibrated(p.sensitivity, p.nano)[1], p.sensitivity) for p in parts]
        assert sum(losses) <= as_fraction(blueprint.cost_nano)
        assert sum(part.nano for part in parts) <= blueprint.cost_nano
        for part, loss in zip(parts, losses, strict=True):
            assert loss <= as_fraction(part.nano)
            assert Fraction(part.sensitivity) / Fraction(part.scale) <= as_fraction(part.nano)


def test_the_scale_is_at_most_a_few_steps_above_the_quotient() -> None:
    """C6: searched upwards in single steps, so nothing is wasted either."""
    choice = Random(SEED)
    for _ in range(300):
        sensitivity = choice.randint(1, 10**6)
        nano = choice.randint(10**6, 10**10)
        scale, quotient = noise_scale(sensitivity, nano), sensitivity * NANO / nano
        assert quotient <= scale or math.isclose(quotient, scale, rel_tol=2**-52)
        assert scale <= quotient * (1 + 2**-48)


@pytest.mark.parametrize("sensitivity", [1, 2, 3, 73, 10**6, 2**48, 2**53])
def test_the_smallest_epsilon_works_and_one_nano_less_is_refused(sensitivity: int) -> None:
    """C8: at the edge of the range noise is exact; beyond it there is none."""
    least = smallest_nano(sensitivity)
    assert noise_scale(sensitivity, least) <= LARGEST_SCALE * (1 + 2**-50)
    noisy = add_laplace([0] * 100, sensitivity=sensitivity, nano=least)
    assert any(noisy)
    assert all(type(n) is int and abs(n) < 2**62 for n in noisy)
    with pytest.raises(NoiseOutOfRange):
        noise_scale(sensitivity, least - 1)


@pytest.mark.parametrize("sensitivity", [0, -1, True, 1.0, 2**53 + 1, math.nan])
def test_an_influence_out_of_range_is_refused(sensitivity: int) -> None:
    """C8: no zero, negative or infinite scale is ever built."""
    with pytest.raises(NoiseOutOfRange):
        add_laplace([1], sensitivity=sensitivity, nano=NANO)


@pytest.mark.parametrize("nano", [0, -1, True, 0.5, MAX_NANO + 1])
def test_an_epsilon_out_of_range_is_refused(nano: int) -> None:
    """C8: zero, negative, boolean, fractional and huge ε."""
    with pytest.raises(NoiseOutOfRange):
        add_laplace([1], sensitivity=1, nano=nano)


@pytest.mark.parametrize("value", [LARGEST_SUM + 1, -LARGEST_SUM - 1, 2**63, 1.0, True, None])
def test_a_value_out_of_range_is_refused(value: int) -> None:
    """C8: near the limits of 64 bits draws would saturate, so they never get there."""
    with pytest.raises(NoiseOutOfRange):
        add_laplace([value], sensitivity=1, nano=NANO)


def test_the_largest_epsilon_is_exact() -> None:
    """C8: noise of a thousandth of a step still has a positive, finite scale."""
    assert 0.001 <= noise_scale(1, MAX_NANO) < 0.0010001
    assert loss_of(calibrated(1, MAX_NANO)[1], 1) <= 1000
    assert add_laplace([5], sensitivity=1, nano=MAX_NANO) == [5]
