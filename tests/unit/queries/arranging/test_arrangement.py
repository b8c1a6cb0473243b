"""F14: An answer's groups in the order a reader wants: made of released numbers alone."""

from copy import deepcopy
from typing import Any

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from dpgov.queries.arranging.arrange import Ratio, arrange
from dpgov.queries.arranging.arrangement import (
    NONE,
    Arrangement,
    InvalidArrangement,
    arrangement_of,
    read_arrangement,
)
from dpgov.queries.rest.shapes.arranging import ArrangedSerializer, arranged
from dpgov.queries.web.forms.arranging import ArrangeForm
from tests.unit.queries.wording.test_margins import LINE, ODDS, of_narrow, of_wide


def cell(value: float | None, error: float = 2.0) -> dict[str, Any]:
    return {"value": value, "accuracy": [{"confidence_level": 0.95, "value": error, "message": ""}]}


def body() -> dict[str, Any]:
    """Two sexes by three wards: counts and sums."""
    return {
        "groups": [{"column": "sex", "bins": ["F", "M"]}, {"column": "ward", "bins": [*"NES"]}],
        "statistics": [
            {"statistic": "count", "cells": [cell(v) for v in (5, 40, 10, 40, None, 7)]},
            {
                "statistic": "sum",
                "column": "age",
                "cells": [cell(v, 10) for v in (50, 800, 0, 400, 30, 70)],
            },
        ],
    }


def wanted(text: str) -> Arrangement:
    return read_arrangement(QueryDict(text), statistics=2, groupings=2)


def places(text: str) -> list[int]:
    return arrange(body(), wanted(text)).places


def test_without_wishes_every_group_stands_in_its_declared_order() -> None:
    assert not wanted("")
    assert places("") == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sort=-1", [1, 3, 2, 5, 0, 4]),
        ("sort=1", [0, 5, 2, 1, 3, 4]),
        ("sort=g2", [0, 3, 1, 4, 2, 5]),
        ("sort=-g2,-2", [5, 2, 1, 4, 3, 0]),
        ("sort=-1,2", [3, 1, 2, 5, 0, 4]),
        ("first=2", [0, 1]),
        ("sort=-1&first=2", [1, 3]),
        ("having=1>=10", [1, 2, 3]),
        ("having=1>5&having=2<500&sort=2", [2, 5, 3]),
        ("having=1!=40", [0, 2, 5]),
        ("ratio=2/1&sort=-r1", [1, 0, 3, 5, 2, 4]),
        ("ratio=2/1&having=r1>=10", [0, 1, 3, 5]),
    ],
)
def test_groups_are_sorted_cut_and_chosen_by_released_numbers(text: str, found: list[int]) -> None:
    assert places(text) == found


def test_groups_without_a_number_come_last_and_pass_no_condition() -> None:
    assert places("sort=1")[-1] == places("sort=-1")[-1] == 4
    assert 4 not in places("having=1>-1000000")


@pytest.mark.parametrize(
    ("op", "found"), [("=", [1]), ("!=", [0]), (">=", [1]), (">", []), ("<=", [0, 1]), ("<", [0])]
)
def test_a_group_is_compared_by_the_number_that_is_shown(op: str, found: list[int]) -> None:
    """38.3 is no binary float: the nearest is a little less."""
    fractions = body()
    fractions["groups"][0]["bins"], fractions["groups"][1]["bins"] = ["F"], [*"NE"]
    fractions["statistics"] = [{"statistic": "mean", "cells": [cell(0.3), cell(38.3)]}]
    asked = read_arrangement(QueryDict(f"having=1{op}38.3"), statistics=1, groupings=2)
    assert arrange(fractions, asked).places == found


def test_what_is_not_shown_is_counted() -> None:
    assert arrange(body(), wanted("having=1>=10&first=2")).left_out == 4


def test_a_ratio_lies_where_both_of_its_numbers_allow() -> None:
    (column,) = arrange(body(), wanted("ratio=2/1")).ratios
    assert column[1] == Ratio(20.0, 790 / 42, 810 / 38)
    assert column[4] == Ratio(None)


def test_a_ratio_with_a_divisor_that_may_be_zero_may_be_anything() -> None:
    """The interval of 10 / 0.4 that ignores this would promise what it cannot keep."""
    small = body()
    small["statistics"][0]["cells"][1] = cell(1.5)
    (column,) = arrange(small, wanted("ratio=2/1")).ratios
    assert column[1] == Ratio(800 / 1.5)


@given(
    above=st.floats(-100, 100),
    below=st.floats(1, 100),
    errors=st.tuples(st.floats(0.1, 9), st.floats(0.01, 0.9)),
    at=st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
)
def test_the_true_ratio_is_inside_whenever_both_numbers_are_inside_theirs(
    above: float, below: float, errors: tuple[float, float], at: tuple[float, float]
) -> None:
    one = deepcopy(body())
    one["statistics"][1]["cells"][0] = cell(above, errors[0])
    one["statistics"][0]["cells"][0] = cell(below, errors[1])
    ratio = arrange(one, wanted("ratio=2/1")).ratios[0][0]
    true = (above + at[0] * errors[0]) / (below + at[1] * errors[1])
    assert ratio.low is not None
    assert ratio.high is not None
    assert ratio.low - 1e-9 <= true <= ratio.high + 1e-9


@pytest.mark.parametrize(
    "text",
    [
        *("sort=3", "sort=g3", "sort=r1", "sort=x", "sort=1;drop", "sort=--1"),
        *("first=0", "first=-1", "first=1e3", "first=ten"),
        *("having=1", "having=g1=3", "having=1>ten", "having=9>1", "having=1=>2"),
        *("ratio=1", "ratio=1/1", "ratio=1/9", "ratio=r1/1"),
        "&".join(["having=1>0"] * 21),
    ],
)
def test_what_this_answer_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(InvalidArrangement):
        wanted(text)


@pytest.mark.parametrize(
    "text",
    ["", "sort=-1,g2&first=10&having=1>=100&having=2<0.5&ratio=1/2", "ratio=2/1&sort=-r1"],
)
def test_an_arrangement_and_its_address_say_the_same(text: str) -> None:
    assert wanted(wanted(text).as_query()) == wanted(text)
    assert NONE.as_query() == ""


@pytest.mark.parametrize("asked", [LINE, ODDS], ids=["linear", "logistic"])
def test_coefficients_stand_in_no_ratio(asked: dict[str, Any]) -> None:
    """What a ratio says of the true one has no condition, and their errors hold under one."""
    one = of_narrow(asked)
    for text in ("ratio=1/2", "ratio=2/1", "sort=-1&ratio=1/2"):
        with pytest.raises(InvalidArrangement, match=r"cannot be arranged by ratio=\d/\d"):
            arrangement_of(one, QueryDict(text))
    assert arrangement_of(one, QueryDict("sort=-1")).sort
    for field in ("above", "below"):
        assert str(ArrangeForm(one, NONE)[field]).count("<option") == 1


def test_nor_does_anything_else_whose_error_has_a_condition() -> None:
    one = body()
    one["statistics"][1]["cells"][0]["accuracy"][0]["provided"] = "line_within_bounds"
    with pytest.raises(InvalidArrangement):
        arrangement_of(one, QueryDict("ratio=2/1"))


def test_programs_read_dates_and_ranks_as_they_were_released() -> None:
    dated = body()
    first, second = dated["statistics"]
    first["dates"] = {"from": "2024-01-01", "step": "day"}
    first["cells"][0]["date"] = "2024-01-06"
    second["cells"][0]["accuracy"][0] |= {"value": None, "rank_error": 75}
    found = ArrangedSerializer(arranged(dated, QueryDict(""))).data
    assert found["dates"] == {"1": first["dates"]}
    assert found["rows"][0]["cells"][0] == {"value": 5.0, "error_95": 2.0, "date": "2024-01-06"}
    assert found["rows"][0]["cells"][1] == {"value": 50.0, "error_95": None, "rank_error": 75}


def test_programs_read_the_condition_beside_the_error() -> None:
    """And nothing where there is none."""
    found = [
        ArrangedSerializer(arranged(one, QueryDict(""))).data["rows"][0]["cells"][0]
        for one in (of_narrow(LINE), of_wide({"statistic": "sum", "column": "pay"}))
    ]
    assert found[0]["provided"] == "line_within_bounds"
    assert set(found[1]) == {"value", "error_95"}
