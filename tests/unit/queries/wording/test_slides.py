"""Answers as one would put them on a slide: names of bins, noisy groups, dots, findings, years."""

from decimal import Decimal
from random import Random
from typing import Any

import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.queries.wording.bins import shown_bins, shown_number, written
from dpgov.queries.wording.figures import release_charts
from dpgov.queries.wording.findings import apart_in_words, findings
from dpgov.queries.wording.presentation import read_answer
from dpgov.queries.wording.useful import empty_in_words, empty_rest, too_noisy
from tests.reference import Row
from tests.unit.privacy.tables import COUNT, blueprint_of, question, release_of, schema_of

BY_AGE = [{"column": "age", "edges": [17, 27, 37, 90]}]
MEAN_HOURS = {"statistic": "mean", "column": "hours"}
# Three groups that are far apart: hours 1, 21 and 41, of 400 rows each.
ROWS: list[Row] = [(10 * group, 20 * group, 0, 0) for group in range(3) for _ in range(400)]


def released(
    *statistics: dict[str, Any], rows: list[Row] | None = None, mode: Mode = Mode.PURE, **more: Any
) -> dict[str, Any]:
    amount = {"epsilon": 10} if mode is Mode.PURE else {"rho": 2, "epsilon": None}
    raw = question(*statistics, **(amount | more))
    return release_of(blueprint_of(raw, schema_of(mode=mode)), ROWS if rows is None else rows)


def means(*pairs: tuple[float | None, float], limits: tuple[int, int] = (0, 100)) -> dict[str, Any]:
    """A mean over so many groups: values with their errors at 95%."""
    cells = [
        {"value": value, "accuracy": [{"confidence_level": 0.95, "value": error, "message": ""}]}
        for value, error in pairs
    ]
    return {"statistic": "mean", "column": "hours", "cells": cells, "range": list(limits)}


def of_groups(statistic: dict[str, Any], *names: str) -> dict[str, Any]:
    return {"groups": [{"column": "job", "bins": list(names)}], "statistics": [statistic]}


@pytest.mark.parametrize(
    ("step", "edges", "names"),
    [
        (1, [16, 26, 36], ["16–25", "26–36"]),
        (1, [16, 17, 18], ["16", "17–18"]),
        (1, [-10, 0, 10], ["-10 to -1", "0–10"]),
        (0.5, [0, 10, 20], ["0 to under 10", "10 to 20"]),
        (1, [0, 2.5, 5], ["0 to under 2.5", "2.5 to 5"]),
        (None, [16, 26, 36], ["16 to under 26", "26 to 36"]),
    ],
)
def test_bins_are_named_as_people_name_them(step: Any, edges: list[Any], names: list[str]) -> None:
    """Answers from before the step was kept say it in words that are true for any step."""
    group = {"column": "age", "bins": ["[a)", "[b]", "other"]} | ({"step": step} if step else {})
    body = {"plan": {"group_by": [{"column": "age", "edges": edges}]}, "groups": [group]}
    assert shown_bins(body) == [[*names, "other"]]


def test_a_release_keeps_the_step_and_its_page_names_whole_years_of_age() -> None:
    body = released(COUNT, group_by=BY_AGE)
    assert body["groups"][0]["bins"][0] == "[17, 27)"
    assert [labels[0] for labels in read_answer(body).labels] == [
        "17–26",
        "27–36",
        "37–90",
        "other",
    ]


def test_a_year_has_no_gap_after_its_thousands_and_money_has() -> None:
    year = {"statistic": "mean", "column": "year", "range": [2012, 2016]}
    pay = {"statistic": "mean", "column": "pay", "range": [0, 9000]}
    assert written(2016, None, year) == "2016"
    assert written(2016, None, pay) == "2,016"
    assert written(2016, None, year | {"statistic": "sum"}) == "2,016"


def test_a_group_whose_error_hides_the_others_is_folded() -> None:
    """Wider than half of the column, or than all that lies between the others."""
    statistic = means((40, 0.5), (41, 0.6), (45, 1), (38, 10.5), (50, 58), (None, 1))
    assert too_noisy(statistic) == [False, False, False, True, True, True]
    apart = means((30, 0.5), (41, 0.6), (45, 1), (38, 10.5))
    assert too_noisy(apart) == [False] * 4


def test_where_all_groups_are_noisy_none_is_folded() -> None:
    assert too_noisy(means((40, 60), (41, 70))) == [False, False]


def test_counts_have_one_error_and_are_never_folded() -> None:
    assert too_noisy(means((1, 50), (2, 50)) | {"statistic": "count"}) == [False, False]


def test_means_are_dots_largest_first_on_the_axis_of_those_that_say_something() -> None:
    statistic = means((40, 1), (46, 1), (43, 1), (50, 58))
    (chart,) = release_charts(of_groups(statistic, "a", "b", "c", "other"))
    (dots,) = chart.figure["data"]
    assert (dots["type"], dots["mode"]) == ("scatter", "markers")
    assert dots["x"] == [46, 43, 40]
    assert chart.figure["layout"]["yaxis"]["ticktext"] == ["b", "c", "a"]
    low, high = chart.figure["layout"]["xaxis"]["range"]
    assert 38 < low < 39
    assert 47 < high < 48
    assert chart.folded == ("other",)
    assert "1 group is too noisy to show: other." in chart.caption
    assert chart.size == "lines-5"


def test_an_interval_of_a_dot_ends_at_the_declared_bounds() -> None:
    """L23: of a mean of 3 ± 10 in a column from 0, the line begins at 0."""
    (chart,) = release_charts(of_groups(means((3, 10), (95, 10)), "a", "b"))
    (dots,) = chart.figure["data"]
    assert dots["error_x"]["arrayminus"] == [10, 3]
    assert dots["error_x"]["array"] == [5, 10]


def test_bins_of_numbers_keep_their_order() -> None:
    chart = release_charts(released(MEAN_HOURS, group_by=BY_AGE))[0]
    assert chart.figure["layout"]["xaxis"]["ticktext"][:3] == ["17–26", "27–36", "37–90"]
    assert chart.figure["data"][0]["x"] == [0, 1, 2]


@pytest.mark.parametrize(
    ("value", "limits", "shown"),
    [
        (100.72, (0, 110), "100.72"),
        (0.503717, (0, 1), "0.50372"),
        (41_237.5, (0, 65_000), "41,237.5"),
    ],
)
def test_a_median_is_shown_as_it_was_released(
    value: float, limits: tuple[int, int], shown: str
) -> None:
    """Its error is so many rows, which says nothing of digits: the declared bounds do."""
    head = {"statistic": "median", "column": "hours", "range": list(limits)}
    assert shown_number({"value": value, "accuracy": []}, head) == shown


def test_an_empty_rest_is_left_out_of_the_picture_and_said() -> None:
    statistic = means((40, 3), (41, 3), (2, 3)) | {"statistic": "count", "column": None}
    (chart,) = release_charts(of_groups(statistic, "a", "b", "other"))
    assert chart.figure["data"][0]["y"] == [40, 41]
    assert "“other” is not shown" in chart.caption
    assert not empty_rest(means((40, 3), (4, 3)) | {"statistic": "count"}, 2)


@pytest.mark.parametrize("mode", list(Mode))
def test_the_finding_is_the_clearest_pair_with_an_error_that_holds_for_all(mode: Mode) -> None:
    (found,) = findings(released(MEAN_HOURS, mode=mode, group_by=BY_AGE))
    assert found.sentence.startswith("Mean of hours: 37–90 is ")
    assert found.sentence.endswith(" above 17–26, beyond noise.")
    assert "all 4 groups hold at once, so that this pair may be picked" in found.scope
    assert found.scope.endswith("“other” is not compared.")


def test_the_error_of_a_finding_holds_for_the_difference_as_it_is_written() -> None:
    """L23: rounding moves both, so that the error takes that in and is rounded up; two digits."""
    chance = Random(5)
    for _ in range(2_000):
        within = chance.uniform(1, 10) * 10 ** chance.randint(-5, 5)
        apart = within * chance.uniform(1.001, 50)
        shown = [Decimal(text.replace(",", "")) for text in apart_in_words(apart, within)]
        assert abs(shown[0] - Decimal(str(apart))) + Decimal(str(within)) <= shown[1] < shown[0]


@pytest.mark.parametrize(
    ("apart", "within", "shown"),
    [
        (12.349, 1.2301, ("12.3", "1.3")),
        (41_234.5, 1_234.5, ("41,200", "1,300")),
        # Of two digits they would be 1 ± 1.1.
        (1.04, 1.0, ("1.04", "1")),
    ],
)
def test_a_finding_has_the_digits_that_its_error_leaves(
    apart: float, within: float, shown: tuple[str, str]
) -> None:
    assert apart_in_words(apart, within) == shown


def test_equal_groups_differ_by_no_more_than_noise() -> None:
    rows: list[Row] = [(10 * group, 50, 0, 0) for group in range(3) for _ in range(40)]
    (found,) = findings(released(MEAN_HOURS, rows=rows, group_by=BY_AGE, epsilon="0.5"))
    assert found.sentence == (
        "Mean of hours: of 3 groups no two differ by more than noise explains."
    )
    assert "pair" not in found.scope
    assert found.scope.endswith("all 4 groups hold at once. “other” is not compared.")


def test_counts_of_groups_that_span_more_values_are_no_finding() -> None:
    """As many of each age, and sixty-four ages in the last group: its edges made it larger."""
    rows: list[Row] = [(age - 17, 50, 0, 0) for age in range(17, 91) for _ in range(400)]
    (found,) = findings(released(COUNT, rows=rows, group_by=BY_AGE, epsilon="0.5"))
    assert found.sentence == (
        "Count of rows: of 2 groups no two differ by more than noise explains."
    )
    assert found.scope.endswith("“other” is not compared, nor is 1 group of another width.")
    even = [{"column": "age", "edges": [17, 27, 37, 47]}]
    (last,) = findings(released(COUNT, rows=rows, group_by=even, epsilon="2"))
    assert last.sentence == found.sentence, "the last one has 47 itself, too"


def test_where_all_groups_span_another_number_of_values_there_is_no_finding() -> None:
    uneven = [{"column": "age", "edges": [17, 27, 47, 90]}]
    assert findings(released(COUNT, group_by=uneven)) == []


def test_the_group_for_the_rest_is_no_finding() -> None:
    rows: list[Row] = [(None, 90, 0, 0)] * 400 + [(0, 50, 0, 0), (10, 50, 0, 0)] * 200
    (found,) = findings(released(MEAN_HOURS, rows=rows, group_by=BY_AGE))
    assert "other" not in found.sentence


def test_an_answer_as_wide_as_its_column_says_nothing_and_one_good_group_says_something() -> None:
    assert empty_in_words(means((0, 100))) == (
        "This answer says nothing: its error is as wide as everything it can be, from 0 to 100."
    )
    assert empty_in_words(means((0, 100), (40, 2))) == ""
    assert "from 2012 to 2016" in empty_in_words(means((2016, 4), limits=(2012, 2016)))
