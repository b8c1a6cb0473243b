"""What pages say of errors is never better than what was released: no condition and no exception
is dropped on the way, and nothing is rounded towards the better.
"""

import json
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.schema import MissingRule
from dpgov.queries.free.finding import Origin, Reusable
from dpgov.queries.free.words import FreeOffer, free_offers
from dpgov.queries.models import Release
from dpgov.queries.web.forms.offer import statistics_offered
from dpgov.queries.wording.downloads import as_csv
from dpgov.queries.wording.drawings import drawings_of
from dpgov.queries.wording.guarantee import price
from dpgov.queries.wording.logistic import logistic_regressions
from dpgov.queries.wording.presentation import read_answer
from dpgov.queries.wording.regressions import conditions, is_held_back, regressions
from dpgov.queries.wording.useful import warning_in_words
from dpgov.queries.workbench.comparing import UNKNOWN, chart_of, compared
from tests.reference import Row
from tests.unit.privacy.tables import blueprint_of, question, release_of, schema_of

WIDE = schema_of(column_spec("pay", numeric_domain("0", "100000", "1"), MissingRule.REQUIRE, ""))
NARROW = schema_of(
    column_spec("x", numeric_domain("0", "1000", "1"), MissingRule.REQUIRE, ""),
    column_spec("y", numeric_domain("0", "100", "1"), MissingRule.REQUIRE, ""),
    column_spec("came", category_domain(["no", "yes"]), MissingRule.REQUIRE, ""),
)
QUARTILES = {"statistic": "quantiles", "column": "pay", "quantiles": [0.25, 0.5, 0.75]}
EXTREME = {"statistic": "max", "column": "pay"}
LINE = {"statistic": "regression", "column": "y", "predictors": ["x"]}
ODDS = {"statistic": "logistic_regression", "column": "came", "predictors": ["x"]}
LINE_WITHIN = (
    "the true line stays within the bounds of the outcome wherever the predictors are within theirs"
)


def of_wide(statistic: dict[str, Any]) -> dict[str, Any]:
    blueprint = blueprint_of(question(statistic, epsilon=1), WIDE)
    return release_of(blueprint, [(50_000 + place % 20,) for place in range(3_000)])


def of_narrow(statistic: dict[str, Any], seed: int = 1) -> dict[str, Any]:
    """The line goes far out of the bounds where x is far from 500."""
    rng = np.random.default_rng(seed)
    xs = np.rint(rng.normal(500, 10, 1_000))
    rows: list[Row] = [
        (int(x), int(np.clip(50 + 2 * (x - 500), 0, 100)), int(rng.random() < 0.5)) for x in xs
    ]
    return release_of(blueprint_of(question(statistic, epsilon=1), NARROW), rows)


def lines_of(body: dict[str, Any]) -> list[list[str]]:
    file = as_csv(Release(body=json.dumps(body)))
    assert isinstance(file, bytes)
    return [line.split(",") for line in file.decode().splitlines()]


def test_rows_that_an_error_in_rows_does_not_count_are_named_wherever_it_stands() -> None:
    """In the answer as data, beside the number, in its sentence, in the file and in the quote."""
    body = of_wide(QUARTILES)
    stated = body["statistics"][0]["cells"][0]["accuracy"][1]
    apart, share = stated["not_counted"]["spacing"], stated["not_counted"]["share"]
    named = (
        f"rows within {apart} of either value or {100 * share:g}% of the rows that share one value"
    )
    answer = read_answer(body)
    cell = answer.statistics[0].cells[0]
    assert cell.beside == f"within {stated['rank_error']} rows that count"
    assert cell.interval.endswith(f"with 95% confidence, not counting {named}.")
    assert answer.aims == [f"In the errors of pay these do not count: {named}."]
    head, first, *_ = lines_of(body)
    at = {name: place for place, name in enumerate(head)}
    assert [float(first[at[f"not_counted_{name}"]]) for name in ("spacing", "share")] == [
        apart,
        share,
    ]
    (offered,) = statistics_offered(blueprint_of(question(QUARTILES), WIDE).describe())
    assert (offered.error or "").endswith(" rows that count")
    assert named in offered.left_out


def test_an_extreme_names_them_too() -> None:
    body = of_wide(EXTREME)
    stated = body["statistics"][0]["cells"][0]["accuracy"][1]
    assert stated["not_counted"] == {"spacing": 2}
    assert "not counting rows within 2 of either value." in (
        read_answer(body).statistics[0].cells[0].interval
    )


def test_what_stored_answers_offer_for_nothing_says_both_too() -> None:
    """Beside its own errors: the price has those of another answer."""
    quantiles = _offered(of_wide(QUARTILES))
    assert [error.endswith(" rows that count") for _label, error in quantiles.errors] == [True]
    assert ["these do not count: rows within 2" in note for note in quantiles.notes] == [True]
    line = _offered(of_narrow(LINE))
    assert ["hold only if the true line stays" in note for note in line.notes] == [True]


def _offered(body: dict[str, Any]) -> FreeOffer:
    columns = [(one, one["cells"][0]["accuracy"]) for one in body["statistics"]]
    answer = SimpleNamespace(choice="0", origin=Origin.IDENTICAL, expected=columns)
    (offer,) = free_offers(cast(Reusable, SimpleNamespace(free=[answer])))
    return offer


def test_a_release_from_before_they_were_kept_is_read_as_it_was() -> None:
    body = of_wide(QUARTILES)
    for statistic in body["statistics"]:
        for stated in statistic["cells"][0]["accuracy"]:
            stated.pop("not_counted", None)
    answer = read_answer(body)
    assert answer.aims == []
    assert answer.statistics[0].cells[0].beside.endswith(" rows")
    assert not [name for name in lines_of(body)[0] if name.startswith("not_counted")]


def test_the_errors_of_a_widened_line_say_under_which_condition_alone_they_hold() -> None:
    """Nobody can read out of the answer whether the true line leaves the bounds; here it does,
    and no bound would hold.
    """
    body = of_narrow(LINE)
    for statistic in body["statistics"]:
        for stated in statistic["cells"][0]["accuracy"]:
            assert stated["provided"] == "line_within_bounds"
            assert stated["message"].endswith(f", provided that {LINE_WITHIN}.")
    (shown,) = regressions(body)
    assert conditions(body) == shown.warnings
    assert "hold only if the true line stays within the declared bounds of y" in shown.warnings[0]
    head, first, *_ = lines_of(body)
    assert first[head.index("provided")] == "line_within_bounds"


def test_so_do_those_of_a_logistic_regression() -> None:
    """A probability that stays away from 0 and 1; one draw in seventy has nothing to widen."""
    drawn = map(of_narrow, [ODDS] * 20)
    body = next(one for one in drawn if _is_widened(one) and not is_held_back(one["statistics"]))
    (shown,) = logistic_regressions(body)
    assert "stays between 1.8% and 98.2% wherever" in shown.warnings[0]
    assert body["statistics"][1]["cells"][0]["accuracy"][0]["provided"] == "probability_within"


def _is_widened(body: dict[str, Any]) -> bool:
    return bool(body["statistics"][0]["cells"][0]["fit"]["widened_directions"])


def test_widened_lines_are_not_compared() -> None:
    """A condition that may fail explains any difference; in older releases, too."""
    bodies = [of_narrow(LINE, seed) for seed in (1, 2)]
    for body in bodies:
        for statistic in body["statistics"]:
            for stated in statistic["cells"][0]["accuracy"]:
                stated.pop("provided", None)
        body["statistics"][0]["cells"][0]["fit"]["widened_directions"] = 1
    rows = compared(bodies)
    assert [row.sides[1].verdict for row in rows] == [UNKNOWN, UNKNOWN]


@pytest.mark.parametrize("asked", [LINE, ODDS], ids=lambda asked: asked["statistic"])
def test_the_condition_is_said_of_lines_that_were_not_widened_too(asked: dict[str, Any]) -> None:
    """The noise leaves enough for coefficients, and too little for errors that always hold."""
    told = (b for b in map(of_narrow, [asked] * 20) if "provided" in json.dumps(b["statistics"]))
    bodies = [next(told), next(told)]
    for body in bodies:
        body["statistics"][0]["cells"][0]["fit"]["widened_directions"] = 0
    shown = (*regressions(bodies[0]), *logistic_regressions(bodies[0]))[0]
    (warning,) = shown.warnings
    assert warning.startswith("The errors hold only if the true ")
    assert conditions(bodies[0]) == [warning]
    rows = compared(bodies)
    assert [row.sides[1].verdict for row in rows] == [UNKNOWN, UNKNOWN]


def test_coefficients_that_were_held_back_have_no_error_anywhere() -> None:
    """Nobody knows how far beyond they lie: dashes, no interval, no comparison, and the reasons."""
    body = of_told(seed=1)
    (shown,) = logistic_regressions(body)
    (warning,) = conditions(body)
    assert shown.warnings == [warning]
    assert "or several predictors act strongly together" in warning
    assert "errors hold only" not in warning
    assert {(one.error, one.interval) for one in shown.coefficients} == {("–", "–")}
    (caption, figure), *_ = shown.figures
    assert "interval" not in caption
    assert set(figure["data"][0]["error_x"]["array"]) == {0.0}
    answer = read_answer(body)
    assert {one.cells[0].errors for one in answer.statistics} == {("–", "–", "–")}
    head, first, *_ = lines_of(body)
    bounds = [first[head.index(f"plus_minus_{level}")] for level in (90, 95, 99)]
    assert bounds == ["", "", ""]
    rows = compared([body, of_told(seed=2)])
    assert [row.sides[1].verdict for row in rows] == [UNKNOWN, UNKNOWN]
    assert chart_of(rows[:1], ["A", "B"]) is not None


def test_nor_has_a_release_that_stated_one() -> None:
    """From before that was seen: the page leaves it away, and no comparison is made with it."""
    bodies = [of_told(seed) for seed in (1, 2)]
    for body in bodies:
        for statistic in body["statistics"]:
            (cell,) = statistic["cells"]
            cell["interval"] = {"confidence_level": 0.95, "range": [-0.1, 0.1]}
            for stated in cell["accuracy"]:
                stated["value"] = 0.01
    (shown,) = logistic_regressions(bodies[0])
    assert {(one.error, one.interval) for one in shown.coefficients} == {("–", "–")}
    assert [row.sides[1].verdict for row in compared(bodies)] == [UNKNOWN, UNKNOWN]


def of_told(seed: int) -> dict[str, Any]:
    """An outcome that is yes above 500 and no below, without exception."""
    rng = np.random.default_rng(seed)
    xs = rng.integers(0, 1_001, 20_000)
    rows: list[Row] = [(int(x), 50, int(x > 500)) for x in xs]
    return release_of(blueprint_of(question(ODDS, epsilon=5), NARROW), rows)


def one_sum(value: float, error: float) -> Any:
    stated = [{"confidence_level": level, "value": error} for level in (0.9, 0.95, 0.99)]
    body = {
        "groups": [],
        "draws": [],
        "guarantee": {"epsilon": 0, "neighbouring": "add_remove", "group_size": 1},
        "statistics": [
            {"statistic": "sum", "column": "pay", "cells": [{"value": value, "accuracy": stated}]}
        ],
    }
    return read_answer(body).statistics[0].cells[0]


@pytest.mark.parametrize(
    ("value", "error", "margin", "ends"),
    [
        (412.37, 12.53, "± 12.6", ("399.8", "424.9")),
        (1000, 1.4999, "± 1.5", ("998.5", "1,001.5")),
        (50, 0.9491, "± 0.95", ("49.05", "50.95")),
        (-3.33, 0.00123456, "± 0.00124", ("\u22123.33124", "\u22123.32876")),
    ],
)
def test_errors_are_rounded_up_and_intervals_outwards(
    value: float, error: float, margin: str, ends: tuple[str, str]
) -> None:
    cell = one_sum(value, error)
    assert cell.errors[1] == margin
    assert f"between {ends[0]} and {ends[1]} with" in cell.interval


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(0.12344999, "0.1235"), (1.00004, "1.001"), (0.000123449, "0.0001235"), (0.5, "0.5")],
)
def test_a_price_is_never_said_to_be_less_than_was_paid(amount: float, shown: str) -> None:
    assert price({"epsilon": amount}) == f"ε {shown}"


def of_dates(value: float, error: float) -> dict[str, Any]:
    """A mean of days, as it is released."""
    stated = [
        {"confidence_level": level, "value": error, "message": ""} for level in (0.9, 0.95, 0.99)
    ]
    head: dict[str, Any] = {"statistic": "mean", "column": "on", "range": [0, 365]}
    head |= {"dates": {"from": "2024-01-01", "step": "day"}}
    cell = {"value": value, "accuracy": stated, "date": "2024-01-05"}
    return {
        "guarantee": {"epsilon": 1.0, "neighbouring": "add_remove", "group_size": 1},
        "plan": {"statistics": [], "group_by": []},
        "groups": [],
        "draws": [],
        "statistics": [head | {"cells": [cell]}],
    }


def test_the_error_of_a_date_holds_for_the_day_that_is_written() -> None:
    """L23: 3.6 ± 0.8 is 2.8 to 4.4, and as the fifth day that is within 1.2 days; in files, too."""
    body = of_dates(3.6, 0.8)
    cell = read_answer(body).statistics[0].cells[0]
    assert (cell.value, cell.errors[1], cell.within) == ("5 Jan 2024", "± 1.2 days", " ± 1.2 days")
    assert "between 3 Jan 2024 and 6 Jan 2024 with" in cell.interval
    head, line = lines_of(body)
    assert line[head.index("value")] == "2024-01-05"
    assert float(line[head.index("plus_minus_95")]) == pytest.approx(1.2)


def test_all_that_can_be_true_is_said_outwards() -> None:
    """L23: and what somebody moves an answer by is rounded up."""
    head = {"statistic": "mean", "column": "x", "range": [-123.456, 987.654]}
    wide = [[{"confidence_level": 0.95, "value": 5_000.0}]]
    assert "everything between \u2212124 and 988:" in warning_in_words(head, wide)
    body = of_wide({"statistic": "sum", "column": "pay"})
    body["draws"][0]["sensitivity_l1"] = 1234.0625
    assert drawings_of(body)[0].sensitivity == "1,235"
