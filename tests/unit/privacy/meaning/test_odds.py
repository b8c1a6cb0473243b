"""What an amount means for a guess: never better than the truth, hardly worse."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE, Currency, Mode, rho_limit, rho_of
from dpgov.privacy.meaning.odds import (
    Frequency,
    belief_after,
    best_guess,
    frequency_of,
    log_odds,
    together_of,
)

APPROXIMATE = Currency(Mode.ZCDP, Decimal("1e-6"))
AMOUNTS = st.integers(min_value=1, max_value=40 * NANO)
BELIEFS = st.decimals(min_value="0.001", max_value="0.999", places=3)


@given(AMOUNTS, BELIEFS)
def test_a_belief_moves_as_bayes_says(nano: int, before: Decimal) -> None:
    """Against the closed form in floats, from the safe side."""
    found = belief_after(before, nano, PURE)
    factor = math.exp(nano / NANO)
    p = float(before)
    assert float(found.high) >= p * factor / (p * factor + 1 - p) - 1e-12
    assert float(found.high) == pytest.approx(p * factor / (p * factor + 1 - p), abs=1e-9)
    assert float(found.low) == pytest.approx(p / (p + (1 - p) * factor), abs=1e-9)
    assert found.low <= found.before <= found.high <= 1


def test_bounds_are_rounded_outwards() -> None:
    """e/(1 + e) = 0.731058578630004...: the last digit that is shown goes up, and down below."""
    found = belief_after(Decimal("0.5"), NANO, PURE)
    assert found.high == Decimal("0.731058578631")
    assert found.low == Decimal("0.268941421369")
    assert best_guess(NANO, PURE) == Decimal("0.731058578631")


@pytest.mark.parametrize("rho", ["0.000001", "0.001", "0.024356", "0.185", "1.5", "20"])
def test_the_factor_under_rho_holds_for_gaussian_noise_but_for_delta(rho: str) -> None:
    """The privacy loss of Gaussian noise of this ρ is itself Gaussian: mean ρ, variance 2ρ."""
    nano = int(Decimal(rho) * NANO)
    bound = float(log_odds(nano, APPROXIMATE))
    loss = stats.norm(loc=float(rho), scale=math.sqrt(2 * float(rho)))
    assert loss.sf(bound) <= 1e-6
    assert loss.sf(bound) >= 1e-8, "and it is no more than a little too careful"


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3", "10"])
def test_a_single_answer_is_not_bounded_by_the_epsilon_of_epsilon_and_delta(epsilon: str) -> None:
    """The honest conversion lies above ε: (ε, δ) itself bounds events, not single answers."""
    target = int(Decimal(epsilon) * NANO)
    limit = rho_limit(target, Decimal("1e-6"))
    assert log_odds(limit, APPROXIMATE) > Decimal(epsilon)


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "4", "12"])
def test_guesses_under_rho_are_as_good_as_randomised_response_makes_them(epsilon: str) -> None:
    """Attained: randomised response with ε costs ρ = ε tanh(ε/2) and is guessed e^ε/(1 + e^ε)."""
    nano = int(Decimal(epsilon) * NANO)
    allowed = float(best_guess(rho_of(nano), APPROXIMATE))
    truth = 1 / (1 + math.exp(-float(epsilon)))
    assert allowed >= truth
    assert allowed == pytest.approx(truth, abs=1e-4)


@pytest.mark.parametrize("rho", ["0.0001", "0.02", "0.5", "3"])
def test_guesses_from_gaussian_noise_stay_below_the_bound(rho: str) -> None:
    """Two normals at a distance of √(2ρ) standard deviations: Φ(√(2ρ)/2)."""
    truth = float(stats.norm.cdf(math.sqrt(2 * float(rho)) / 2))
    assert float(best_guess(int(Decimal(rho) * NANO), APPROXIMATE)) >= truth


@given(AMOUNTS, AMOUNTS, BELIEFS)
def test_more_spent_is_never_shown_as_safer(one: int, other: int, before: Decimal) -> None:
    small, large = sorted((one, other))
    for currency in (PURE, APPROXIMATE):
        near, far = (belief_after(before, nano, currency) for nano in (small, large))
        assert far.low <= near.low <= near.high <= far.high
        assert best_guess(small, currency) <= best_guess(large, currency)


def test_groups_have_k_times_epsilon_and_k_squared_times_rho() -> None:
    """F13"""
    assert together_of(NANO, units=3, setting=1, currency=PURE) == 3 * NANO
    assert together_of(NANO, units=3, setting=1, currency=APPROXIMATE) == 9 * NANO
    assert together_of(NANO, units=2, setting=4, currency=PURE) == NANO // 2
    assert together_of(10, units=1, setting=3, currency=PURE) == 4, "rounded up"
    assert together_of(10, units=1, setting=3, currency=APPROXIMATE) == 4, "rounded up"
    assert together_of(10, units=6, setting=3, currency=APPROXIMATE) == 40


@pytest.mark.parametrize("setting", [2, 3, 4, 20])
@pytest.mark.parametrize("epsilon", [1, 2, 4, 8])
def test_fewer_than_the_setting_have_no_more_than_is_said_whatever_noise_was_drawn(
    setting: int, epsilon: int
) -> None:
    """F13: Laplace noise has ε tanh(ε/2) of the ρ, Gaussian noise the square."""
    whole = rho_of(epsilon * NANO)
    for units in range(1, setting + 1):
        said = together_of(whole, units=units, setting=setting, currency=APPROXIMATE)
        assert said >= rho_of(epsilon * NANO * units // setting) - 1
        assert said * setting**2 >= whole * units**2


def test_nothing_spent_moves_nothing() -> None:
    for currency in (PURE, APPROXIMATE):
        found = belief_after(Decimal("0.3"), 0, currency)
        assert found.low == found.high == Decimal("0.3")
        assert best_guess(0, currency) == Decimal("0.5")


def test_the_largest_amounts_promise_nothing() -> None:
    """F13: no overflow, no bound beyond certainty."""
    for currency in (PURE, APPROXIMATE):
        assert belief_after(Decimal("0.5"), 1000 * NANO, currency).high == 1
        assert belief_after(Decimal("0.5"), 1000 * NANO, currency).low == 0
        assert frequency_of(best_guess(1000 * NANO, currency)).is_certain


@pytest.mark.parametrize(
    ("share", "said"),
    [
        ("0.5", Frequency(50, 100)),
        ("0.731", Frequency(74, 100)),
        ("0.990000000001", Frequency(991, 1000)),
        ("0.999954602132", Frequency(99996, 100_000)),
        ("0.999999999999", Frequency(1_000_000, 1_000_000)),
        ("0.0004", Frequency(1, 100)),
        ("0", Frequency(0, 100)),
    ],
)
def test_shares_are_said_in_whole_numbers_rounded_up(share: str, said: Frequency) -> None:
    assert frequency_of(Decimal(share)) == said


@pytest.mark.parametrize("before", ["0", "1", "-0.5", "2"])
def test_a_belief_that_cannot_move_is_refused(before: str) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        belief_after(Decimal(before), NANO, PURE)


@pytest.mark.parametrize("nano", [-1, True, 0.5])
def test_an_amount_that_is_none_is_refused(nano: int) -> None:
    with pytest.raises(ValueError, match="amount"):
        best_guess(nano, PURE)
