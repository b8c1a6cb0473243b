"""Amounts in ε and ρ, and what each is as the other: always rounded against the analyst."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.accounting.budget import NANO, InvalidAmount
from dpgov.privacy.accounting.currency import PURE, Currency
from dpgov.privacy.accounting.loss import Mode, epsilon_at, rho_limit, rho_of

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
