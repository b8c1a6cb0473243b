"""What is asked of an owner, granted as it was asked for, is enough: to the last billionth."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE, Currency, Mode

DELTAS = ("1e-2", "1e-6", "1e-12")
_AMOUNTS = st.integers(min_value=1, max_value=20 * NANO)


def _zcdp(delta: str) -> Currency:
    return Currency(Mode.ZCDP, Decimal(delta))


@given(_AMOUNTS, st.sampled_from(DELTAS))
def test_a_question_of_the_asked_epsilon_may_cost_what_was_short(nano: int, delta: str) -> None:
    currency = _zcdp(delta)
    asked = currency.question_for(nano)
    assert currency.price_of(asked) >= nano
    # And no more than four digits ask for.
    assert asked <= currency.largest_question(nano) * 1.001 + 1


@given(_AMOUNTS, st.sampled_from(DELTAS))
def test_a_limit_of_the_asked_epsilon_holds_what_was_short(nano: int, delta: str) -> None:
    currency = _zcdp(delta)
    asked = currency.limit_for(nano)
    assert currency.limit_of(asked) >= nano
    assert asked <= currency.together(nano) * 1.01 + 1


def test_the_question_that_a_permit_was_asked_for_and_never_let_pass() -> None:
    currency = _zcdp("1e-6")
    assert currency.price_of(currency.question(NANO // 100)) < NANO // 100
    assert currency.question_for(NANO // 100) == 141_600_000


@pytest.mark.parametrize("nano", [1, 123_456_789, 20 * NANO])
def test_pure_amounts_are_asked_for_as_they_are(nano: int) -> None:
    assert (PURE.question_for(nano), PURE.limit_for(nano)) == (nano, nano)
