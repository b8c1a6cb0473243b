"""Nothing that stands in a text of SQL is passed over: it is asked, or refused at its place."""

import pytest

from dpgov.privacy.plan.calendar import has_time_of_day
from dpgov.queries.sql.reading import ReadSql, read_sql
from dpgov.queries.sql.text import RefusedSql

_GROUPED = "SELECT COUNT(*) FROM people GROUP BY sex"


def read(text: str) -> ReadSql:
    return read_sql(f"{text} WITH EPSILON 1", columns=["age", "hours", "sex", "at"])


@pytest.mark.parametrize(
    ("text", "column", "left_out"),
    [
        ("SELECT MAX(age, hours) FROM people", 17, "“hours”"),
        ("SELECT MIN(age, 5) FROM people", 17, "“5”"),
        ("SELECT COUNT(*, age) FROM people", 17, "“age”"),
        ("SELECT COUNT(* EXCEPT (age)) FROM people", 24, "“age”"),
        ("SELECT APPROX_QUANTILE(age, 0.25, 0.001) FROM people", 35, "“0.001”"),
        ("SELECT PERCENTILE_CONT(0.25, age) WITHIN GROUP (ORDER BY age) FROM p", 30, "“age”"),
        ("SELECT COUNT(*) FROM p GROUP BY DATE_TRUNC('day', at, 'Asia/Tokyo')", 55, "Tokyo"),
        ("SELECT COUNT(*) FROM p GROUP BY TIMESTAMP_TRUNC(at, DAY, 'Asia/Tokyo')", 58, "Tokyo"),
        ("SELECT COUNT(*) FROM p GROUP BY WIDTH_BUCKET(age, 0, 10, 5, 6)", 61, "“6”"),
        ("SELECT COUNT(*) FROM p WHERE age BETWEEN SYMMETRIC 40 AND 20", 30, "“SYMMETRIC”"),
        ("SELECT COUNT(*) FROM p WHERE at < CAST('2024-01-31' AS TIMESTAMP(0))", 66, "“0”"),
        ("SELECT COUNT(*) FROM p WHERE other.p.age = 3", 30, "“other”"),
        (
            "SELECT SUM(COUNT(*, hours)) OVER (ORDER BY age) FROM p GROUP BY BINS(age, 0, 9)",
            21,
            "h",
        ),
    ],
)
def test_a_part_that_nobody_reads_is_refused_at_its_place(
    text: str, column: int, left_out: str
) -> None:
    with pytest.raises(RefusedSql) as caught:
        read(text)
    (problem,) = caught.value.problems
    assert left_out in problem.message
    assert problem.column == column


@pytest.mark.parametrize("name", ["VAR_SAMP", "VARIANCE_SAMP", "STDDEV_SAMP", "STDEV"])
def test_a_variance_divided_by_one_row_less_is_not_answered_as_another(name: str) -> None:
    with pytest.raises(RefusedSql, match="VAR_POP"):
        read(f"SELECT {name}(age) FROM people")


@pytest.mark.parametrize("name", ["VAR_POP", "variance", "Stddev_Pop ", "STDDEV"])
def test_a_variance_of_all_rows_is_read_by_its_name(name: str) -> None:
    (statistic,) = read(f"SELECT {name}(age) FROM people").raw_plan["statistics"]
    assert statistic["statistic"] in ("variance", "standard_deviation")


@pytest.mark.parametrize(
    "moment",
    [
        "DATE '2024-01-31 14:00:00'",
        "CAST('2024-01-31T14' AS DATE)",
        "'2024-01-31 00:00'::DATE",
        "CAST(TIMESTAMP '2024-01-31 14:00:00' AS DATE)",
    ],
)
def test_a_date_with_a_time_of_day_is_refused(moment: str) -> None:
    with pytest.raises(RefusedSql, match="no time of day"):
        read(f"SELECT COUNT(*) FROM people WHERE at >= {moment}")


def test_a_time_of_day_is_less_than_a_day() -> None:
    dates, times = ("2024", "2024-01", "2024-01-31", "2024-W05", "no date"), ("2024-01-31T14",)
    assert [has_time_of_day(text) for text in (*dates, *times)] == [False] * 5 + [True]


@pytest.mark.parametrize(
    ("clause", "words"),
    [
        ("LIMIT 5 PERCENT", "no PERCENT"),
        ("FETCH FIRST 5 PERCENT ROWS ONLY", "no PERCENT"),
        ("FETCH FIRST 5 ROWS WITH TIES", "WITH TIES"),
        ("ORDER BY 1 DESC NULLS FIRST", "NULLS FIRST"),
    ],
)
def test_a_clause_is_not_read_without_its_last_words(clause: str, words: str) -> None:
    with pytest.raises(RefusedSql) as caught:
        read(f"{_GROUPED} {clause}")
    assert words in caught.value.problems[0].message
