"""SQL is read into the plan that a form would send; everything else is refused with its place."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import PrivacyUnit
from dpgov.queries.sql.bounds import LONGEST
from dpgov.queries.sql.reading import ReadSql, read_sql
from dpgov.queries.sql.text import RefusedSql
from tests.unit.privacy.tables import schema_of

COLUMNS = ["age", "hours", "change", "sex", "Marital status"]


def read(text: str) -> ReadSql:
    return read_sql(text, columns=COLUMNS, private_id="person")


def raw(text: str) -> dict[str, Any]:
    return read(text).raw_plan


def refused(text: str) -> tuple[int, int, str]:
    with pytest.raises(RefusedSql) as caught:
        read(text)
    (problem,) = caught.value.problems
    return problem.line, problem.column, problem.message


def test_what_is_used_of_each_unit_stands_beside_the_price() -> None:
    text = "SELECT COUNT(*) FROM people GROUP BY sex WITH"
    limits = {"groups": 2, "rows_per_group": 1}
    for ending in (
        "EPSILON 0.5, GROUPS_PER_UNIT 2, ROWS_PER_GROUP 1",
        "rows_per_group 1, epsilon 0.5, groups_per_unit 2;",
    ):
        found = raw(f"{text} {ending}")
        assert (found["per_unit"], found["epsilon"]) == (limits, "0.5")
    beside = {"rho": "0.01"}
    alone = read_sql(f"{text} ROWS_PER_GROUP 1", columns=COLUMNS, price=beside).raw_plan
    assert (alone["per_unit"], alone["rho"]) == ({"rows_per_group": 1}, "0.01")


@pytest.mark.parametrize(
    ("ending", "column"),
    [
        ("ROWS_PER_GROUP 1", 50),
        ("EPSILON 1, ROWS 1", 45),
        ("EPSILON 1, EPSILON 2", 45),
        ("EPSILON 1, ROWS_PER_GROUP", 59),
        ("EPSILON 1,", 44),
    ],
)
def test_an_ending_that_is_none_is_refused_at_its_place(ending: str, column: int) -> None:
    line, found, said = refused(f"SELECT COUNT(*) FROM people WITH {ending}")
    assert (line, found) == (1, column)
    assert "WITH EPSILON" in said


def test_a_limit_that_the_plan_refuses_is_told_at_its_number() -> None:
    found = read("SELECT COUNT(*) FROM people WITH EPSILON 1, ROWS_PER_GROUP 9")
    schema = schema_of(unit=PrivacyUnit("person", 3))
    with pytest.raises(InvalidPlan) as caught:
        parse_plan(found.raw_plan, schema, dataset="people")
    (problem,) = found.placed(caught.value).problems
    assert (problem.line, problem.column) == (1, 60)


def test_a_grouped_mean_with_a_filter_is_the_same_plan_as_from_a_form() -> None:
    text = "SELECT sex, AVG(age) FROM people WHERE sex = 'Female' GROUP BY sex WITH EPSILON 0.5"
    assert raw(text) == {
        "dataset": "people",
        "statistics": [{"statistic": "mean", "column": "age"}],
        "where": [{"column": "sex", "op": "=", "value": "Female"}],
        "group_by": [{"column": "sex"}],
        "epsilon": "0.5",
    }
    plan = parse_plan(raw(text), schema_of(), dataset="people")
    assert parse_plan(plan.as_json(), schema_of(), dataset="people") == plan


@pytest.mark.parametrize(
    ("item", "statistic"),
    [
        ("count(*)", {"statistic": "count"}),
        ("COUNT(DISTINCT person)", {"statistic": "count_distinct"}),
        ("COUNT(DISTINCT sex)", {"statistic": "distinct_values", "column": "sex"}),
        ("SUM(age) AS total", {"statistic": "sum", "column": "age"}),
        ("VAR_POP(age)", {"statistic": "variance", "column": "age"}),
        ("variance(age)", {"statistic": "variance", "column": "age"}),
        ("stddev_pop(AGE)", {"statistic": "standard_deviation", "column": "age"}),
        ("median(age)", {"statistic": "median", "column": "age"}),
        ("min(age)", {"statistic": "min", "column": "age"}),
        ('max("Marital status")', {"statistic": "max", "column": "Marital status"}),
        (
            "percentile_cont(0.25) WITHIN GROUP (ORDER BY age)",
            {"statistic": "quantiles", "column": "age", "quantiles": ["0.25"]},
        ),
        (
            "approx_quantile(age, 0.9)",
            {"statistic": "quantiles", "column": "age", "quantiles": ["0.9"]},
        ),
    ],
)
def test_each_statistic_has_its_usual_name(item: str, statistic: dict[str, Any]) -> None:
    assert raw(f"SELECT {item} FROM people WITH EPSILON 1")["statistics"] == [statistic]


_CLIPPED = {"statistic": "mean", "column": "age", "clip": {"from": "20", "to": "60"}}


@pytest.mark.parametrize(
    ("item", "statistic"),
    [
        ("AVG(CLIP(age, 20, 60))", _CLIPPED),
        ("avg(clamp(AGE, 20, 60)) AS mean", _CLIPPED),
        ("AVG(LEAST(GREATEST(age, 20), 60))", _CLIPPED),
        ("AVG(GREATEST(LEAST(age, 60), 20))", _CLIPPED),
        ("SUM(LEAST(age, 60))", {"statistic": "sum", "column": "age", "clip": {"to": "60"}}),
        (
            "STDDEV(GREATEST(change, -1))",
            {"statistic": "standard_deviation", "column": "change", "clip": {"from": "-1"}},
        ),
    ],
)
def test_a_column_is_clipped_inside_a_statistic(item: str, statistic: dict[str, Any]) -> None:
    text = f"SELECT {item} FROM people WITH EPSILON 1"
    assert raw(text)["statistics"] == [statistic]
    assert parse_plan(raw(text), schema_of(), dataset="people").statistics[0].clip is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AVG(CLIP(age, 20))", "Write CLIP(column, 20, 60)"),
        ("AVG(CLIP(20, 30, 60))", "Name a column"),
        ("AVG(CLIP(age, hours, 60))", "plain number"),
        ("AVG(LEAST(age, hours, 60))", "with the column first"),
        ("AVG(LEAST(LEAST(age, 50), 60))", "Name a column"),
        ("AVG(CLIP(CLIP(age, 0, 90), 20, 60))", "Name a column"),
        ("CLIP(age, 20, 60)", "Group by a column"),
    ],
)
def test_what_is_no_clip_of_a_column_says_what_to_write(text: str, message: str) -> None:
    line, column, said = refused(f"SELECT {text} FROM people WITH EPSILON 1")
    assert line == 1
    assert column >= 8
    assert message in said


def test_a_clip_that_a_statistic_does_not_take_is_refused_at_its_place() -> None:
    found = read("SELECT COUNT(*), MEDIAN(CLIP(age, 20, 60)) FROM people WITH EPSILON 1")
    with pytest.raises(InvalidPlan) as caught:
        parse_plan(found.raw_plan, schema_of(), dataset="people")
    (problem,) = found.placed(caught.value).problems
    assert (problem.line, problem.column >= 18) == (1, True)
    assert "can be clipped" in problem.message


@pytest.mark.parametrize(
    ("condition", "where"),
    [
        ("age >= 18", [{"column": "age", "op": ">=", "value": "18"}]),
        ("18 <= age", [{"column": "age", "op": ">=", "value": "18"}]),
        ("age <> -2.5", [{"column": "age", "op": "!=", "value": "-2.5"}]),
        ("age BETWEEN 3 AND 4", [{"column": "age", "op": "between", "value": ["3", "4"]}]),
        ("sex IN ('a', 'b')", [{"column": "sex", "op": "in", "value": ["a", "b"]}]),
        ("age IS NULL", [{"column": "age", "op": "is_missing"}]),
        ("age IS NOT NULL", [{"column": "age", "op": "is_present"}]),
        ("NOT age IS NULL", [{"column": "age", "op": "is_present"}]),
        (
            "age = 1 AND (hours = 2 OR NOT hours IN (3))",
            [
                {"column": "age", "op": "=", "value": "1"},
                {
                    "or": [
                        {"column": "hours", "op": "=", "value": "2"},
                        {"not": {"column": "hours", "op": "in", "value": ["3"]}},
                    ]
                },
            ],
        ),
        (
            "(age = 1 AND hours = 2) OR age = 3 OR age = 4",
            [
                {
                    "or": [
                        {
                            "and": [
                                {"column": "age", "op": "=", "value": "1"},
                                {"column": "hours", "op": "=", "value": "2"},
                            ]
                        },
                        {"column": "age", "op": "=", "value": "3"},
                        {"column": "age", "op": "=", "value": "4"},
                    ]
                }
            ],
        ),
    ],
)
def test_filters_keep_their_meaning(condition: str, where: list[dict[str, Any]]) -> None:
    assert raw(f"SELECT COUNT(*) FROM people WHERE {condition} WITH EPSILON 1")["where"] == where


def test_a_number_that_names_a_category_stays_as_it_was_typed() -> None:
    found = raw("SELECT COUNT(*) FROM people WHERE sex IN (1.0, 007, 1e3) WITH EPSILON 1")
    assert found["where"][0]["value"] == ["1.0", "007", "1e3"]


def test_numbers_are_grouped_by_even_bins_or_by_edges() -> None:
    text = "SELECT COUNT(*) FROM people GROUP BY {} WITH RHO 0.01;"
    even = raw(text.format("width_bucket(age, 0, 1, 4)"))
    assert even["group_by"] == [{"column": "age", "edges": ["0", "0.25", "0.5", "0.75", "1"]}]
    named = raw(text.format("BINS(age, 0, 18, 65)"))
    assert named["group_by"] == [{"column": "age", "edges": ["0", "18", "65"]}]
    assert named["rho"] == "0.01"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("SELECT * FROM people WITH EPSILON 1", 1, 8, "not answered"),
        ("SELECT age FROM people WITH EPSILON 1", 1, 8, "rows are never shown"),
        ("SELECT COUNT(*) FROM people", 1, 28, "WITH EPSILON"),
        ("SELECT COUNT(*)\nFROM people\nWITH DELTA 1", 3, 6, "WITH EPSILON"),
        ("SELECT COUNT(*)\nFROM people JOIN b ON a = b\nWITH EPSILON 1", 2, 18, "Joins"),
        ("SELECT COUNT(*) FROM (SELECT 1) WITH EPSILON 1", 1, 30, "one dataset"),
        ("SELECT COUNT(*) FROM x.people WITH EPSILON 1", 1, 22, "alone"),
        ("SELECT COUNT(*) FROM people TABLESAMPLE (10) WITH EPSILON 1", 1, 22, "alone"),
        ("DROP TABLE people WITH EPSILON 1", 1, 12, "one SELECT"),
        ("SELECT COUNT(*) FROM people; DROP TABLE x WITH EPSILON 1", 1, 41, "one SELECT"),
        ("SELECT COUNT(*) FROM people UNION SELECT 1 WITH EPSILON 1", 1, 8, "one SELECT"),
        (
            "SELECT COUNT(*) FROM people WHERE (age = 3 WITH EPSILON 1",
            1,
            42,
            "bracket is not closed, near “3”",
        ),
        ("SELECT AVG(alter) FROM people WITH EPSILON 1", 1, 12, 'double quotes: "alter"'),
        ("SELECT AVG(for) FROM people WITH EPSILON 1", 1, 12, "“for” is a word of SQL"),
        ("SELECT COUNT(*) FROM people WHERE WITH EPSILON 1", 1, 29, "read as SQL, near “WHERE”"),
        ("SELECT SUM(age * 2) FROM people WITH EPSILON 1", 1, 12, "column"),
        ("SELECT COUNT(age) FROM people WITH EPSILON 1", 1, 8, "IS NOT NULL"),
        ("SELECT COUNT(DISTINCT age, sex) FROM people WITH EPSILON 1", 1, 8, "one column"),
        ("SELECT COUNT(*) FROM people WHERE age > hours WITH EPSILON 1", 1, 41, "number"),
        ("SELECT COUNT(*) FROM people WHERE sex LIKE 'F%' WITH EPSILON 1", 1, 35, "Compare"),
        ("SELECT COUNT(*) FROM people WHERE age IN (SELECT 1) WITH EPSILON 1", 1, 35, "Compare"),
        ("SELECT COUNT(*) FROM people HAVING COUNT(*) > 3 WITH EPSILON 1", 1, 36, "GROUP BY"),
        ("SELECT COUNT(*) FROM people ORDER BY 1 WITH EPSILON 1", 1, 38, "GROUP BY"),
        ("SELECT COUNT(*) FROM people LIMIT 3 WITH EPSILON 1", 1, 35, "GROUP BY"),
        ("SELECT DISTINCT age FROM people WITH EPSILON 1", 1, 1, "DISTINCT"),
        ("WITH a AS (SELECT 1) SELECT COUNT(*) FROM a WITH EPSILON 1", 1, 6, "WITH"),
        ("SELECT COUNT(*) OVER (PARTITION BY age) FROM p WITH EPSILON 1", 1, 8, "counts groups"),
        ("SELECT COUNT(*) FROM p GROUP BY ROLLUP (sex) WITH EPSILON 1", 1, 41, "Group by"),
        ("SELECT COUNT(*) FROM p GROUP BY age % 10 WITH EPSILON 1", 1, 33, "Group by"),
        ("SELECT sex FROM people GROUP BY sex WITH EPSILON 1", 1, 8, "at least one statistic"),
        ("", 1, 1, "WITH EPSILON"),
        ("SELECT 'unfinished FROM people WITH EPSILON 1", 1, 1, "cannot be read"),
        ("x" * (LONGEST + 1), 1, 1, "longer"),
    ],
)
def test_everything_else_is_refused_at_its_place(
    text: str, line: int, column: int, message: str
) -> None:
    where = refused(text)
    assert where[:2] == (line, column)
    assert message in where[2]


def test_what_the_plan_itself_refuses_is_placed_in_the_text() -> None:
    found = read("SELECT COUNT(*),\n  AVG(agee) FROM people\nWHERE sex = 'male' WITH EPSILON 0")
    with pytest.raises(InvalidPlan) as caught:
        parse_plan(found.raw_plan, schema_of(), dataset="people")
    placed = {(p.line, p.column): p.message for p in found.placed(caught.value).problems}
    assert set(placed) == {(2, 3), (3, 7), (3, 33)}
    assert "Did you mean “age”" in placed[2, 3]


def test_a_column_of_numbers_alone_after_group_by_is_told_of_bins() -> None:
    found = read("SELECT COUNT(*) FROM people GROUP BY age WITH EPSILON 1")
    with pytest.raises(InvalidPlan) as caught:
        parse_plan(found.raw_plan, schema_of(), dataset="people")
    assert "BINS(column, 0, 20, 40)" in found.placed(caught.value).problems[0].message


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_place_inside_it(text: str) -> None:
    """I1: nothing that is typed raises anything else, and nothing is ever executed."""
    try:
        found = read(f"SELECT COUNT(*) FROM people WHERE {text} WITH EPSILON 1")
    except RefusedSql as refusal:
        assert all(problem.line >= 1 and problem.column >= 1 for problem in refusal.problems)
    else:
        assert found.raw_plan["statistics"]
