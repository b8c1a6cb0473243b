"""L20: what an amount means is said once, of the amount and its currency, never too well."""

import math
from decimal import Decimal

import pytest

from dpgov.budgets.meaning import certainty_text, factor_text
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
    assert factor_text(RHO.limit_of(3 * NANO), RHO) == "29.462"
    assert certainty_text(RHO.limit_of(3 * NANO), RHO) == "96.72%"
    assert factor_text(3 * NANO, PURE) == "20.086"
    assert certainty_text(3 * NANO, PURE) == "95.26%"
