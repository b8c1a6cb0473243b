"""The axis of odds ratios: whole numbers that a reader knows, and few enough for a telephone."""

import pytest

from dpgov.queries.wording.regressions import effects


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        ([0.9, 5.2], ["1", "2", "3", "5"]),
        ([2.7, 410.0], ["3", "10", "30", "100", "300"]),
        ([0.02, 0.6], ["0.02", "0.05", "0.1", "0.2", "0.5"]),
        ([1e-9, 1e9], ["0.000001", "0.001", "1", "1,000", "1,000,000"]),
    ],
)
def test_odds_ratios_stand_above_numbers_written_out(ends: list[float], shown: list[str]) -> None:
    """Two intervals that reach from one end to the other."""
    low, high = ends
    pairs = [(low, [low, low]), (high, [high, high])]
    axis = effects(["age", "sex"], pairs, title="Odds ratio", log=True)["layout"]["xaxis"]
    assert axis["type"] == "log"
    within = [
        text
        for place, text in zip(axis["tickvals"], axis["ticktext"], strict=True)
        if low * 0.9 <= place <= high * 1.1
    ]
    assert [text for text in shown if text not in within] == []
    assert len(within) <= 9
