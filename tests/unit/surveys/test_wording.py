"""What is said of a share holds what was computed of it: nothing is rounded to its own good."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.surveys.wording import AnswerRow, figure_of, points

SHARES = st.floats(0, 1)


def _line(low: float, share: float, high: float) -> AnswerRow:
    return AnswerRow("yes", 1, share, share, low, high)


@given(shares=st.lists(SHARES, min_size=3, max_size=3))
def test_the_shown_ends_contain_the_computed_ones(shares: list[float]) -> None:
    """M1: at 95%, of the share that is shown; not less for being written with few digits."""
    low, share, high = sorted(shares)
    line = _line(low, share, high)
    shown = [Fraction(end) / 100 for end in line.ends]
    assert shown[0] <= Fraction(low)
    assert Fraction(high) <= shown[1]
    assert shown[1] - shown[0] <= Fraction(high) - Fraction(low) + Fraction(2, 1000)


def test_a_narrow_interval_is_no_point() -> None:
    """M1: of a million answers it was "0.0 to 0.0%" where the true share was 0.04."""
    assert _line(0.0, 0.0002, 0.00039).interval == "0.000 to 0.039%"
    assert _line(0.04315, 0.0443, 0.04585).interval == "4.31 to 4.59%"
    assert _line(0.2, 0.25, 0.301).interval == "20.0 to 30.1%"


@given(share=SHARES)
def test_an_error_is_rounded_up(share: float) -> None:
    """M1"""
    number = Fraction(points(share).split()[0]) / 100
    assert Fraction(share) <= number <= Fraction(share) * Fraction(11, 10) + Fraction(1, 10**5)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.00445, "0.45 points"),
        (0.010136, "1.1 points"),
        (0.01, "1.1 points"),
        (0.043, "4.3 points"),
    ],
)
def test_an_error_has_two_digits_or_more(share: float, words: str) -> None:
    """M1"""
    assert points(share) == words


def test_the_bars_of_the_figure_end_where_the_text_says() -> None:
    """M1"""
    (trace,) = figure_of([_line(0.04315, 0.0443, 0.04585)])["data"]
    (share,), bars = trace["x"], trace["error_x"]
    assert share - bars["arrayminus"][0] == pytest.approx(4.31)
    assert share + bars["array"][0] == pytest.approx(4.59)
