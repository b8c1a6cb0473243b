"""Answers about dates: real dates instead of numbers, and a line with its band along time."""

import json
from typing import Any

import pytest
from django.utils import translation

from dpgov.privacy.plan.domains import column_spec, date_domain
from dpgov.queries.wording.dates import bin_shown, period_shown
from dpgov.queries.wording.figures import release_charts
from dpgov.queries.wording.findings import findings
from dpgov.queries.wording.presentation import read_answer
from dpgov.queries.wording.words import in_words
from tests.reference import Row
from tests.unit.privacy.tables import AGE, COUNT, SEX, blueprint_of, question, release_of, schema_of

SCHEMA = schema_of(
    column_spec("on", date_domain("2023-11-01", "2024-06-30", "day"), "drop", ""), AGE, SEX
)
# 200 rows on each of the first 120 days, but none in the last three months, and 50 without a date.
ROWS: list[Row] = [(day, 20, day % 2) for day in range(120) for _ in range(200)]
ROWS += [(None, 20, 0)] * 50
BY_MONTH = [{"column": "on", "by": "month"}]
MONTHS = ["Nov 2023", "Dec 2023", "Jan 2024", "Feb 2024", "Mar 2024", "Apr 2024", "May 2024"]


def released(*statistics: dict[str, Any], **more: Any) -> dict[str, Any]:
    body = release_of(blueprint_of(question(*statistics, **{"epsilon": 20} | more), SCHEMA), ROWS)
    assert json.loads(json.dumps(body)) == body
    return body


def test_a_median_of_dates_is_a_date_and_a_mean_is_so_many_days_off() -> None:
    on = {"column": "on"}
    body = released({"statistic": "median", **on}, {"statistic": "mean", **on})
    median, mean = body["statistics"]
    assert median["dates"] == {"from": "2023-11-01", "step": "day"}
    assert median["cells"][0]["date"][:7] == "2023-12"
    said = read_answer(body)
    assert said.statistics[0].cells[0].value.endswith("Dec 2023")
    assert said.statistics[1].cells[0].errors[1].endswith("days")
    assert "Dec 2023 and 3" in said.statistics[1].cells[0].interval
    assert mean["range"] == [0, 242]


def test_counts_by_month_are_a_line_with_its_band_and_a_table() -> None:
    body = released(COUNT, group_by=BY_MONTH)
    (chart,) = release_charts(body)
    low, high, line = chart.figure["data"]
    assert chart.figure["layout"]["xaxis"]["type"] == "date"
    assert (low.get("fill"), high["fill"]) == (None, "tonexty")
    assert line["x"][0] == "2023-11-01 00:00"
    assert len(line["x"]) == len(low["y"]) == 8, "rows without a date are in the table alone"
    assert all(a <= b <= c for a, b, c in zip(low["y"], line["y"], high["y"], strict=True))
    assert [text for text, _ in line["customdata"]][:7] == MONTHS
    labels = [label for (label,) in read_answer(body).labels]
    assert labels == [*MONTHS, "Jun 2024", "no date"]
    assert "along time" in chart.caption
    assert "“no date” has no place in time and is not shown." in chart.caption
    assert chart.caption.endswith("The table below holds every number.")


def test_rows_without_a_date_are_no_month_to_compare_and_the_finding_says_so() -> None:
    rows: list[Row] = [(day, 20, 0) for day in range(242)] + [(None, 20, 0)] * 2_000
    raw = question(COUNT, epsilon="0.5", group_by=BY_MONTH)
    (found,) = findings(release_of(blueprint_of(raw, SCHEMA), rows))
    sentence = "Count of rows: of 8 groups no two differ by more than noise explains."
    assert (found.sentence, "“no date” is not compared." in found.scope) == (sentence, True)


def test_a_month_with_nothing_but_noise_has_no_mark_and_is_named() -> None:
    body = released({"statistic": "mean", "column": "age"}, group_by=BY_MONTH)
    (chart,) = release_charts(body)
    assert len(chart.figure["data"][-1]["x"]) == 4
    assert "May 2024" in chart.folded


@pytest.mark.parametrize("order", [1, -1])
def test_a_second_grouping_gives_a_line_for_each_of_its_groups(order: int) -> None:
    groups = [*BY_MONTH, {"column": "sex"}][::order]
    (chart,) = release_charts(released(COUNT, group_by=groups))
    lines = [trace for trace in chart.figure["data"] if trace["mode"] != "lines"]
    assert [trace["name"] for trace in lines] == ["Female", "Male", "other"]
    november = [trace["y"][0] for trace in lines]
    assert november[0] == pytest.approx(3_000, abs=20)
    assert november[2] == pytest.approx(0, abs=20)


def test_weekdays_are_named_and_stand_as_bars_from_monday_on() -> None:
    body = released(COUNT, group_by=[{"column": "on", "by": "weekday"}])
    assert body["groups"][0]["bins"] == ["1", "2", "3", "4", "5", "6", "7", "other"]
    labels = [label for (label,) in read_answer(body).labels]
    assert (labels[0], labels[6], labels[7]) == ("Monday", "Sunday", "no date")
    (chart,) = release_charts(body)
    assert chart.figure["data"][0]["type"] == "bar"


def test_own_bins_are_named_by_their_dates() -> None:
    edges = ["2023-11", "2024", "2024-06-30"]
    body = released(COUNT, group_by=[{"column": "on", "edges": edges}])
    labels = [label for (label,) in read_answer(body).labels]
    assert labels == ["Nov 2023 to before 2024", "2024 to 30 Jun 2024", "other"]
    counts = [cell["value"] for cell in body["statistics"][0]["cells"]]
    assert counts == pytest.approx([61 * 200, 59 * 200, 50], abs=5)


def test_a_question_by_date_is_a_sentence() -> None:
    raw = {
        **question(COUNT, group_by=BY_MONTH),
        "where": [{"column": "on", "op": ">=", "value": "2024"}],
    }
    assert in_words(raw) == "Count of rows, where on is at least 2024, for each month of on"


@pytest.mark.parametrize(
    ("name", "english", "german"),
    [
        ("2024", "2024", "2024"),
        ("2024-W05", "2024-W05", "2024-W05"),
        ("2024-Q3", "Q3 2024", "Q3 2024"),
        ("2024-01-31T14", "31 Jan 2024 14:00", "31. Jan. 2024 14:00"),
    ],
)
def test_periods_are_written_as_in_the_reader_s_language(
    name: str, english: str, german: str
) -> None:
    assert period_shown(name) == english
    with translation.override("de"):
        assert period_shown(name)[:3] == german[:3]
        assert bin_shown("1", "weekday") == "Montag"
