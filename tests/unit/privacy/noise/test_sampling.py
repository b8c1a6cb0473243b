"""The price of noise: OpenDP's own map never reports more than what is booked."""

import math
from fractions import Fraction
from random import Random

import pytest

from dpgov.privacy.accounting.decimals import MAX_NANO, NANO, as_fraction
from dpgov.privacy.accounting.loss import Loss, Mode, epsilon_paid_by, rho_of
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.mechanisms.draw import Draw, calibrated
from dpgov.privacy.mechanisms.extremes import Extreme
from dpgov.privacy.mechanisms.mechanism import Mechanism
from dpgov.privacy.mechanisms.quantiles import Quantiles
from dpgov.privacy.noise.noise import NoiseKind, NoiseOutOfRange
from dpgov.privacy.noise.sampling import (
    LARGEST_SCALE,
    add_noise,
    choice,
    gaussian,
    highest,
    laplace,
    loss_of,
    root_up,
    smallest_nano,
)
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import LARGEST_SUM, Neighbouring, PrivacyUnit
from tests.unit.privacy.tables import OF_NUMBERS, QUANTILES, blueprint_of, draw_of, schema_of

SEED = 6
MODES = list(Mode)


def random_statistics(random: Random) -> list[dict[str, object]]:
    every: list[dict[str, object]] = [{"statistic": "count"}, {"statistic": "count_distinct"}]
    every += [{"statistic": name, "column": "age"} for name in OF_NUMBERS]
    every.append({"statistic": "quantiles", "column": "age", "quantiles": random.choice(QUANTILES)})
    some = random.sample(every, random.randint(1, 4))
    if len(some) > 1 and random.random() < 0.3:
        some[0] = some[0] | {"share": random.choice([0.1, 0.333, 0.75])}
    return some


def random_blueprint(random: Random, mode: Mode) -> Blueprint:
    step = random.choice(["0.01", "0.5", "1", "7"])
    low = random.randint(-1000, 1000)
    high = low + random.randint(1, 10 ** random.randint(1, 6))
    lower, upper = (str(float(n * Fraction(step))) for n in (low, high))
    amount = f"{random.randint(10**6, 10 ** random.randint(7, 11)) / NANO:.9f}"
    price = "rho" if mode is Mode.ZCDP and random.random() < 0.5 else "epsilon"
    raw = {
        "statistics": random_statistics(random),
        price: amount,
        "where": random.choice([[], [{"column": "age", "op": "is_present"}]]),
        "group_by": random.choice([[], [{"column": "age", "edges": [0, 1, 2]}]]),
    }
    unit = random.choice([PrivacyUnit(), PrivacyUnit("person", random.randint(1, 9), 2)])
    schema = schema_of(
        column_spec("age", numeric_domain(lower, upper, step), "drop", ""),
        neighbouring=random.choice(list(Neighbouring)),
        group_size=random.randint(1, 20),
        unit=unit,
        mode=mode,
    )
    return blueprint_of(raw, schema)


def price_of_noise(taken: Draw) -> Fraction:
    """What OpenDP's map says of the draw, in the currency of its loss."""
    noise, measurement = calibrated(taken.reach, taken.loss)
    if noise.kind is NoiseKind.GAUSSIAN:
        return loss_of(measurement, root_up(taken.reach.l2_squared))
    epsilon = loss_of(measurement, taken.reach.l1)
    assert Fraction(taken.reach.l1) / Fraction(noise.scale) <= epsilon
    if taken.loss.mode is Mode.PURE:
        return epsilon
    return as_fraction(rho_of(math.ceil(epsilon * NANO)))


def price(mechanism: Mechanism) -> Fraction:
    """A draw's, or that of every choice that follows another."""
    if (taken := draw_of(mechanism)) is not None:
        return price_of_noise(taken)
    assert isinstance(mechanism, Quantiles | Extreme)
    if isinstance(mechanism, Extreme):
        sensitivity, paid, depth = mechanism.sensitivity, mechanism.loss, 1
    else:
        steps = mechanism.steps()
        sensitivity = max(mechanism.sensitivity(order) for order in steps)
        paid, depth = mechanism.paid(), mechanism.depth
    return depth * loss_of(choice(sensitivity, paid)[1], sensitivity)


@pytest.mark.parametrize("mode", MODES)
def test_five_hundred_random_questions_cost_at_most_what_is_booked(mode: Mode) -> None:
    """C6: the maps of all draws and choices, added as fractions, against the booked amount."""
    random, refused = Random(SEED), 0
    for _ in range(500):
        try:
            blueprint = random_blueprint(random, mode)
        except InvalidPlan as problem:
            assert "must be at least" in str(problem) or "too large" in str(problem)
            refused += 1
            continue
        prices = [price(mechanism) for mechanism in blueprint.mechanisms]
        assert sum(prices) <= as_fraction(blueprint.cost_nano)
        assert sum(m.loss.nano for m in blueprint.mechanisms) <= blueprint.cost_nano
        for mechanism, cost in zip(blueprint.mechanisms, prices, strict=True):
            assert cost <= as_fraction(mechanism.loss.nano)
    assert refused < 50


def test_the_scale_is_at_most_a_few_steps_above_the_quotient() -> None:
    """C6: searched upwards in single steps, so nothing is wasted either."""
    random = Random(SEED)
    for _ in range(300):
        sensitivity, nano = random.randint(1, 10**6), random.randint(10**6, 10**10)
        spent = nano / NANO
        pairs = [
            (laplace(sensitivity, nano)[0].scale, sensitivity / spent),
            (gaussian(sensitivity**2, nano)[0].scale, sensitivity / math.sqrt(2 * spent)),
            (choice(sensitivity, Loss(Mode.PURE, nano))[0], 2 * sensitivity / spent),
            (choice(sensitivity, Loss(Mode.ZCDP, nano))[0], sensitivity / math.sqrt(2 * spent)),
        ]
        for scale, quotient in pairs:
            assert scale == pytest.approx(quotient, rel=2**-46)


@pytest.mark.parametrize("sensitivity", [1, 2, 3, 73, 10**6, 2**48, 2**53])
def test_the_smallest_epsilon_works_and_one_nano_less_is_refused(sensitivity: int) -> None:
    """C8: at the edge of the range noise is exact; beyond it there is none."""
    least = smallest_nano(sensitivity)
    noise, measurement = laplace(sensitivity, least)
    assert noise.scale <= LARGEST_SCALE * (1 + 2**-50)
    noisy = add_noise([0] * 100, measurement)
    assert any(noisy)
    assert all(type(n) is int and abs(n) < 2**62 for n in noisy)
    with pytest.raises(NoiseOutOfRange):
        laplace(sensitivity, least - 1)


@pytest.mark.parametrize("sensitivity", [1, 73, 10**6, 2**48])
def test_the_smallest_rho_works_for_every_kind_of_noise(sensitivity: int) -> None:
    """C8: the same under zCDP, for Gaussian noise and for choices."""
    least = smallest_nano(2 * sensitivity, Mode.ZCDP)
    for measurement in (gaussian(sensitivity**2, least)[1], laplace(sensitivity, NANO)[1]):
        noisy = add_noise([0] * 100, measurement)
        assert all(type(n) is int and abs(n) < 2**62 for n in noisy)
    for mode in MODES:
        loss = Loss(mode, smallest_nano(2 * sensitivity, mode))
        assert 0 <= highest([0, -1, 5], sensitivity=sensitivity, loss=loss) < 3
        if loss.nano > 1:
            with pytest.raises(NoiseOutOfRange):
                highest([0, 1], sensitivity=sensitivity, loss=Loss(mode, loss.nano - 1))


@pytest.mark.parametrize("sensitivity", [0, -1, True, 1.0, 2**53 + 1, math.nan])
def test_an_influence_out_of_range_is_refused(sensitivity: int) -> None:
    """C8: no zero, negative or infinite scale is ever built."""
    with pytest.raises(NoiseOutOfRange):
        laplace(sensitivity, NANO)
    with pytest.raises(NoiseOutOfRange):
        highest([1], sensitivity=sensitivity, loss=Loss(Mode.PURE, NANO))


@pytest.mark.parametrize("squared", [0, -1, True, 1.0, 2**106 + 1, math.nan])
def test_a_squared_influence_out_of_range_is_refused(squared: int) -> None:
    """C8: the same for Gaussian noise."""
    with pytest.raises(NoiseOutOfRange):
        gaussian(squared, NANO)


@pytest.mark.parametrize("nano", [0, -1, True, 0.5, MAX_NANO + 1])
def test_an_amount_out_of_range_is_refused(nano: int) -> None:
    """C8: zero, negative, boolean, fractional and huge amounts."""
    for build in (laplace, gaussian):
        with pytest.raises(NoiseOutOfRange):
            build(1, nano)
    for mode in MODES:
        with pytest.raises(NoiseOutOfRange):
            choice(1, Loss(mode, nano))


@pytest.mark.parametrize("value", [LARGEST_SUM + 1, -LARGEST_SUM - 1, 2**63, 1.0, True, None])
def test_a_value_out_of_range_is_refused(value: int) -> None:
    """C8: near the limits of 64 bits draws would saturate, so they never get there."""
    with pytest.raises(NoiseOutOfRange):
        add_noise([value], laplace(1, NANO)[1])
    with pytest.raises(NoiseOutOfRange):
        highest([value], sensitivity=1, loss=Loss(Mode.PURE, NANO))


def test_the_largest_epsilon_is_exact() -> None:
    """C8: noise of a thousandth of a step still has a positive, finite scale."""
    noise, measurement = laplace(1, MAX_NANO)
    assert 0.001 <= noise.scale < 0.0010001
    assert loss_of(measurement, 1) <= 1000
    assert add_noise([5], measurement) == [5]


def test_the_largest_rho_is_exact() -> None:
    noise, measurement = gaussian(1, MAX_NANO)
    assert 0.0223 < noise.scale < 0.0224
    assert loss_of(measurement, 1.0) <= 1000
    assert add_noise([5], measurement) == [5]


@pytest.mark.parametrize("nano", [10**4, 10**6, 10**8, 10**9, 10**10])
@pytest.mark.parametrize("cells", [1, 4, 100])
def test_under_zcdp_the_noise_of_the_smaller_variance_is_bought(cells: int, nano: int) -> None:
    """Chosen from public numbers: Gaussian where many cells move, Laplace for one and much ρ."""
    schema = schema_of(mode=Mode.ZCDP, unit=PrivacyUnit("person", cells))
    raw = {"statistics": [{"statistic": "count"}], "rho": f"{nano / NANO:.9f}"}
    (mechanism,) = blueprint_of(raw, schema).mechanisms
    taken = draw_of(mechanism)
    assert taken is not None
    bought = [
        gaussian(taken.reach.l2_squared, nano)[0],
        laplace(taken.reach.l1, epsilon_paid_by(nano))[0],
    ]
    assert taken.noise == min(bought, key=lambda noise: noise.variance)
