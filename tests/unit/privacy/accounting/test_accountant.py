"""The filter against adaptive adversaries, and what a guarantee means for groups."""

import math
from collections.abc import Callable
from decimal import Decimal
from random import Random

import pytest

from dpgov.privacy.accounting.accountant import (
    admits,
    delta_of_group,
    epsilon_of_group,
    largest_fit,
)
from dpgov.privacy.accounting.decimals import NANO, parse_epsilon

SEED = 20_261_121
Adversary = Callable[[Random, int, int, bool], int]


def greedy(choice: Random, limit: int, last: int, admitted: bool) -> int:
    """Asks for everything, then for half of what was refused."""
    return limit if last == 0 else last if admitted else max(1, last // 2)


def random(choice: Random, limit: int, last: int, admitted: bool) -> int:
    return choice.randint(1, max(1, limit // choice.randint(1, 50)))


def binary_search(choice: Random, limit: int, last: int, admitted: bool) -> int:
    """Feels its way to the very edge of the limit."""
    return max(1, last + max(1, last // 2) if admitted else last // 2) if last else limit // 2 + 1


def crumbs(choice: Random, limit: int, last: int, admitted: bool) -> int:
    return choice.choice([1, 1, 2, 3, limit // 7 + 1])


@pytest.mark.parametrize("adversary", [greedy, random, binary_search, crumbs])
def test_no_adversary_gets_more_than_the_limit(adversary: Adversary) -> None:
    """F2: 10,000 adaptive sequences; a refusal leaves the balance, and less still fits."""
    choice = Random(SEED)
    for _ in range(2_500):
        limit = choice.choice([1, 10, NANO, choice.randint(1, 10 * NANO)])
        committed, asked, admitted = 0, 0, False
        for _ in range(40):
            asked = adversary(choice, limit, asked, admitted)
            admitted = admits(limit, committed, asked)
            fits = largest_fit(limit, committed, limit)
            assert admitted == (asked <= fits)
            committed += asked if admitted else 0
            assert 0 <= committed <= limit
        left = largest_fit(limit, committed, limit)
        assert left == limit - committed
        assert left == 0 or admits(limit, committed, left)
        assert not admits(limit, committed, left + 1)


def test_a_limit_of_three_tenths_admits_exactly_three_charges_of_a_tenth() -> None:
    """A6: in floats, 0.1 + 0.1 + 0.1 is above 0.3."""
    limit, charge = parse_epsilon("0.3"), parse_epsilon("0.1")
    spent = 0
    admitted = []
    for _ in range(4):
        admitted.append(admits(limit, spent, charge))
        spent += charge if admitted[-1] else 0
    assert admitted == [True, True, True, False]
    assert spent == limit


@pytest.mark.parametrize(
    ("limit", "committed", "per_query", "fits"),
    [(10, 4, 100, 6), (10, 4, 3, 3), (10, 10, 3, 0), (10, 12, 3, 0), (0, 0, 3, 0)],
)
def test_the_largest_fit_is_bounded_by_both_limits_and_never_negative(
    limit: int, committed: int, per_query: int, fits: int
) -> None:
    """A8: a limit that was lowered below what is spent leaves nothing, not less."""
    assert largest_fit(limit, committed, per_query) == fits


@pytest.mark.parametrize("amount", [0, -1, True, 0.5, math.nan, "1", None, Decimal(1)])
def test_the_filter_takes_whole_positive_amounts_only(amount: int) -> None:
    """A5: zero, negative, True, NaN and text are no amounts."""
    with pytest.raises(ValueError, match="whole number"):
        admits(10, 0, amount)


@pytest.mark.parametrize("state", [-1, True, 0.5, math.inf])
def test_the_filter_takes_whole_balances_only(state: int) -> None:
    for limit, committed in ((state, 0), (10, state)):
        with pytest.raises(ValueError, match="whole number"):
            admits(limit, committed, 1)


@pytest.mark.parametrize("size", range(1, 21))
def test_a_group_of_k_costs_k_epsilon(size: int) -> None:
    """F13: exact integers."""
    assert epsilon_of_group(300_000_000, size) == 300_000_000 * size


def test_delta_of_a_group_follows_the_formula_rounded_up() -> None:
    """F13: δ (e^{kε} - 1)/(e^ε - 1)."""
    for size in range(1, 12):
        bound = delta_of_group(Decimal("1e-9"), NANO, size)
        formula = 1e-9 * math.expm1(size) / math.expm1(1)
        assert bound is not None
        assert float(bound) == pytest.approx(formula, rel=1e-10)
        assert bound >= Decimal("1e-9") * size


def test_a_delta_above_one_is_no_guarantee() -> None:
    """F13: never a number above 1."""
    assert delta_of_group(Decimal("1e-6"), NANO, 14) is not None
    assert delta_of_group(Decimal("1e-6"), NANO, 15) is None
    assert delta_of_group(Decimal("1e-6"), 1000 * NANO, 20) is None
    assert delta_of_group(Decimal(1), 1, 1) == 1
    assert delta_of_group(Decimal(0), NANO, 20) == 0


@pytest.mark.parametrize("delta", [Decimal("-0.1"), Decimal("1.1"), Decimal("NaN")])
def test_what_is_no_probability_is_refused(delta: Decimal) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        delta_of_group(delta, NANO, 2)


@pytest.mark.parametrize("size", [0, -1, True, 1.5])
def test_what_is_no_group_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="at least one unit"):
        epsilon_of_group(NANO, size)
