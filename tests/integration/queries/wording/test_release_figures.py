"""Charts of released answers: which number stands where, with which error bar."""

from typing import Any

import pytest

from dpgov.queries.wording.figures import release_charts
from dpgov.queries.wording.plotting import Figure


def _body(bins: list[list[str]], **statistic: Any) -> dict[str, Any]:
    """A release over these groupings; cell i has the value i and the error i / 10 at 95%."""
    size = 1
    for labels in bins:
        size *= len(labels)
    cells = [
        {"value": i, "accuracy": [{"confidence_level": 0.95, "value": i / 10, "message": ""}]}
        for i in range(size)
    ]
    groups = [{"column": f"g{place}", "bins": labels} for place, labels in enumerate(bins)]
    return {
        "groups": groups,
        "statistics": [{"statistic": "count", "cells": cells} | statistic],
    }


def release_figures(body: dict[str, Any]) -> list[Figure]:
    return [chart.figure for chart in release_charts(body)]


def test_a_number_without_groups_needs_no_chart() -> None:
    assert release_figures(_body([])) == []


def test_one_grouping_is_a_bar_for_each_bin_with_its_error() -> None:
    (figure,) = release_figures(_body([["a", "b", "other"]]))
    (bars,) = figure["data"]
    assert bars["y"] == [0, 1, 2]
    assert bars["error_y"]["array"] == pytest.approx([0.0, 0.1, 0.2])
    assert bars["error_y"]["arrayminus"] == pytest.approx([0.0, 0.1, 0.2])


def test_a_line_ends_where_nothing_can_be_true() -> None:
    """L23: of a count of 1 with an error of 5, the line begins at 0 and not at -4."""
    cell = {"value": 1, "accuracy": [{"confidence_level": 0.95, "value": 5, "message": ""}]}
    body = _body([["a"]], cells=[cell], range=[0, 100])
    (bars,) = release_figures(body)[0]["data"]
    assert (bars["error_y"]["arrayminus"], bars["error_y"]["array"]) == ([1], [5])


def test_the_axis_of_a_grouping_has_its_labels() -> None:
    (figure,) = release_figures(_body([["a", "b", "other"]]))
    assert figure["layout"]["xaxis"]["ticktext"] == ["a", "b", "other"]
    assert figure["layout"]["xaxis"]["title"]["text"] == "g0"
    assert "template" not in figure["layout"]


def test_two_groupings_put_the_first_along_the_axis_and_colour_the_second() -> None:
    """Cells are row-major with the first grouping slowest."""
    (figure,) = release_figures(_body([["a", "b"], ["x", "y", "z"]]))
    assert [bars["name"] for bars in figure["data"]] == ["x", "y", "z"]
    assert [bars["y"] for bars in figure["data"]] == [[0, 3], [1, 4], [2, 5]]
    assert figure["layout"]["xaxis"]["ticktext"] == ["a", "b"]
    assert figure["layout"]["legend"]["title"]["text"] == "g1"


def test_many_bins_go_along_the_axis_whichever_grouping_has_them() -> None:
    many = [str(number) for number in range(12)]
    (figure,) = release_figures(_body([["a", "b"], many]))
    assert [bars["name"] for bars in figure["data"]] == ["a", "b"]
    assert figure["data"][1]["y"] == list(range(12, 24))
    assert figure["layout"]["xaxis"]["ticktext"] == many


def test_more_colours_than_anybody_can_tell_apart_are_squares_and_more_groupings_a_table() -> None:
    many = [str(number) for number in range(12)]
    (squares,) = release_figures(_body([many, many]))
    assert len(squares["data"]) == 1
    assert release_figures(_body([["a"], ["b"], ["c"]])) == []


def test_a_cell_without_value_or_error_is_left_blank() -> None:
    cells = [{"value": None, "accuracy": []}, {"value": 3.5, "accuracy": []}]
    body = _body([["a", "b"]], statistic="mean", column="age", cells=cells)
    (dots,) = release_figures(body)[0]["data"]
    assert dots["x"] == [3.5]
    assert "error_x" not in dots


def test_each_statistic_has_its_own_chart() -> None:
    body = _body([["a", "b"]])
    body["statistics"].append({**body["statistics"][0], "statistic": "mean", "column": "age"})
    counts, means = (figure["layout"] for figure in release_figures(body))
    assert counts["yaxis"]["title"]["text"] == "Count of rows"
    assert means["xaxis"]["title"]["text"] == "Mean of age"
