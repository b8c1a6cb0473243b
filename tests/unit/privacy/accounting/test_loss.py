"""F1: losses and their conversions against exact values, dp-accounting and OpenDP."""

import math
from collections.abc import Sequence
from decimal import Decimal
from random import Random

import numpy as np
import opendp.prelude as dp
import pytest
from dp_accounting import rdp
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from dpgov.privacy.accounting.decimals import MAX_NANO, NANO, InvalidAmount
from dpgov.privacy.accounting.loss import (
    PURE,
    Currency,
    InvalidDelta,
    Loss,
    Mode,
    epsilon_at,
    epsilon_paid_by,
    parse_delta,
    rho_limit,
    rho_of,
)

SEED = 20_261_121
MIXES = 500
DELTAS = ["1e-5", "1e-6", "1e-9"]


def divergence(epsilon: float, order: float) -> float:
    """Rényi divergence of randomised response: the worst that any ε-DP mechanism can have."""
    logs = np.array([epsilon, 0.0]) - np.logaddexp(epsilon, 0.0)
    return float(np.logaddexp(*(order * logs + (1 - order) * logs[::-1])) / (order - 1))


@pytest.mark.parametrize("epsilon", [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 20, 300])
def test_rho_of_a_pure_epsilon_is_never_below_the_worst_case_and_hardly_above(
    epsilon: float,
) -> None:
    """F1: at every order, D_a <= a ρ; near order one it is attained."""
    rho = rho_of(round(epsilon * NANO)) / NANO
    orders = 1 + np.logspace(-2, 4, 400)
    worst = max(divergence(epsilon, a) / a for a in orders)
    assert worst <= rho * (1 + 1e-8)
    assert rho <= 1.02 * worst + 1 / NANO
    assert rho <= epsilon**2 / 2 + 1 / NANO


def test_an_epsilon_that_a_rho_pays_for_is_the_largest_one() -> None:
    random = Random(SEED)
    for _ in range(200):
        rho = random.randint(1, 10 ** random.randint(1, 12))
        epsilon = epsilon_paid_by(rho)
        assert epsilon == 0 or rho_of(epsilon) <= rho
        assert epsilon == MAX_NANO or rho_of(epsilon + 1) > rho


@pytest.mark.parametrize(
    ("epsilon", "rho"), [(1, 0.024356), (3, 0.185070), (5, 0.463065), (10, 1.539279)]
)
def test_the_limit_of_rho_for_well_known_guarantees(epsilon: int, rho: float) -> None:
    """F1: at δ = 1e-6."""
    found = rho_limit(epsilon * NANO, Decimal("1e-6"))
    assert found / NANO == pytest.approx(rho, abs=1e-6)
    assert epsilon_at(found, Decimal("1e-6")) <= epsilon * NANO
    assert epsilon_at(found + 1, Decimal("1e-6")) > epsilon * NANO


def tight(rho: float, delta: float) -> float:
    """dp-accounting's conversion from Rényi divergences, at orders around the best one."""
    best = 1 + math.sqrt(math.log(1 / delta) / rho)
    orders = np.unique(1 + (best - 1) * np.linspace(0.5, 1.5, 2001))
    return float(rdp.compute_epsilon(orders, rho * orders, delta)[0])


def random_mix(random: Random) -> list[int]:
    """The ρ of up to 30 answers, each of discrete Laplace or Gaussian noise."""
    return [
        rho_of(random.randint(10**6, 5 * 10**8))
        if random.random() < 0.5
        else random.randint(10**3, 10**8)
        for _ in range(random.randint(1, 30))
    ]


def test_five_hundred_mixes_agree_with_dp_accounting() -> None:
    """F1: never below the formula, and at most 1.02 times it."""
    random = Random(SEED)
    for _ in range(MIXES):
        rho, delta = sum(random_mix(random)), random.choice(DELTAS)
        ours, theirs = epsilon_at(rho, Decimal(delta)) / NANO, tight(rho / NANO, float(delta))
        assert theirs * (1 - 1e-6) <= ours <= 1.02 * theirs + 1e-8


def test_five_hundred_mixes_agree_with_opendp() -> None:
    """F1: its privacy profile of one Gaussian with the same ρ."""
    dp.enable_features("contrib")
    space = dp.atom_domain(T=int), dp.absolute_distance(T=float)
    random = Random(SEED + 1)
    for _ in range(MIXES):
        rho, delta = sum(random_mix(random)), random.choice(DELTAS)
        scale = math.sqrt(NANO / (2 * rho))
        measurement = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale))
        theirs = measurement.map(1.0).epsilon(float(delta))
        ours = epsilon_at(rho, Decimal(delta)) / NANO
        assert theirs * (1 - 1e-6) <= ours <= 1.02 * theirs + 1e-8


def exact_epsilon(rho: float, delta: float) -> float:
    """The exact ε of continuous Gaussian noise with this ρ, by halving (Balle and Wang, 2018)."""
    mu, (low, high) = math.sqrt(2 * rho), (0.0, 200.0)
    for _ in range(60):
        middle = (low + high) / 2
        first = special.ndtr(mu / 2 - middle / mu)
        second = special.log_ndtr(-mu / 2 - middle / mu)
        low, high = (low, middle) if first - math.exp(middle + second) <= delta else (middle, high)
    return high


def test_the_booked_epsilon_is_never_below_that_of_gaussian_noise() -> None:
    """F1: the exact loss, for 500 totals."""
    random = Random(SEED + 2)
    for _ in range(MIXES):
        rho, delta = sum(random_mix(random)), random.choice(DELTAS)
        assert epsilon_at(rho, Decimal(delta)) / NANO >= exact_epsilon(rho / NANO, float(delta))


def exact_of_mix(laplaces: Sequence[float], sigmas: Sequence[float], delta: float) -> float:
    """The ε of several noises together, from their exact privacy loss distributions."""
    parts = [
        pld.from_discrete_laplace_mechanism(e, value_discretization_interval=1e-3) for e in laplaces
    ] + [
        pld.from_discrete_gaussian_mechanism(s, value_discretization_interval=1e-3) for s in sigmas
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.compose(part)
    return float(whole.get_epsilon_for_delta(delta))


def test_the_booked_epsilon_is_never_below_the_exact_loss_of_a_mix() -> None:
    """F1: discrete Laplace and discrete Gaussian noise on counts, composed exactly."""
    random = Random(SEED + 3)
    for _ in range(12):
        laplaces = [random.uniform(0.1, 0.8) for _ in range(random.randint(1, 3))]
        sigmas = [random.uniform(2, 12) for _ in range(random.randint(1, 3))]
        rhos = [rho_of(math.ceil(e * NANO)) for e in laplaces]
        rhos += [math.ceil(NANO / (2 * s * s)) for s in sigmas]
        for delta in DELTAS[:2]:
            ours = epsilon_at(sum(rhos), Decimal(delta)) / NANO
            assert ours >= exact_of_mix(laplaces, sigmas, float(delta)) - 2e-3 * len(rhos)


def test_a_limit_and_its_epsilon_are_each_others_inverse() -> None:
    random = Random(SEED)
    for _ in range(60):
        epsilon, delta = random.randint(10**7, 20 * NANO), Decimal(random.choice(DELTAS))
        limit = rho_limit(epsilon, delta)
        assert epsilon_at(limit, delta) <= epsilon < epsilon_at(limit + 1, delta)


def test_no_loss_is_no_epsilon_and_more_is_never_less() -> None:
    delta = Decimal("1e-6")
    assert epsilon_at(0, delta) == 0
    found = [epsilon_at(rho, delta) for rho in (1, 10, 10**3, 10**6, 10**9, 10**11)]
    assert found == sorted(found)
    assert rho_limit(0, delta) == 0


@pytest.mark.parametrize("loss", [Loss(Mode.PURE, 10**9), Loss(Mode.ZCDP, 999_999_999)])
def test_parts_of_a_loss_never_add_up_to_more(loss: Loss) -> None:
    for parts in (3, 7, 11):
        assert sum(loss.part(1, parts).nano for _ in range(parts)) <= loss.nano
        assert loss.part(1, parts).nano >= loss.nano // parts - 1


@pytest.mark.parametrize("text", ["1e-6", "0.000001", " 1E-6 ", Decimal("1e-6")])
def test_a_delta_is_read_exactly(text: object) -> None:
    assert parse_delta(text) == Decimal("0.000001")


@pytest.mark.parametrize(
    "wrong", ["", "0", "-1e-6", "0.2", "1e-31", "nan", "inf", "x", True, None, "٠.٠٠١", "1" * 50]
)
def test_what_is_no_delta_is_refused(wrong: object) -> None:
    """C8, D4: NaN, infinities, booleans, other scripts and anything out of range."""
    with pytest.raises(InvalidDelta):
        parse_delta(wrong)


RHO = Currency(Mode.ZCDP, Decimal("1e-6"))
_EPSILONS = st.integers(min_value=1_000, max_value=20 * NANO)


def test_pure_amounts_are_what_they_are() -> None:
    for amount in (1, NANO, 17 * NANO):
        assert PURE.limit_of(amount) == PURE.price_of(amount) == amount
        assert PURE.question(amount) == PURE.together(amount) == amount
    assert PURE.target_of(NANO) is None


@pytest.mark.parametrize("mode", [Mode.PURE, Mode.ZCDP])
def test_a_delta_belongs_to_zcdp_and_to_zcdp_only(mode: Mode) -> None:
    with pytest.raises(ValueError, match="δ"):
        Currency(mode, Decimal("1e-6") if mode is Mode.PURE else None)


@given(_EPSILONS)
def test_what_fits_one_question_never_costs_more_than_there_is(epsilon: int) -> None:
    """F1: rounded down to four digits, and worth at least that."""
    price = RHO.price_of(epsilon)
    assert RHO.price_of(RHO.question(price)) <= price if RHO.question(price) else True
    assert RHO.question(price) >= epsilon * 0.999 - 1e6


@given(st.integers(min_value=1, max_value=NANO))
def test_what_everything_amounts_to_is_never_understated(rho: int) -> None:
    """F1: rounded up to four digits."""
    exact = epsilon_at(rho, Decimal("1e-6"))
    assert exact <= RHO.together(rho) <= exact * 1.001 + 1


def test_a_limit_that_leaves_no_room_for_anything_is_refused() -> None:
    with pytest.raises(InvalidAmount, match="too small"):
        Currency(Mode.ZCDP, Decimal("1e-30")).limit_of(1)


def test_ten_times_as_many_small_questions_fit_as_under_plain_addition() -> None:
    """F2: ε 0.01 each under (3, 1e-6): 3701, where the plain sum has room for 300."""
    many = RHO.limit_of(3 * NANO) // RHO.price_of(NANO // 100)
    few = PURE.limit_of(3 * NANO) // PURE.price_of(NANO // 100)
    assert (many, few) == (3701, 300)


@pytest.mark.parametrize(("epsilon", "hundredths"), [(3, 12), (10, 31)])
def test_larger_questions_fit_no_more_often_than_under_plain_addition(
    epsilon: int, hundredths: int
) -> None:
    """Of ε 0.11 more fit under (3, 1e-6) than under ε 3, of ε 0.12 or more never."""

    def fit(currency: Currency, each: int) -> int:
        return currency.limit_of(epsilon * NANO) // currency.price_of(each * NANO // 100)

    more = [each for each in range(1, 400) if fit(RHO, each) > fit(PURE, each)]
    assert more == list(range(1, hundredths))


@pytest.mark.parametrize(
    ("epsilon", "rho"),
    [(1, 0.024356), (3, 0.185070), (5, 0.463065), (10, 1.539279)],
)
def test_limits_are_those_of_the_tight_conversion(epsilon: int, rho: float) -> None:
    """F1: the figures of the guarantee page, at δ 1e-6."""
    assert rho_limit(epsilon * NANO, Decimal("1e-6")) / NANO == pytest.approx(rho, abs=1e-6)


@pytest.mark.parametrize("epsilon", [1, 10**6, NANO, 40 * NANO])
def test_reading_a_limit_back_is_the_epsilon_that_was_set(epsilon: int) -> None:
    limit = rho_limit(epsilon, Decimal("1e-6"))
    assert epsilon_at(limit, Decimal("1e-6")) <= epsilon
    assert epsilon_at(limit + 1, Decimal("1e-6")) > epsilon


def test_one_spelling_of_delta() -> None:
    assert [
        Currency(Mode.ZCDP, Decimal(text)).delta_text for text in ("0.000001", "1E-6", "2.50e-7")
    ] == ["1e-6", "1e-6", "2.5e-7"]


def test_the_price_of_one_question_is_the_rho_of_its_epsilon() -> None:
    assert RHO.price_of(NANO // 100) == rho_of(NANO // 100) == 50_000
