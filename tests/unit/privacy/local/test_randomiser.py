"""M1: what is charged for a randomised answer is never less than what its thresholds give away.

What could leak: a threshold rounded the wrong way, so that a report is likelier under one answer
than e^ε allows. To whom: whoever reads the report, hence the curator and everybody behind them.
"""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.local.randomiser import (
    DRAWS,
    MOST_ANSWERS,
    LocalKind,
    NotAReport,
    NotASurvey,
    Randomiser,
    for_epsilon,
)

_QUARTER = DRAWS // 4


def _coin(kept: Fraction) -> Randomiser:
    truth = int(kept * DRAWS)
    return Randomiser(LocalKind.RESPONSE, 2, truth, DRAWS - truth)


@pytest.mark.parametrize(("kept", "epsilon"), [("0.625", 0.511), ("0.75", 1.099), ("0.875", 1.946)])
def test_the_anchors_of_a_coin_come_out(kept: str, epsilon: float) -> None:
    """M1: truth with probability 3/4 is ln 3, rounded up to a billionth."""
    coin = _coin(Fraction(kept))
    assert coin.epsilon_nano / NANO == pytest.approx(epsilon, abs=0.0005)
    assert coin.epsilon_nano == math.ceil(math.log(coin.odds) * NANO)


def test_ln_3_buys_truth_with_three_chances_in_four() -> None:
    coin = for_epsilon(2, 1_098_612_289)
    assert (coin.kept, coin.other) == (3 * _QUARTER, _QUARTER)
    assert coin.epsilon_nano == 1_098_612_289


_SURVEYS = {
    "answers": st.integers(2, MOST_ANSWERS),
    "epsilon": st.integers(NANO // 10, 10 * NANO),
}


@given(**_SURVEYS)
def test_the_true_loss_never_passes_what_was_asked_for(answers: int, epsilon: int) -> None:
    """M1: every ratio of probabilities of a report, exactly, against the ε from the thresholds."""
    found = for_epsilon(answers, epsilon)
    assert found.epsilon_nano <= epsilon
    assert float(found.odds) <= math.exp(epsilon / NANO) * (1 + 1e-12)
    # Nothing is given away by caution either: one more draw for the truth would pass it.
    assert found.epsilon_nano > epsilon - 60_000


@given(**_SURVEYS)
def test_every_report_has_the_ratio_that_the_odds_say(answers: int, epsilon: int) -> None:
    """M1: the odds, by the definition: the largest ratio over reports and pairs of answers."""
    found = for_epsilon(answers, epsilon)
    if found.kind is LocalKind.RESPONSE:
        assert found.kept + (answers - 1) * found.other == DRAWS
        assert found.p / found.q == found.odds
    else:
        assert found.p == Fraction(1, 2)
        bits = {
            (first, second): _bit(found.p, first) * _bit(found.q, second)
            for first in (0, 1)
            for second in (0, 1)
        }
        ratios = [bits[one, two] / bits[two, one] for one, two in bits]
        assert max(ratios) == found.odds


def _bit(chance: Fraction, bit: int) -> Fraction:
    return chance if bit else 1 - chance


def test_unary_encoding_is_taken_where_it_has_the_smaller_error() -> None:
    """k < 3e^ε + 2 (Wang and others 2017): at ε 1 up to ten answers, at ε 0.1 up to five."""
    kinds = {answers: for_epsilon(answers, NANO).kind for answers in range(2, 20)}
    assert {k for k, kind in kinds.items() if kind is LocalKind.RESPONSE} == set(range(2, 11))
    assert for_epsilon(5, NANO // 10).kind is LocalKind.RESPONSE
    assert for_epsilon(6, NANO // 10).kind is LocalKind.UNARY


@pytest.mark.parametrize(
    ("answers", "epsilon"), [(1, NANO), (51, NANO), (2, NANO // 10 - 1), (2, 10 * NANO + 1)]
)
def test_what_makes_no_survey_is_refused(answers: int, epsilon: int) -> None:
    with pytest.raises(NotASurvey):
        for_epsilon(answers, epsilon)


@pytest.mark.parametrize(
    ("kind", "answers", "kept", "other"),
    [
        (LocalKind.RESPONSE, 2, 3 * _QUARTER, _QUARTER - 1),
        (LocalKind.RESPONSE, 2, _QUARTER, 3 * _QUARTER),
        (LocalKind.RESPONSE, 3, DRAWS // 2, DRAWS // 2),
        (LocalKind.UNARY, 9, DRAWS // 2 + 1, 7),
        (LocalKind.UNARY, 9, DRAWS // 2, 0),
    ],
)
def test_thresholds_that_lose_a_draw_make_no_randomiser(
    kind: LocalKind, answers: int, kept: int, other: int
) -> None:
    with pytest.raises(ValueError, match=r"thresholds|draws|coin"):
        Randomiser(kind, answers, kept, other)


@pytest.mark.parametrize(
    "report", ["", "1", "11", "99", "-1", "+1", "1 ", "0x", "٠١", None, 1, True, ["01"], "001"]
)
def test_what_the_randomiser_cannot_have_sent_is_no_report(report: object) -> None:
    """M1: eleven answers are sent as two digits, 00 to 10; nothing else is read."""
    eleven = for_epsilon(11, 2 * NANO)
    assert eleven.kind is LocalKind.RESPONSE
    assert [eleven.places(text) for text in ("00", "10")] == [(0,), (10,)]
    with pytest.raises(NotAReport):
        eleven.places(report)


def test_a_report_of_bits_names_any_number_of_answers() -> None:
    bits = for_epsilon(6, NANO // 10)
    assert bits.places("010010") == (1, 4)
    assert bits.places("000000") == ()
    for wrong in ("01001", "0100100", "010012", "01001 "):
        with pytest.raises(NotAReport):
            bits.places(wrong)
