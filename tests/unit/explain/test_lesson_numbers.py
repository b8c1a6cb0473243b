"""M8: each number of the lessons against its formula, worked out another way."""

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from dpgov.explain.beliefs import BELIEFS
from dpgov.explain.lessons import numbers, told
from dpgov.explain.lessons.drawing import scientific, shown
from dpgov.explain.lessons.promise import beliefs, coins, definition, ladder, one_answer


def near(number: object, digits: float = 1e-12) -> Any:
    return pytest.approx(float(str(number)), rel=digits)


@pytest.mark.parametrize(
    ("power", "floor"), [(2, Decimal("7.389")), (10, Decimal(22_026)), (12, Decimal(162_754))]
)
def test_the_ladder_has_its_published_rungs(power: int, floor: Decimal) -> None:
    """M8: e^2 = 7.389, e^10 = 22,026.5, e^12 = 162,754.8, which sources round to 164,000."""
    assert floor <= numbers.exponential(power) < floor + 1
    rungs = {row[0]: row[1] for row in ladder.scene({"epsilon": "2"}).table.rows}
    assert (rungs["2"], rungs["10"], rungs["12"]) == ("7.39", "22,027", "162,755")
    assert numbers.exponential(12) < told.AOL_FACTOR_TOLD
    assert rungs["1.1"] == "3.01"


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1, 10), Fraction(10)])
def test_the_two_hills_are_densities_within_e_to_the_epsilon(epsilon: Fraction) -> None:
    """Each integrates to 1; the ratio stays within both bounds and reaches them."""
    f, delta = 5, 7
    for side in (0, 1):
        centre = f + side * delta

        def density(at: float, side: int = side) -> float:
            return float(definition.densities(f, delta, epsilon, Fraction(at))[side])

        scale = float(delta / epsilon)
        whole = quad(density, centre - 30 * scale, centre, limit=200)[0] * 2
        assert whole == pytest.approx(1, abs=1e-6)
        assert density(9.25) == near(stats.laplace(centre, scale).pdf(9.25), 1e-9)
    most = numbers.exponential(epsilon)
    ratios = []
    for at in range(-40, 60):
        without, within = definition.densities(f, delta, epsilon, Fraction(at))
        ratios.append(without / within)
    assert max(ratios) <= most * (1 + Decimal("1e-24"))
    assert min(ratios) * most >= 1 - Decimal("1e-24")
    assert float(max(ratios)) == near(most)


def test_the_loss_of_an_answer_is_the_logarithm_of_the_ratio() -> None:
    for at in range(-10, 28):
        without, within = definition.densities(5, 7, Fraction(1, 2), Fraction(at))
        assert float(one_answer.loss(Fraction(at))) == pytest.approx(
            math.log(without / within), abs=1e-12
        )


@pytest.mark.parametrize(
    ("truth", "epsilon"),
    [(Fraction(5, 8), "0.511"), (Fraction(3, 4), "1.099"), (Fraction(7, 8), "1.946")],
)
def test_coins_have_the_epsilon_of_their_odds(truth: Fraction, epsilon: str) -> None:
    """M8: 0.511, 1.099 (ln 3) and 1.946 for truth told with 0.625, 0.75 and 0.875."""
    found = numbers.response_epsilon(truth)
    assert f"{found:.3f}" == epsilon
    assert float(numbers.truth_share(found)) == near(float(truth))


def test_four_hundred_of_a_thousand_estimate_thirty_percent() -> None:
    """23.9 to 36.1 by the normal curve."""
    found = coins.estimate(Fraction(3, 4))
    assert found is not None
    assert [f"{100 * one:.1f}" for one in found] == ["30.0", "23.9", "36.1"]
    assert coins.estimate(Fraction(1, 2)) is None


@pytest.mark.parametrize("epsilon", beliefs.EPSILONS)
def test_beliefs_move_by_the_rule_of_bayes(epsilon: str) -> None:
    grown = math.exp(float(epsilon))
    for prior in BELIEFS:
        before, found = float(prior), beliefs.after(prior, epsilon)
        assert float(found.high) == near(before * grown / (1 - before + before * grown), 1e-9)
        assert float(found.low) == near(before / (before + (1 - before) * grown), 1e-9)


def test_published_beliefs_come_out() -> None:
    """M8: ε 1.1: half ends between 25 and 75%; ε 5: 10% may become 94%."""
    half = beliefs.after(Decimal("0.5"), "1.1")
    assert (f"{half.low:.2f}", f"{half.high:.2f}") == ("0.25", "0.75")
    assert f"{beliefs.after(Decimal('0.1'), '5').high:.2f}" == "0.94"


def test_alice_is_moved_by_the_study_and_hardly_by_her_row() -> None:
    found = beliefs.after(told.RISK_WITHOUT_ALICE, "0.1")
    assert float(found.high / (1 - found.high)) == near(0.25 * math.exp(0.1), 1e-9)
    assert found.high - told.RISK_WITHOUT_ALICE < told.RISK_WITHOUT_ALICE - told.RISK_BEFORE


@pytest.mark.parametrize("databases", [1, 2, 7, 12])
@pytest.mark.parametrize("most", [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(40)])
def test_the_tail_of_the_loss_is_that_of_every_sequence_of_coins(
    databases: int, most: Fraction
) -> None:
    """M8: against the sum over all 2^k outcomes of k times randomised response."""
    epsilon = Fraction(3, 10)
    p = float(numbers.truth_share(epsilon))
    chance = sum(
        math.prod(p if up else 1 - p for up in ups)
        for ups in product((True, False), repeat=databases)
        if sum(epsilon if up else -epsilon for up in ups) > most
    )
    found = numbers.loss_tail(databases, epsilon, most)
    assert math.exp(found) == pytest.approx(chance, rel=1e-9)
    assert found <= numbers.hoeffding(databases, epsilon, most) + Decimal("1e-12")


def test_ten_thousand_databases() -> None:
    """M8: Hoeffding e^-31.6, exact tail e^-34.6; 1.0143 of 2010 and 1.0065 of 2015 at e^-32."""
    epsilon, threshold = Fraction(1, 801), Fraction(1)
    exact = numbers.loss_tail(10_000, epsilon, threshold)
    assert f"{exact:.1f}" == "-34.6"
    p = float(numbers.truth_share(epsilon))
    assert float(exact) == near(stats.binom(10_000, p).logsf(5_400), 1e-9)
    assert f"{numbers.hoeffding(10_000, epsilon, threshold):.1f}" == "-31.6"
    assert f"{numbers.advanced_of_2010(10_000, epsilon, -32):.4f}" == "1.0143"
    assert f"{numbers.advanced_of_2015(10_000, epsilon, -32):.4f}" == "1.0065"


def test_laplace_noise_has_the_spread_of_its_formula() -> None:
    noise = stats.laplace(scale=3)
    assert float(numbers.laplace_deviation(3)) == near(noise.std())
    assert float(numbers.any_of(Fraction(1, 1000), 500)) == near(stats.binom(500, 0.001).sf(0))


def test_the_spread_of_randomised_response_is_that_of_a_binomial() -> None:
    found = numbers.response_deviation(Fraction(3, 4), 1_000)
    assert float(found) == near(stats.binom(1_000, 0.75).std() / 0.5)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (Fraction(1, 3), "0.3333"),
        ("22026.4657", "22,026"),
        ("-0.5", "−0.5"),
        ("0.00001234", "1.2 × 10⁻⁵"),
        (1_000_000, "1,000,000"),
        ("100", "100"),
    ],
)
def test_numbers_are_written_in_the_digits_that_matter(number: Any, text: str) -> None:
    assert shown(number) == text


def test_very_small_numbers_are_powers_of_ten() -> None:
    assert scientific(Decimal(-32).exp()) == "1.3 × 10⁻¹⁴"


@pytest.mark.parametrize("epsilon", ["1", "1.1"])
def test_mixed_reports_keep_what_the_theorem_says_of_them(epsilon: str) -> None:
    """M8: of 2,000 people, whatever the others answer: δ by the exact chances of all sums.

    What mixing shows of yes-or-no reports is how many say yes: those of m people with the truth
    yes, of the others, and of one who says either.
    """
    people, delta = 2_000, 1e-6
    grown = math.exp(float(numbers.shuffled(epsilon, people, "1e-6")))
    p = float(numbers.truth_share(epsilon))
    for yes in (0, people // 2, people - 1):
        there, others = stats.binom(yes, p), stats.binom(people - 1 - yes, 1 - p)
        rest = np.convolve(there.pmf(range(yes + 1)), others.pmf(range(people - yes)))
        one, other = (np.convolve(rest, [1 - share, share]) for share in (p, 1 - p))
        for these, those in ((one, other), (other, one)):
            assert np.maximum(these - grown * those, 0).sum() <= delta
    assert f"{numbers.shuffled('1.1', 10_000, '1e-6'):.2f}" == "0.24"
    assert f"{numbers.shuffled(1, 10_000, '1e-6'):.2f}" == "0.21"
