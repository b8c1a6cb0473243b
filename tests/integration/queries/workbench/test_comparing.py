"""Answers side by side: the same statistics and groups, with what noise can explain."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.queries.workbench.comparing import (
    BEYOND,
    UNKNOWN,
    WITHIN,
    chart_of,
    comparable,
    compared,
)
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.queries.web.test_quote_page import text_of

PAGE = "/datasets/visits/compare/"
Stored = Callable[[dict[str, Any]], Query]
MALES = {"column": "sex", "op": "=", "value": "Male"}


def body(*cells: tuple[float | None, float | None], name: str = "count") -> dict[str, Any]:
    """An answer by sex, with these values and error bounds."""
    return {
        "groups": [{"column": "sex", "bins": ["Female", "Male"][: len(cells)]}],
        "statistics": [
            {
                "statistic": name,
                "column": None,
                "cells": [
                    {
                        "value": value,
                        "accuracy": [
                            {"confidence_level": level, "value": bound} for level in (0.95, 0.99)
                        ],
                    }
                    for value, bound in cells
                ],
            }
        ],
    }


@pytest.mark.parametrize(
    ("first", "second", "verdict", "difference"),
    [
        ((100, 5), (111, 5), BEYOND, "+11 ± 10"),
        ((100, 5), (110, 5), WITHIN, "+10 ± 10"),
        ((100, 5), (89, 5), BEYOND, "\u221211 ± 10"),
        ((100, None), (89, 5), UNKNOWN, ""),
        ((None, 5), (89, 5), UNKNOWN, ""),
    ],
)
def test_a_difference_counts_only_beyond_both_bounds_together(
    first: Any, second: Any, verdict: str, difference: str
) -> None:
    (row,) = compared([body(first), body(second)])
    assert (row.sides[1].verdict, row.sides[1].difference) == (verdict, difference)
    assert row.differs is (verdict == str(BEYOND))
    assert row.sides[0].verdict == ""


def test_only_what_the_first_answer_shares_is_compared() -> None:
    whole, half = body((1, 1), (2, 1)), body((5, 1))
    (row,) = compared([half, whole, body((5, 1), name="sum")])
    assert (row.label, row.group) == ("Count of rows", "sex Female")
    assert [side.value for side in row.sides] == ["5", "1", "–"]
    assert compared([whole, body((5, 1), name="sum")]) == []


def _by(group: dict[str, Any], name: str = "count") -> dict[str, Any]:
    """An answer with one cell for each bin of this grouping."""
    found = body(*((place, 1) for place in range(len(group["bins"]))), name=name)
    return {**found, "groups": [group]}


AGES = {"column": "age", "bins": ["[0, 20)", "[20, 40)", "[40, 60]", "other"]}
OLDER = {"column": "age", "bins": ["[10, 20)", "[20, 40)", "[40, 60]", "other"]}
LISTED = {"column": "sex", "bins": ["Female", "Male", "other"]}
TURNED = {"column": "sex", "bins": ["Male", "Female", "other"]}
FEWER = {"column": "sex", "bins": ["Female", "other"]}


@pytest.mark.parametrize(
    ("first", "second", "name", "shared"),
    [
        (AGES, OLDER, "count", ["age [20, 40)", "age [40, 60]"]),
        (AGES, OLDER, "cdf", []),
        (OLDER, OLDER, "cdf", [f"age {name}" for name in OLDER["bins"]]),
        (LISTED, FEWER, "count", ["sex Female"]),
        (LISTED, TURNED, "count", ["sex Female", "sex Male", "sex other"]),
    ],
)
def test_only_groups_of_the_same_rows_are_compared(
    first: dict[str, Any], second: dict[str, Any], name: str, shared: list[str]
) -> None:
    """Everything else is else than what is named; a count up to an edge begins at the first."""
    rows = compared([_by(first, name), _by(second, name)])
    assert [row.group for row in rows] == shared


def test_parts_of_the_calendar_of_one_name_are_not_compared() -> None:
    """A first day of the week is no first quarter of the year."""
    days = {"column": "on", "by": "weekday", "bins": ["1", "2", "other"]}
    quarters = days | {"by": "quarter_of_year"}
    assert compared([_by(days), _by(quarters)]) == []
    assert len(compared([_by(days), _by(days)])) == 3


def test_plans_along_other_parts_or_other_edges_have_nothing_to_compare() -> None:
    count, running = (
        {"statistics": [{"statistic": "count"}]},
        {"statistics": [{"statistic": "cdf"}]},
    )
    by_day, by_quarter = (
        {"group_by": [{"column": "on", "by": part}]} for part in ("weekday", "quarter")
    )
    assert not comparable(count | by_day, count | by_quarter)
    young, old = ({"group_by": [{"column": "age", "edges": [low, 40]}]} for low in (0, 20))
    assert comparable(count | young, count | old)
    assert not comparable(running | young, running | old)


def test_two_answers_of_one_dataset_are_put_side_by_side(
    browser: Client, stored: Stored, django_assert_max_num_queries: Any
) -> None:
    everybody, males = stored({"epsilon": 1}), stored({"epsilon": 1, "where": [MALES]})
    with django_assert_max_num_queries(12):
        page = browser.get(PAGE, {"answer": [str(males.pk), str(everybody.pk)]})
    said = text_of(page.content)
    assert re.search(r"A Count of rows , ε 1, \d+ \w+ \d{4}", said)
    assert re.search(r"B Count of rows, where sex is Male , ε 1, \d+", said)
    assert 'id="compared-chart-figure"' in page.content.decode()
    assert "Beyond what noise explains: 1 of 1 row." in said
    assert "all rows asked about" in said
    value = json.loads(everybody.release.body)["statistics"][0]["cells"][0]["value"]
    assert f"{value} ± " in said


def test_without_a_choice_the_page_says_what_to_choose(browser: Client, stored: Stored) -> None:
    query = stored({"epsilon": 1})
    assert "No answers to compare yet" in text_of(browser.get(PAGE).content), "one has no partner"
    stored({"epsilon": 1, "where": [MALES]})
    assert "Choose two to five answers" in text_of(browser.get(PAGE).content)
    one = text_of(browser.get(PAGE, {"answer": str(query.pk)}).content)
    assert "Choose at least one more" in one
    assert browser.get(PAGE, {"answer": "nonsense"}).status_code == 200


def test_only_answers_that_can_be_compared_are_offered(browser: Client, stored: Stored) -> None:
    """After the first choice only what has a statistic and its groups in common with it."""
    count, males = stored({"epsilon": 1}), stored({"epsilon": 1, "where": [MALES]})
    mean = stored({"epsilon": 1, "statistics": [{"statistic": "mean", "column": "age"}]})
    page = browser.get(PAGE, {"answer": str(count.pk)}).content.decode()
    assert f'value="{males.pk}"' in page
    assert f'value="{mean.pk}"' not in page
    assert f'value="{mean.pk}"' not in browser.get(PAGE).content.decode()


def test_an_answer_without_a_partner_is_no_choice(browser: Client, stored: Stored) -> None:
    """One box to tick would ask for a second that does not exist."""
    mean = stored({"epsilon": 1, "statistics": [{"statistic": "mean", "column": "age"}]})
    page = browser.get(PAGE, {"answer": str(mean.pk)}).content
    assert 'type="checkbox"' not in page.decode()
    assert "Ask two questions that have a statistic in common" in text_of(page)


def test_plans_are_comparable_by_statistic_and_grouped_columns() -> None:
    count, mean = {"statistic": "count"}, {"statistic": "mean", "column": "age"}
    by_sex = [{"column": "sex", "categories": ["Female"]}]
    assert comparable({"statistics": [count, mean]}, {"statistics": [mean]})
    assert not comparable({"statistics": [count]}, {"statistics": [mean]})
    assert not comparable({"statistics": [count], "group_by": by_sex}, {"statistics": [count]})


def test_the_chart_has_a_colour_for_each_answer_and_no_number_where_there_is_none() -> None:
    rows = compared([body((5, 1), (7, 2)), body((6, 1), (None, None))])
    figure = chart_of(rows, ["A", "B"])
    assert figure is not None
    first, second = figure["data"]
    assert (first["name"], first["x"], first["error_x"]["array"]) == ("A", [5, 7], [1, 2])
    assert (second["name"], second["x"]) == ("B", [6])
    assert chart_of(rows * 20, ["A", "B"]) is None


@pytest.mark.parametrize(("number", "words"), [(1, "And 1 more row."), (2, "And 2 more rows.")])
def test_rows_that_are_not_shown_are_counted_in_words(number: int, words: str) -> None:
    rows = compared([body((1, 1)), body((2, 1))])
    told = {"rows": rows, "left_out": number}
    assert words in text_of(render_to_string("queries/answer/_compared.html", told).encode())


def test_without_answers_the_page_leads_to_asking(browser: Client, dataset: Dataset) -> None:
    assert "No answers to compare yet" in text_of(browser.get(PAGE).content)


def test_more_than_five_are_cut_to_the_oldest(browser: Client, stored: Stored) -> None:
    queries = [stored({"epsilon": 0.1, "where": [MALES | {"op": op}]}) for op in ("=", "!=") * 3]
    said = text_of(browser.get(PAGE, {"answer": [str(q.pk) for q in queries]}).content)
    assert "At most 5 answers are compared at once" in said
    assert "E − A" in said


def test_a_colleague_s_answer_cannot_be_chosen(
    stored: Stored, analyst: Membership, client_for: Callable[[Membership], Client]
) -> None:
    """H1: what somebody may not open, they may not compare either."""
    queries = [stored({"epsilon": 1}), stored({"epsilon": 1, "where": [MALES]})]
    colleague = client_for(join(analyst.tenant, Role.ANALYST, "carl"))
    page = colleague.get(PAGE, {"answer": [str(query.pk) for query in queries]})
    assert "No answers to compare yet" in text_of(page.content)


def test_a_waiting_answer_cannot_be_chosen(
    browser: Client, analyst: Membership, ask: Callable[..., Query]
) -> None:
    """E5: nothing of it is seen before its time."""
    waiting = ask(analyst)
    assert str(waiting.pk) not in browser.get(PAGE, {"answer": str(waiting.pk)}).content.decode()
