"""L20: what an amount means is said once, of the amount and its currency, never too well."""

import math
from decimal import Decimal

import pytest

from dpgov.budgets.meaning import (
    Protected,
    certainty,
    certainty_text,
    factor_text,
    hardly_protects,
    sure_text,
    weakening_of,
    whom,
)
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE, Currency, Mode

RHO = Currency(Mode.ZCDP, Decimal("1e-6"))


@pytest.mark.parametrize("epsilon", ["0.000000001", "0.1", "0.2", "1", "2.5", "12", "1000"])
def test_odds_and_beliefs_are_rounded_up(epsilon: str) -> None:
    nano = int(Decimal(epsilon) * NANO)
    odds, belief = factor_text(nano, PURE), certainty_text(nano, PURE)
    if odds == "more than a million":
        assert nano > math.log(1e6) * NANO
    else:
        assert float(odds.replace(",", "")) >= math.exp(float(epsilon))
    truth = 100 / (1 + math.exp(-float(epsilon)))
    stated = float(belief.removesuffix("%").removeprefix("more than "))
    assert stated >= truth or belief == "more than 99.99%"
    assert stated < 100


def test_the_epsilon_of_epsilon_delta_is_not_what_odds_move_by() -> None:
    """L20: (3, 1e-6) bounds events; single answers may move the odds by more than e³ = 20.09."""
    assert factor_text(RHO.limit_of(3 * NANO), RHO) == "29.5"
    assert certainty_text(RHO.limit_of(3 * NANO), RHO) == "96.72%"
    assert factor_text(3 * NANO, PURE) == "20.1"
    assert certainty_text(3 * NANO, PURE) == "95.26%"


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "0.5", "1.1", "2.14", "3", "3.9", "7", "12"])
def test_odds_never_have_three_digits_after_the_point(epsilon: str) -> None:
    """Where a point parts thousands, 8.500 reads as eight thousand five hundred."""
    odds = factor_text(int(Decimal(epsilon) * NANO), PURE)
    assert len(odds.partition(".")[2]) != 3


@pytest.mark.parametrize("currency", [PURE, RHO], ids=["epsilon", "rho"])
def test_where_nothing_was_answered_nothing_has_moved(currency: Currency) -> None:
    assert factor_text(0, currency) == "1"
    assert certainty_text(0, currency) == "50.00%"


def test_who_is_as_good_as_certain_is_told_so_in_one_way() -> None:
    """L20: at most 99.99%, and beyond it no number, in a sentence and beside it."""
    assert sure_text(NANO, PURE) == "at most 73.11% sure"
    assert (certainty(9 * NANO, PURE), certainty(10 * NANO, PURE)) == (
        Decimal("99.99"),
        Decimal("100.00"),
    )
    assert sure_text(9 * NANO, PURE) == "at most 99.99% sure"
    assert sure_text(10 * NANO, PURE) == f"{certainty_text(10 * NANO, PURE)} sure"
    assert sure_text(10 * NANO, PURE) == "more than 99.99% sure"


def test_a_thousandfold_is_hardly_any_protection() -> None:
    """ln 1000 is 6.9077…"""
    assert not hardly_protects(6_907_755_278, PURE)
    assert hardly_protects(6_907_755_279, PURE)


def test_a_row_is_never_said_to_be_a_person() -> None:
    """L20: somebody with several rows has less than is promised to each of them."""
    assert [whom(size, of_rows=True) for size in (1, 4)] == ["one row", "any 4 rows together"]
    assert [whom(size, of_rows=False) for size in (1, 4)] == ["one person", "any 4 people together"]


def test_two_limits_beyond_what_is_told_apart_are_set_in_relation_once() -> None:
    """Of ε 20 and ε 22 both are more than a million: e² times as much."""
    amounts = (20 * NANO, 22 * NANO)
    *_, told = weakening_of(("20", "22"), amounts, PURE, Protected())
    assert told == (
        "Under either limit any answer may become more than a million times as likely because of "
        "one person, and under the higher one up to 7.39 times what it may under the present one."
    )
    *_, told = weakening_of(("1", "2"), (NANO, 2 * NANO), PURE, Protected(is_of_rows=True))
    assert told == (
        "Any answer may become 7.39 times as likely because of one row; under the present limit, "
        "2.72 times."
    )


def test_where_presence_is_public_nothing_is_said_of_it() -> None:
    """L20: what is hidden there is what somebody's rows say, at the ε itself."""
    amounts = (NANO, 2 * NANO)
    told = " ".join(
        weakening_of(("1", "2"), amounts, PURE, Protected(presence=False, by_presence=False))
    )
    assert "is in the data" not in told
    assert "twice the ε" not in told
    assert (
        "as likely as not that a certain person has these values and not those. After reading "
        "everything that may be released, they could be 88.08% certain"
    ) in told


def test_where_people_come_and_go_their_values_are_two_steps_away() -> None:
    """L20: also where some of the data that shares a budget promises so, and some does not."""
    for presence in (True, False):
        told = weakening_of(
            ("1", "2"), (NANO, 2 * NANO), PURE, Protected(presence=presence, by_presence=True)
        )
        assert "A belief about what a person's rows say may move as at twice the ε." in told
