"""F14: HAVING, ORDER BY, LIMIT and ratios arrange what is released; the plan stays equal."""

import pytest

from dpgov.queries.sql.reading import ReadSql, read_sql
from dpgov.queries.sql.text import RefusedSql

_COLUMNS = ["age", "sex", "ward"]
_PLAIN = "SELECT sex, COUNT(*) AS n, SUM(age) FROM people GROUP BY sex"


def read(text: str) -> ReadSql:
    return read_sql(f"{text} WITH EPSILON 1", columns=_COLUMNS)


@pytest.mark.parametrize(
    ("clauses", "arrangement"),
    [
        ("ORDER BY n DESC", "sort=-1"),
        ("ORDER BY COUNT(*) DESC, sex", "sort=-1,g1"),
        ("ORDER BY 3, 1 DESC", "sort=2,-g1"),
        ("ORDER BY sum(AGE)", "sort=2"),
        ("LIMIT 5", "first=5"),
        ("ORDER BY n FETCH FIRST 5 ROWS ONLY", "sort=1&first=5"),
        ("HAVING COUNT(*) > 10", "having=1>10"),
        ("HAVING n >= 10 AND 500 > SUM(age)", "having=1>=10&having=2<500"),
        ("HAVING n BETWEEN -3 AND 4.5", "having=1>=-3&having=1<=4.5"),
        ("HAVING (n <> 3) ORDER BY 2 LIMIT 1", "sort=1&first=1&having=1!=3"),
    ],
)
def test_clauses_about_groups_become_an_arrangement_of_the_same_question(
    clauses: str, arrangement: str
) -> None:
    found = read(f"{_PLAIN} {clauses}")
    assert found.arrangement.as_query() == arrangement
    assert found.raw_plan == read(_PLAIN).raw_plan


def test_a_ratio_asks_its_two_statistics_once_and_divides_what_is_released() -> None:
    found = read(
        "SELECT ward, SUM(age) / COUNT(*) AS each, COUNT(*) FROM people GROUP BY ward"
        " HAVING COUNT(*) > 5 ORDER BY each DESC, SUM(age)"
    )
    kinds = [statistic["statistic"] for statistic in found.raw_plan["statistics"]]
    assert kinds == ["sum", "count"]
    assert found.arrangement.as_query() == "sort=-r1,1&having=2>5&ratio=1/2"


def test_a_ratio_needs_no_groups() -> None:
    assert read("SELECT SUM(age)/COUNT(*) FROM people").arrangement.as_query() == "ratio=1/2"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SELECT COUNT(*) FROM people LIMIT 3", "GROUP BY"),
        (f"{_PLAIN} HAVING AVG(age) > 3", "after SELECT too"),
        (f"{_PLAIN} ORDER BY ward", "after SELECT too"),
        (f"{_PLAIN} ORDER BY 4", "3 items"),
        (f"{_PLAIN} HAVING n > 3 OR n < 1", "joined by AND"),
        (f"{_PLAIN} HAVING n > SUM(age)", "plain number"),
        (f"{_PLAIN} HAVING sex = 'F'", "WHERE"),
        (f"{_PLAIN} HAVING n > 0.0000000001", "at most 9 decimals"),
        (f"{_PLAIN} HAVING n > 1000000000000000", "smaller than 10¹⁵"),
        (f"{_PLAIN} LIMIT 0", "above zero"),
        (f"{_PLAIN} LIMIT n", "above zero"),
        (f"{_PLAIN} LIMIT 3 OFFSET 2", "OFFSET"),
        ("SELECT COUNT(*)/COUNT(*) FROM people", "two different"),
        ("SELECT COUNT(*)/2 FROM people", "not answered"),
        (f"{_PLAIN} ORDER BY {', '.join(['n'] * 21)}", "At most 20"),
    ],
)
def test_what_cannot_be_read_from_released_groups_is_refused(text: str, words: str) -> None:
    with pytest.raises(RefusedSql) as caught:
        read(text)
    assert words in caught.value.problems[0].message
