"""Other accounts of the same questions, against closed forms and against dp-accounting."""

import math
import random
from decimal import Decimal

import dp_accounting
import pytest
from dp_accounting.rdp import RdpAccountant

from dpgov.privacy.accounting.comparison import (
    EqualCharges,
    advanced,
    basic,
    by_distribution,
    renyi,
    zcdp,
)
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode, epsilon_at, rho_of

DELTA = Decimal("1e-6")
ORDERS = [1 + 10 ** (step / 100) for step in range(-300, 500)]


def _mixes(count: int) -> list[list[EqualCharges]]:
    source = random.Random(4)
    return [
        [
            EqualCharges(Mode.PURE, int(10 ** source.uniform(6.5, 9.2)), source.randint(1, 200))
            for _ in range(source.randint(1, 5))
        ]
        for _ in range(count)
    ]


def _gaussian_epsilon(rho: float, delta: float) -> float:
    """ε of one Gaussian mechanism, exactly: Balle and Wang 2018, theorem 8."""
    mean = math.sqrt(2 * rho)

    def cumulated(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    low, high = 0.0, 5000.0
    for _ in range(200):
        middle = (low + high) / 2
        left = cumulated(mean / 2 - middle / mean)
        log_right = _log_cumulated(-mean / 2 - middle / mean) + middle
        fits = left - (math.exp(log_right) if log_right < 0 else math.inf) <= delta
        low, high = (low, middle) if fits else (middle, high)
    return high


def _log_cumulated(x: float) -> float:
    """ln Φ(x) for x below zero, by its continued fraction far out."""
    if x > -20:
        return math.log(math.erfc(-x / math.sqrt(2)) / 2)
    return -x * x / 2 - math.log(-x * math.sqrt(2 * math.pi)) + math.log1p(-1 / x**2 + 3 / x**4)


def test_the_reading_of_rho_is_never_below_the_exact_loss_of_500_gaussian_mixes() -> None:
    """F1: Gaussian noises add up to one Gaussian, whose (ε, δ) is known in closed form."""
    source = random.Random(1)
    for _ in range(500):
        parts = [int(10 ** source.uniform(3, 8)) for _ in range(source.randint(1, 50))]
        delta = Decimal(10) ** -source.randint(4, 12)
        stated = epsilon_at(sum(parts), delta) / NANO
        assert stated >= _gaussian_epsilon(sum(parts) / NANO, float(delta))


def test_the_reading_of_rho_is_the_tight_conversion_for_500_mixes() -> None:
    """F1: dp-accounting's Rényi accountant, with 800 orders, never beats it by a part in 50."""
    source = random.Random(2)
    for _ in range(500):
        parts = [10 ** source.uniform(-6, -1) for _ in range(source.randint(1, 20))]
        delta = Decimal(10) ** -source.randint(4, 12)
        accountant = RdpAccountant(ORDERS)
        for rho in parts:
            accountant.compose(dp_accounting.GaussianDpEvent(1 / math.sqrt(2 * rho)))
        stated = epsilon_at(sum(math.ceil(rho * NANO) for rho in parts), delta) / NANO
        oracle = accountant.get_epsilon(float(delta))
        assert oracle / 1.02 <= stated <= oracle * 1.02 + 1e-4


def test_every_account_covers_the_distribution_and_none_is_above_the_plain_sum() -> None:
    """F1: on random mixes of pure ε the exact account lies below all others."""
    for asked in _mixes(25):
        exact, plain = by_distribution(asked, DELTA), basic(asked, DELTA)
        assert exact <= renyi(asked, DELTA)
        assert renyi(asked, DELTA) <= zcdp(asked, DELTA) * (1 + 1e-6) + 1e-6
        assert exact <= advanced(asked, DELTA) <= plain
        assert exact <= plain


@pytest.mark.parametrize("delta", ["1e-9", "1e-6", "0.001"])
def test_one_question_of_pure_epsilon_is_itself_in_every_pure_account(delta: str) -> None:
    """F1: no account makes one question dearer than its own ε."""
    asked = [EqualCharges(Mode.PURE, NANO // 2, 1)]
    for account in (basic, advanced, renyi, by_distribution):
        assert account(asked, Decimal(delta)) <= 0.5 * (1 + 1e-6)
    assert basic(asked, Decimal(delta)) >= 0.5


def test_a_million_small_questions_stay_on_the_grid() -> None:
    """F1: an account that rounds each of a million losses up would say 70 here."""
    asked = [EqualCharges(Mode.PURE, NANO // 1000, 10**6)]
    gaussian = _gaussian_epsilon(rho_of(NANO // 1000) * 10**6 / NANO, float(DELTA))
    assert by_distribution(asked, DELTA) == pytest.approx(gaussian, rel=0.01)


def test_rho_counts_as_one_gaussian_in_the_distribution() -> None:
    """F1: 3701 questions of ε 0.01 under ρ, against the closed form."""
    asked = [EqualCharges(Mode.ZCDP, 50_000, 3701)]
    exact = _gaussian_epsilon(50_000 * 3701 / NANO, float(DELTA))
    assert exact <= by_distribution(asked, DELTA) <= exact * 1.01
    assert zcdp(asked, DELTA) == renyi(asked, DELTA) or renyi(asked, DELTA) == pytest.approx(
        zcdp(asked, DELTA), rel=1e-6
    )
    assert zcdp(asked, DELTA) < advanced(asked, DELTA) < basic(asked, DELTA)


def test_nothing_asked_is_nothing_lost() -> None:
    for account in (basic, advanced, zcdp, renyi, by_distribution):
        assert account([], DELTA) == 0
