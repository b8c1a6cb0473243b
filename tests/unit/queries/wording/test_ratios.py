"""What a reader sees of odds ratios: whole numbers that are known along an axis, and few enough for
a telephone; and no end of an interval is ever cut.
"""

import math
from decimal import Decimal, localcontext
from typing import Any

import pytest

from dpgov.queries.wording.logistic import logistic_regressions, odds_ratio, ratio_axis

ENDS = [
    (-0.5, 0.7),
    (-3, 60.25),
    (-75, 2),
    (55, 61.5),
    (-80.1, -51),
    (-900, 1200),
    (49.9, 50.1),
    (-75, 40),
]


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        ([0.9, 5.2], ["1", "2", "3", "5"]),
        ([2.7, 410.0], ["3", "10", "30", "100", "300"]),
        ([0.02, 0.6], ["0.02", "0.05", "0.1", "0.2", "0.5"]),
        ([1e-9, 1e9], ["0.000001", "0.001", "1", "1,000", "1,000,000"]),
        ([1e-20, 1e30], ["10^\u22129", "1", "10^9", "10^18", "10^27"]),
    ],
)
def test_odds_ratios_stand_above_numbers_written_out(ends: list[float], shown: list[str]) -> None:
    low, high = map(math.log, ends)
    axis = ratio_axis([low, high])
    within = [
        text
        for place, text in zip(axis["tickvals"], axis["ticktext"], strict=True)
        if low - 0.1 <= place <= high + 0.1
    ]
    assert [text for text in shown if text not in within] == []
    assert len(within) <= 9


def logistic(*ends: tuple[float, float]) -> dict[str, Any]:
    """A released model: an intercept, and a term for each of these intervals of log odds."""
    fit = {"rows": 1000, "share": 0.5, "widened_directions": 0}
    statistics = [
        {
            "statistic": "logistic_regression",
            "column": "came",
            "predictors": ["x"],
            "means": "yes",
            "term": "x" if place else None,
            "span": [0, 10],
            "cells": [
                {
                    "value": (low + high) / 2,
                    "accuracy": [
                        {"confidence_level": 0.95, "value": (high - low) / 4, "message": ""}
                    ],
                    "interval": {"confidence_level": 0.95, "range": [low, high]},
                    "fit": fit,
                }
            ],
        }
        for place, (low, high) in enumerate([(-1.0, 1.0), *ends])
    ]
    return {"statistics": statistics}


def log_of(shown: str) -> Decimal:
    """The log odds that a ratio stands for, as it is shown."""
    plain = shown.replace(",", "").replace("\u2212", "-")
    if plain.startswith("e^"):
        return Decimal(plain.removeprefix("e^"))
    with localcontext() as context:
        context.prec = 50
        return Decimal(plain).ln()


@pytest.mark.parametrize("ends", ENDS)
def test_the_shown_interval_of_an_odds_ratio_holds_the_released_one(
    ends: tuple[float, float],
) -> None:
    """M33: a ratio beyond e^20 is written as a power of e, not as the farthest one that fits."""
    (model,) = logistic_regressions(logistic(ends))
    low, high = model.coefficients[1].interval.split(" to ")
    assert low != high
    assert log_of(low) <= Decimal(str(ends[0]))
    assert Decimal(str(ends[1])) <= log_of(high)
    assert log_of(low) <= log_of(model.coefficients[1].ratio) <= log_of(high)


def test_its_picture_has_a_place_for_every_end() -> None:
    """M33: of a term that can go ten times as far; what is pointed at says its ratio."""
    (model,) = logistic_regressions(logistic((-900, 1200)))
    (_caption, figure), *_rest = model.figures
    (dots,) = figure["data"]
    assert dots["x"] == [1500]
    assert dots["error_x"]["array"] == [10500]
    assert dots["error_x"]["arrayminus"] == [10500]
    assert dots["customdata"] == [["x", "e^1,500"]]


def test_a_ratio_that_can_be_written_out_is() -> None:
    assert odds_ratio(math.log(2)) == "2"
    assert odds_ratio(-30.5) == "e^\u221230.5"
