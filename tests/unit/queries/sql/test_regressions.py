"""M72: regressions in SQL are read into the plan that a form would send."""

from typing import Any

import pytest

from dpgov.queries.sql.reading import read_sql
from dpgov.queries.sql.text import RefusedSql

COLUMNS = ["age", "hours", "sex"]


def read(selected: str) -> Any:
    return read_sql(f"SELECT {selected} FROM people WITH EPSILON 1", columns=COLUMNS)


def test_slope_and_intercept_are_read_off_one_regression() -> None:
    text = "REGR_SLOPE(age, hours), REGR_INTERCEPT(age, hours), REGR_R2(age, Hours) AS fit"
    expected = {"statistic": "regression", "column": "age", "predictors": ["hours"]}
    assert read(text).raw_plan["statistics"] == [expected]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("REGRESSION(age, hours, sex)", "regression"),
        ("logistic_regression(age, hours, sex)", "logistic_regression"),
    ],
)
def test_several_predictors_stand_behind_the_outcome(text: str, kind: str) -> None:
    expected = {"statistic": kind, "column": "age", "predictors": ["hours", "sex"]}
    assert read(text).raw_plan["statistics"] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "REGR_SLOPE(age)",
        "REGRESSION(age)",
        "LOGISTIC_REGRESSION()",
        "REGR_SLOPE(age, hours + 1)",
        "REGR_SLOPE(age, hours) / COUNT(*)",
        "REGRESSION(age, hours), SUM(age) / COUNT(*)",
    ],
)
def test_what_is_no_regression_is_refused_at_its_place(text: str) -> None:
    with pytest.raises(RefusedSql) as caught:
        read(text)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column > 1) == (1, True)
