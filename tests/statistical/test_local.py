"""M1: reports that OpenDP draws for the command line, against the thresholds they come from."""

import math
from collections import Counter

import pytest
from scipy import stats

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.local.drawing import randomise
from dpgov.privacy.local.randomiser import LocalKind, for_epsilon
from dpgov.privacy.noise.lower_bound import epsilon_bound
from dpgov.privacy.noise.sampling import bit_response, loss_of, place_response

# Fewer would leave the lower bound of a true mechanism below what is asked of it now and then.
_DRAWN = 40_000


@pytest.mark.parametrize("answers", [2, 5])
def test_the_command_line_gives_away_what_is_charged_and_nearly_all_of_it(answers: int) -> None:
    """M1: a lower bound on the true ε from many reports, and the thresholds as the upper one."""
    randomiser = for_epsilon(answers, 2 * NANO)
    truth = Counter(randomise(randomiser, 0) for _ in range(_DRAWN))
    other = Counter(randomise(randomiser, 1) for _ in range(_DRAWN))
    told = randomiser.written(0)
    bound = epsilon_bound(truth[told], other[told], _DRAWN, alpha=1e-6)
    assert 0.85 <= bound / (randomiser.epsilon_nano / NANO) <= 1
    assert stats.binomtest(truth[told], _DRAWN, float(randomiser.p)).pvalue > 1e-6


def test_each_bit_of_a_report_is_drawn_with_its_own_threshold() -> None:
    """M1: unary encoding, whose bits OpenDP draws one by one."""
    randomiser = for_epsilon(12, NANO)
    assert randomiser.kind is LocalKind.UNARY
    drawn = _DRAWN // 50
    reports = [randomise(randomiser, 3) for _ in range(drawn)]
    assert {len(report) for report in reports} == {12}
    for place in range(12):
        ones = sum(report[place] == "1" for report in reports)
        chance = float(randomiser.p if place == 3 else randomiser.q)
        assert stats.binomtest(ones, drawn, chance).pvalue > 1e-6


@pytest.mark.parametrize("answers", [2, 3, 7])
def test_the_map_of_opendp_says_the_epsilon_of_the_thresholds(answers: int) -> None:
    randomiser = for_epsilon(answers, 2 * NANO)
    measured = loss_of(place_response(answers, float(randomiser.p)), 1)
    assert float(measured) == pytest.approx(math.log(randomiser.odds), rel=1e-12)


def test_the_map_of_opendp_bounds_each_bit_of_unary_encoding() -> None:
    randomiser = for_epsilon(12, NANO)
    measured = loss_of(bit_response(float(1 - randomiser.q)), 1)
    assert float(measured) == pytest.approx(math.log(randomiser.odds), rel=1e-12)
