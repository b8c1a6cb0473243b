"""Answers by two groupings with many bins each, as squares."""

from collections.abc import Sequence
from typing import Any

import pytest

from dpgov.queries.wording.figures import release_charts
from dpgov.queries.wording.squares import MOST_SQUARES


def _counts(values: Sequence[float | None]) -> dict[str, Any]:
    accuracy = [{"confidence_level": 0.95, "value": 3.0, "message": ""}]
    cells = [{"value": value, "accuracy": accuracy} for value in values]
    return {"statistic": "count", "cells": cells}


def _body(statistic: dict[str, Any], first: int, second: int) -> dict[str, Any]:
    groups = [
        {"column": name, "bins": [f"{name}{place}" for place in range(bins)]}
        for name, bins in (("age", first), ("pay", second))
    ]
    return {"groups": groups, "statistics": [statistic]}


@pytest.mark.parametrize(("first", "second", "down", "along"), [(9, 10, 0, 1), (10, 9, 1, 0)])
def test_each_pair_of_groups_is_a_square_in_its_place(
    first: int, second: int, down: int, along: int
) -> None:
    (chart,) = release_charts(_body(_counts(list(range(first * second))), first, second))
    (trace,) = chart.figure["data"]
    body = _body(_counts([]), first, second)["groups"]
    for x, base, (row, column, number) in zip(
        trace["x"], trace["base"], trace["customdata"], strict=True
    ):
        assert row == body[down]["bins"][round(base + 0.47)]
        assert column == body[along]["bins"][x]
        places = sorted(
            (down, round(base + 0.47)) if place == down else (along, x) for place in (0, 1)
        )
        assert number.startswith(str(places[0][1] * second + places[1][1]))
    assert (len(trace["x"]), chart.lines, chart.size) == (90, 9, "lines-10")
    assert "the fuller a square, the larger it is" in chart.caption


def test_a_square_is_as_full_as_its_number_is_large() -> None:
    (chart,) = release_charts(_body(_counts([0, 25, 50, 100] + [0] * 77), 9, 9))
    assert chart.figure["data"][0]["marker"]["opacity"][:4] == [0.06, 0.295, 0.53, 1.0]


def test_numbers_that_are_all_large_are_told_apart_from_the_least() -> None:
    (chart,) = release_charts(_body(_counts([60, 100] + [80] * 79), 9, 9))
    assert chart.figure["data"][0]["marker"]["opacity"][:3] == [0.06, 1.0, 0.53]


def test_a_group_without_a_number_has_no_square() -> None:
    (chart,) = release_charts(_body(_counts([None, 1] + [2] * 79), 9, 9))
    assert len(chart.figure["data"][0]["x"]) == 80


def test_few_bins_keep_their_bars_and_too_many_have_the_table_alone() -> None:
    (bars,) = release_charts(_body(_counts([1] * 32), 8, 4))
    assert (bars.squares, bars.figure["layout"]["barmode"]) == (False, "group")
    assert MOST_SQUARES < 33 * 33
    assert release_charts(_body(_counts([1] * 33 * 33), 33, 33)) == []
