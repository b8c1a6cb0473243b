"""M3: regressions on columns of a released one are made of its moments, and of nothing else.

What could overspend: a regression about other rows, or on other columns, that is given for nothing.
"""

from typing import Any

import pytest

from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.reuse.derived import derive, stored_as
from tests.unit.privacy.tables import blueprint_of, question, release_of, schema_of

SCHEMA = schema_of()
STORED = {"statistic": "regression", "column": "hours", "predictors": ["age", "sex"]}


def asked(column: str, *predictors: str, **more: Any) -> dict[str, Any]:
    one = {"statistic": "regression", "column": column, "predictors": list(predictors)}
    return question(one, **more)


def made_of(stored: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any] | None:
    """The body made of a stored answer about twenty rows; None where it tells nothing."""
    there = blueprint_of(stored, SCHEMA)
    body = release_of(there, [(at, at, None, at % 2, None) for at in range(20)])
    plan = parse_plan(wanted, SCHEMA, dataset="people")
    source = stored_as("stored", there.plan, plan, SCHEMA, there)
    found = None if source is None else derive(plan, SCHEMA, [source], together=False)
    return None if found is None else found.body({"stored": body}, [])


@pytest.mark.parametrize(
    "wanted",
    [asked("hours", "sex", "age"), asked("age", "hours", "sex"), asked("age", "sex", "hours")],
)
def test_the_same_columns_are_free_in_any_order_and_with_another_outcome(
    wanted: dict[str, Any],
) -> None:
    body = made_of(question(STORED), wanted)
    assert body is not None
    terms = [(one["term"], one["column"]) for one in body["statistics"]]
    (statistic,) = wanted["statistics"]
    assert terms == [(name, statistic["column"]) for name in (None, *statistic["predictors"])]
    assert body["guarantee"]["epsilon"] == 0


def test_a_column_that_drops_no_row_may_be_left_out() -> None:
    """Hours are imputed: with or without them the rows are the same."""
    stored = asked("age", "hours", "sex")
    assert made_of(stored, asked("age", "sex")) is not None


@pytest.mark.parametrize(
    "wanted",
    [
        asked("hours", "age"),
        asked("hours", "age", "sex", "change"),
        asked("hours", "age", "sex", where=[{"column": "age", "op": ">", "value": 30}]),
    ],
    ids=["rows without a sex are missing", "another column", "other rows"],
)
def test_other_rows_and_other_columns_are_not(wanted: dict[str, Any]) -> None:
    assert made_of(question(STORED), wanted) is None


def test_the_same_regression_gives_the_same_numbers() -> None:
    there = blueprint_of(question(STORED), SCHEMA)
    body = release_of(there, [(at, at, None, at % 2, None) for at in range(20)])
    plan = parse_plan(question(STORED), SCHEMA, dataset="people")
    source = stored_as("stored", there.plan, plan, SCHEMA, there)
    assert source is not None
    found = derive(plan, SCHEMA, [source], together=False)
    assert found is not None
    again = found.body({"stored": body}, [])
    cells = [[one["cells"] for one in every["statistics"]] for every in (body, again)]
    assert cells[0] == cells[1]


LOGISTIC = {"statistic": "logistic_regression", "column": "sex"}


def test_the_same_logistic_regression_is_free_in_any_order_of_its_predictors() -> None:
    stored = question(LOGISTIC | {"predictors": ["age", "hours"]})
    body = made_of(stored, question(LOGISTIC | {"predictors": ["hours", "age"]}))
    assert body is not None
    assert [one["term"] for one in body["statistics"]] == [None, "hours", "age"]
    assert all(one["cells"][0]["interval"] for one in body["statistics"])
    assert body["guarantee"]["epsilon"] == 0


@pytest.mark.parametrize("predictors", [["age"], ["age", "change"], ["age", "hours", "change"]])
def test_another_logistic_regression_is_not(predictors: list[str]) -> None:
    """M32: its gradients were drawn for these columns alone."""
    stored = question(LOGISTIC | {"predictors": ["age", "hours"]})
    assert made_of(stored, question(LOGISTIC | {"predictors": predictors})) is None
    linear = question({"statistic": "regression", "column": "age", "predictors": ["sex"]})
    assert made_of(question(LOGISTIC | {"predictors": ["age"]}), linear) is None
