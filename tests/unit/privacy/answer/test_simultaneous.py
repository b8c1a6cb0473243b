"""Bounds that hold for all groups at once: never narrower than those of one group, and right."""

from itertools import pairwise
from typing import Any

import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.simultaneous import bounds_for_all
from tests.reference import Row
from tests.unit.privacy.tables import (
    COUNT,
    MEAN_AGE,
    SUM_AGE,
    blueprint_of,
    question,
    release_of,
    schema_of,
)

EDGES = [17, 27, 37, 47, 57, 67, 77, 90]
ROWS: list[Row] = [(place % 74, 0, 0, place % 2) for place in range(740)]
MEAN_HOURS = {"statistic": "mean", "column": "hours"}
BY_AGE = [{"column": "age", "edges": EDGES}]


def released(*statistics: dict[str, Any], mode: Mode = Mode.PURE, **more: Any) -> dict[str, Any]:
    amount = {"epsilon": 1} if mode is Mode.PURE else {"rho": "0.05", "epsilon": None}
    raw = question(*statistics, **(amount | more))
    return release_of(blueprint_of(raw, schema_of(mode=mode)), ROWS)


def stated(body: dict[str, Any], level: float) -> list[float]:
    return [
        item["value"]
        for cell in body["statistics"][0]["cells"]
        for item in cell["accuracy"]
        if item["confidence_level"] == level
    ]


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("statistic", [COUNT, SUM_AGE, MEAN_HOURS], ids=["count", "sum", "mean"])
def test_eight_groups_at_once_take_more_than_each_alone(
    mode: Mode, statistic: dict[str, Any]
) -> None:
    """At 95% for all of 8, each has a 160th to go wrong: more than at 99% for one alone."""
    body = released(statistic, mode=mode, group_by=BY_AGE)
    found = bounds_for_all(body, 0)
    assert found is not None
    # What is stated is rounded up in its last decimal.
    assert all(bound >= one - 1e-5 for bound, one in zip(found, stated(body, 0.99), strict=True))
    assert all(bound <= 2.2 * one for bound, one in zip(found, stated(body, 0.95), strict=True))


def test_of_one_number_alone_it_is_no_narrower_than_what_is_stated() -> None:
    body = released(MEAN_HOURS)
    assert bounds_for_all(body, 0) == pytest.approx(stated(body, 0.95), abs=1e-5)


def test_more_groups_need_wider_bounds() -> None:
    widths = []
    for bins in (2, 10, 50):
        edges = [17 + place for place in range(bins + 1)]
        found = bounds_for_all(released(COUNT, group_by=[{"column": "age", "edges": edges}]), 0)
        assert found is not None
        widths.append(found[0])
    assert all(narrow < wide for narrow, wide in pairwise(widths))


def test_choices_spreads_and_what_was_put_together_have_none() -> None:
    median = {"statistic": "median", "column": "hours"}
    spread = {"statistic": "variance", "column": "hours"}
    assert bounds_for_all(released(median, group_by=BY_AGE), 0) is None
    assert bounds_for_all(released(spread, group_by=BY_AGE), 0) is None
    made = released(MEAN_AGE)
    del made["statistics"][0]["draw"]
    assert bounds_for_all(made, 0) is None


@pytest.mark.parametrize("mode", list(Mode))
def test_all_groups_of_at_least_95_of_100_answers_lie_within_them(mode: Mode) -> None:
    """100 answers over seven groups of known means: with their own bounds about 30 would miss."""
    rows: list[Row] = [(10 * group, 50, 0, 0) for group in range(7) for _ in range(60)]
    raw = question(MEAN_HOURS, group_by=BY_AGE) | (
        {} if mode is Mode.PURE else {"epsilon": None, "rho": "0.05"}
    )
    blueprint = blueprint_of(raw, schema_of(mode=mode))
    missed = 0
    for _ in range(100):
        body = release_of(blueprint, rows)
        bounds = bounds_for_all(body, 0)
        assert bounds is not None
        values = [cell["value"] for cell in body["statistics"][0]["cells"][:7]]
        missed += any(
            abs(value - 51) > bound for value, bound in zip(values, bounds[:7], strict=True)
        )
    assert missed <= 14
