"""M1: estimates and intervals of randomised reports, against closed forms and exact sums."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.local.estimate import bounds, moved_by, share_of, widest
from dpgov.privacy.local.randomiser import DRAWS, LocalKind, Randomiser, for_epsilon

_COIN = Randomiser(LocalKind.RESPONSE, 2, 3 * DRAWS // 4, DRAWS // 4)


def test_400_of_1000_yes_at_three_quarters_estimates_30_per_cent() -> None:
    """M1: the anchor; the normal curve says 23.9 to 36.1, the exact interval is a little wider."""
    share = share_of(_COIN, 400, 1000)
    assert share.exact == Fraction(3, 10)
    assert share.low == pytest.approx(0.239, abs=0.002)
    assert share.high == pytest.approx(0.361, abs=0.002)


@pytest.mark.parametrize("trials", [1, 2, 17, 400, 10_000, 1_000_000])
def test_bounds_are_those_of_clopper_and_pearson(trials: int) -> None:
    for count in {0, 1, trials // 7, trials // 2, trials - 1, trials}:
        low, high = bounds(count, trials, 0.05)
        if count:
            assert low == pytest.approx(stats.beta.ppf(0.025, count, trials - count + 1), rel=1e-7)
        if count < trials:
            wanted = stats.beta.ppf(0.975, count + 1, trials - count)
            assert high == pytest.approx(wanted, rel=1e-7)
    assert bounds(0, trials, 0.05)[0] == 0
    assert bounds(trials, trials, 0.05)[1] == 1


@pytest.mark.parametrize("answers", [2, 5, 20])
@pytest.mark.parametrize("reports", [1, 12, 150])
def test_intervals_cover_at_least_what_they_say(answers: int, reports: int) -> None:
    """M1: exactly, by the binomial of respondents who are drawn from many: no simulation."""
    randomiser = for_epsilon(answers, NANO)
    counts = np.arange(reports + 1)
    shares = [share_of(randomiser, int(count), reports) for count in counts]
    for truth in np.linspace(0, 1, 41):
        rate = float(randomiser.q) + truth * float(randomiser.p - randomiser.q)
        chances = stats.binom.pmf(counts, reports, rate)
        inside = np.array([s.low - 1e-9 <= truth <= s.high + 1e-9 for s in shares])
        assert chances[inside].sum() >= 0.95 - 1e-9


@pytest.mark.parametrize("reports", [12, 150])
def test_they_also_cover_the_share_of_the_respondents_themselves(reports: int) -> None:
    """M1: with fixed true answers a count is a sum of two binomials; exactly again."""
    randomiser = for_epsilon(5, NANO)
    counts = np.arange(reports + 1)
    shares = [share_of(randomiser, int(count), reports) for count in counts]
    for told in range(0, reports + 1, max(1, reports // 12)):
        yes = stats.binom.pmf(np.arange(told + 1), told, float(randomiser.p))
        no = stats.binom.pmf(np.arange(reports - told + 1), reports - told, float(randomiser.q))
        inside = np.array([s.low - 1e-9 <= told / reports <= s.high + 1e-9 for s in shares])
        assert np.convolve(yes, no)[inside].sum() >= 0.95 - 1e-9


def test_no_interval_is_wider_than_what_is_told_before_a_survey_opens() -> None:
    for answers, reports in ((2, 100), (6, 300), (30, 1000)):
        randomiser = for_epsilon(answers, NANO)
        most = widest(randomiser, reports)
        slope = float(randomiser.p - randomiser.q)
        lowest = round(reports * float(randomiser.q))
        for count in range(lowest, round(reports * float(randomiser.p)) + 1, 7):
            low, high = bounds(count, reports, 0.05)
            assert (high - low) / 2 / slope <= most + 1e-9


def test_liars_move_an_estimate_by_their_number_and_no_more() -> None:
    """M1: k liars who all send one report, against k who said nothing of it."""
    assert moved_by(_COIN, 10, 1000) == Fraction(1, 50)
    honest, lied = share_of(_COIN, 400, 1000), share_of(_COIN, 410, 1000)
    assert lied.exact - honest.exact == moved_by(_COIN, 10, 1000)


def test_an_estimate_beyond_every_share_is_shown_cut() -> None:
    few = share_of(_COIN, 0, 50)
    assert few.exact == Fraction(-1, 2)
    assert (few.shown, few.low) == (0.0, 0.0)
