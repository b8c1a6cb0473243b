"""What a guarantee means for groups."""

import math
from decimal import Decimal

import pytest

from dpgov.privacy.accounting.accountant import delta_of_group, epsilon_of_group
from dpgov.privacy.accounting.decimals import NANO


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


@pytest.mark.parametrize("nano", [-1, True, 0.5, math.inf])
def test_what_is_no_amount_is_refused(nano: int) -> None:
    with pytest.raises(ValueError, match="whole number"):
        epsilon_of_group(nano, 2)
