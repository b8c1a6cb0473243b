"""A text that computes with two columns is read into the plan that the API would send."""

from typing import Any

import pytest

from dpgov.queries.sql.reading import plan_of_sql
from dpgov.queries.sql.text import RefusedSql
from tests.unit.privacy.tables import schema_of

END = " FROM people WITH EPSILON 1"


def plan_of(text: str) -> dict[str, Any]:
    return plan_of_sql(text, dataset="people", schema=schema_of())[0].as_json()


def refusal(text: str) -> str:
    with pytest.raises(RefusedSql) as refused:
        plan_of(text)
    return str(refused.value)


def test_sums_differences_and_products_are_columns_of_the_question() -> None:
    plan = plan_of(
        "SELECT SUM(hours + AGE), AVG(CLIP(age - hours, 0, 30)), MEDIAN((age * hours)) FROM people "
        "WHERE 3 < age + hours AND (age - hours) IS NOT NULL "
        "GROUP BY WIDTH_BUCKET(age * hours, 0, 100, 2), sex "
        "HAVING SUM(hours + age) > 5 WITH EPSILON 1"
    )
    assert plan["computed"] == [
        {"formula": "product", "of": ["age", "hours"]},
        {"formula": "sum", "of": ["age", "hours"]},
        {"formula": "difference", "of": ["age", "hours"]},
    ]
    columns = [one["column"] for one in plan["statistics"]]
    assert columns == ["age + hours", "age - hours", "age * hours"]
    assert plan["where"][0] == {"column": "age + hours", "op": ">", "value": 3}
    assert plan["group_by"][0]["edges"] == [0, 50, 100]


@pytest.mark.parametrize(
    ("computed", "words"),
    [
        ("age / hours", "A ratio of two columns has no bounds"),
        ("age + 2", "Compute with two columns and nothing else"),
        ("age + hours + change", "Compute with two columns and nothing else"),
        ("age + visit", "“visit” holds dates, and a sum is of numbers."),
        ("age + sex", "“sex” holds categories."),
        ("age - age", "Choose two different columns."),
        ("age * nobody", "Unknown column “nobody”."),
    ],
)
def test_what_is_not_computed_is_refused_at_its_place_alone(computed: str, words: str) -> None:
    found = refusal(f"SELECT AVG({computed}){END}")
    assert found.startswith(f"Line 1, column 12: {words}")
    assert ";" not in found


def test_a_column_is_never_shown_whether_it_is_computed_or_not() -> None:
    assert "This is not answered" in refusal(f"SELECT age + hours{END}")
    grouped = "SELECT COUNT(*) FROM people GROUP BY age + hours WITH EPSILON 1"
    assert "Group by a column of categories" in refusal(grouped)
