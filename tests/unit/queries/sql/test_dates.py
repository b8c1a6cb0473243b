"""Dates in SQL: literals, DATE_TRUNC and EXTRACT become what a plan says."""

from typing import Any

import pytest

from dpgov.privacy.plan.domains import column_spec, date_domain
from dpgov.queries.sql.reading import plan_of_sql
from dpgov.queries.sql.text import RefusedSql
from tests.unit.privacy.tables import schema_of

SCHEMA = schema_of(
    column_spec("on", date_domain("2023", "2024", "day"), "drop", ""),
    column_spec("at", date_domain("2024-03", "2024-03", "hour"), "drop", ""),
    column_spec("paid", date_domain("2020", "2024", "month"), "drop", ""),
)


def plan(text: str) -> dict[str, Any]:
    return plan_of_sql(f"{text} WITH EPSILON 1", dataset="people", schema=SCHEMA)[0].as_json()


@pytest.mark.parametrize(
    ("group", "grouping"),
    [
        ("DATE_TRUNC('month', \"on\")", {"column": "on", "by": "month"}),
        ("date_trunc('WEEK', \"on\")", {"column": "on", "by": "week"}),
        ("DATE_TRUNC('hour', at)", {"column": "at", "by": "hour"}),
        ("EXTRACT(YEAR FROM at)", {"column": "at", "by": "year"}),
        ("EXTRACT(ISODOW FROM \"on\")", {"column": "on", "by": "weekday"}),
        ("EXTRACT(hour FROM at)", {"column": "at", "by": "hour_of_day"}),
        ("EXTRACT(MONTH FROM paid)", {"column": "paid", "by": "month_of_year"}),
        ('EXTRACT(MONTH FROM "on")', {"column": "on", "by": "month_of_year"}),
        ("MONTH(at)", {"column": "at", "by": "month_of_year"}),
        ('EXTRACT(QUARTER FROM "on")', {"column": "on", "by": "quarter_of_year"}),
        ("QUARTER(paid)", {"column": "paid", "by": "quarter_of_year"}),
        ("YEAR(paid)", {"column": "paid", "by": "year"}),
        (
            "BINS(\"on\", '2023', DATE '2023-07-01', '2024')",
            {"column": "on", "edges": ["2023", "2023-07-01", "2024"]},
        ),
    ],
)  # fmt: skip
def test_a_part_of_the_calendar_is_a_group(group: str, grouping: dict[str, Any]) -> None:
    found = plan(f"SELECT {group}, COUNT(*) FROM people GROUP BY {group}")
    assert found["group_by"] == [grouping]


def test_a_difference_within_extract_is_no_address_with_a_hyphen() -> None:
    """Nor the column whose name would be left if the hyphen were an underscore."""
    schema = schema_of(
        *(column_spec(n, date_domain("2023", "2024", "day"), "drop", "") for n in ("a", "b", "a_b"))
    )
    grouped = "SELECT COUNT(*) FROM ward-visits GROUP BY EXTRACT(YEAR FROM {}) WITH EPSILON 1"
    assert plan_of_sql(grouped.format("a_b"), dataset="ward-visits", schema=schema)
    with pytest.raises(RefusedSql):
        plan_of_sql(grouped.format("a-b"), dataset="ward-visits", schema=schema)


def test_dates_are_compared_as_they_are_written() -> None:
    found = plan(
        'SELECT COUNT(*), MEDIAN("on") FROM people WHERE "on" >= DATE \'2024-01-31\' '
        "AND at < TIMESTAMP '2024-03-05 12:00:00' AND paid "
        "BETWEEN '2021' AND CAST('2022-06-01' AS DATE)"
    )
    assert found["where"] == [
        {"column": "on", "op": ">=", "value": "2024-01-31"},
        {"column": "at", "op": "<", "value": "2024-03-05T12:00:00"},
        {"column": "paid", "op": "between", "value": ["2021", "2022-06"]},
    ]


@pytest.mark.parametrize("kind", ["TIMESTAMP", "DATETIME"])
def test_a_moment_without_a_time_of_day_is_refused_and_counts_as_no_day(kind: str) -> None:
    """Other tools take it for midnight, and here the same words would take all of the day."""
    with pytest.raises(RefusedSql, match="write DATE, or add the time"):
        plan(f"SELECT COUNT(*) FROM people WHERE at <= {kind} '2024-01-31'")
    found = plan(f"SELECT COUNT(*) FROM people WHERE at <= {kind} '2024-01-31 00:00'")
    assert found["where"] == [{"column": "at", "op": "<=", "value": "2024-01-31T00:00"}]


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ("DATE_TRUNC('hour', \"on\")", "weekday"),
        ('EXTRACT(HOUR FROM "on")', "weekday"),
        ('EXTRACT(EPOCH FROM "on")', "DATE_TRUNC"),
        ("DATE_TRUNC('weekday', \"on\")", "DATE_TRUNC"),
        ("DATE_TRUNC('century', \"on\")", "DATE_TRUNC"),
    ],
)
def test_a_part_that_is_too_fine_or_unknown_is_refused_at_its_place(group: str, words: str) -> None:
    with pytest.raises(RefusedSql) as refused:
        plan(f"SELECT COUNT(*) FROM people\nGROUP BY {group}")
    (problem,) = refused.value.problems
    assert problem.line == 2
    assert words in problem.message
