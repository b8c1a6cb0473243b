"""L10: whatever is too deep or too long for a parser is refused in words, never by falling over."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.datasets.importing.tree import UnreadableMetadata, parse
from dpgov.operation.exact_json import DEEPEST, UnusableJson, read_json
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.sql import bounds
from dpgov.queries.sql.reading import read_sql
from dpgov.queries.sql.text import RefusedSql
from tests.unit.privacy.tables import schema_of

_MANY = 3_000
_SQL_BOMBS = {
    "brackets": f"SELECT COUNT(*) FROM t WHERE {'(' * _MANY}age > 1{')' * _MANY}",
    "brackets never closed": f"SELECT COUNT(*) FROM t WHERE {'(' * _MANY}",
    "46 brackets": f"SELECT COUNT(*) FROM t WHERE {'(' * 46}age > 1{')' * 46}",
    "not": f"SELECT COUNT(*) FROM t WHERE {'NOT ' * _MANY}age > 1",
    "minus": f"SELECT COUNT(*) FROM t WHERE age > {'- ' * _MANY}1",
    "and": f"SELECT COUNT(*) FROM t WHERE {' AND '.join(['age>1'] * 1_500)}",
    "or": f"SELECT COUNT(*) FROM t WHERE {' OR '.join(['age>1'] * 1_500)}",
    "lists": f"SELECT COUNT(*) FROM t WHERE age = {'[' * _MANY}",
    "maps": f"SELECT COUNT(*) FROM t WHERE age = {'{' * _MANY}",
    "functions": f"SELECT {'ABS(' * _MANY}age{')' * _MANY} FROM t",
    "cases": f"SELECT {'CASE WHEN ' * 1_500}1",
    "selects": f"SELECT COUNT(*) FROM {'(SELECT * FROM ' * 1_000}t{')' * 1_000}",
    "unions": f"SELECT 1 {'UNION SELECT 1 ' * 1_000}",
    "names": f"WITH {', '.join(f'a{n} AS (SELECT 1)' for n in range(500))} SELECT COUNT(*) FROM a1",
    "casts": f"SELECT age{'::int' * 2_000} FROM t",
    "statements": "SELECT COUNT(*) FROM t;" * 800,
    "is": f"SELECT COUNT(*) FROM t WHERE age {'IS NOT ' * 2_000} NULL",
    "plus": f"SELECT COUNT(*) FROM t WHERE age > {'1 + ' * 4_000}1",
    "dots": f"SELECT {'a.' * _MANY}b FROM t",
}
_LARGE = ["1e99999999999999999999", "-1e-99999999999999999999", f"1e{'9' * 400}"]
_DEEP = [*range(DEEPEST - 1, DEEPEST + 2), 1_000, 200_000]


@pytest.mark.parametrize("name", _SQL_BOMBS)
def test_a_text_of_sql_that_is_too_deep_is_refused(name: str) -> None:
    with pytest.raises(RefusedSql) as refused:
        read_sql(f"{_SQL_BOMBS[name][: bounds.LONGEST - 20]} WITH EPSILON 0.5", columns=["age"])
    assert refused.value.problems


@pytest.mark.parametrize(
    "clauses",
    [
        "GROUP BY WIDTH_BUCKET(age, 0, 100, 1e400000)",
        "GROUP BY WIDTH_BUCKET(age, 0, 1e10000000, 2)",
        "GROUP BY WIDTH_BUCKET(age, 0, 100, 2.5)",
        "GROUP BY sex HAVING COUNT(*) > 1e100000000",
        "GROUP BY sex HAVING COUNT(*) > 1e9999999999999999999",
        f"GROUP BY sex LIMIT {'0' * 8}{'9' * 5_000}",
    ],
)
def test_a_number_that_would_fill_a_machine_is_refused_in_sql(clauses: str) -> None:
    """L10: before anything is made of it, a whole number or a text of all its digits."""
    text = f"SELECT COUNT(*) FROM t {clauses} WITH EPSILON 1"
    with pytest.raises(RefusedSql):
        read_sql(text, columns=["age", "sex"])


def test_a_limit_per_unit_of_too_many_digits_is_left_to_the_plan() -> None:
    """L10: which refuses what is no whole number, in words."""
    text = f"SELECT COUNT(*) FROM t WITH EPSILON 1, ROWS_PER_GROUP {'9' * 5_000}"
    found = read_sql(text, columns=["age"]).raw_plan
    with pytest.raises(InvalidPlan):
        parse_plan(found, schema_of(), dataset="t")


@pytest.mark.parametrize("number", _LARGE)
def test_a_number_that_no_decimal_holds_is_refused(number: str) -> None:
    with pytest.raises(UnusableJson, match="exponent"):
        read_json(f'{{"epsilon": {number}}}')


@pytest.mark.parametrize("piece", ["NOT ", "- "])
def test_words_that_nest_without_brackets_count_as_depth(piece: str) -> None:
    """L10: by the count before the parser, which would still read so few."""
    text = f"SELECT COUNT(*) FROM t WHERE {piece * (bounds.DEEPEST + 1)}age > 1 WITH EPSILON 1"
    with pytest.raises(RefusedSql, match="nested too deeply"):
        read_sql(text, columns=["age"])


def test_statements_within_a_text_count_as_depth() -> None:
    """L10"""
    text = f"SELECT COUNT(*) FROM t {'UNION SELECT 1 ' * (bounds.DEEPEST // 2 + 1)}WITH EPSILON 1"
    with pytest.raises(RefusedSql, match="nested too deeply"):
        read_sql(text, columns=["age"])


def test_what_people_write_is_not_too_deep() -> None:
    inner = " OR ".join(f"(age > {n} AND NOT (age = {n + 1}))" for n in range(60))
    found = read_sql(f"SELECT COUNT(*) FROM t WHERE ({inner}) WITH EPSILON 1", columns=["age"])
    assert len(found.raw_plan["where"][0]["or"]) == 60


_WORDS_OF_SQL = """
SELECT COUNT ( * ) FROM t WHERE NOT AND OR age > 1 - BETWEEN IN [ ] { } CASE WHEN THEN END GROUP BY
, . :: ' " ; WITH EPSILON 0.5 AS IS NULL INTERVAL UNION -> LATERAL UNNEST CAST PIVOT VALUES EXISTS
ANY ALL LIKE ESCAPE /* */ -- \\ $1 ? @x #c OVER PARTITION
"""
_WORDS = st.sampled_from(_WORDS_OF_SQL.split())


@given(words=st.lists(_WORDS, max_size=60), has_price=st.booleans())
def test_any_words_of_sql_are_read_or_refused(*, words: list[str], has_price: bool) -> None:
    text = " ".join(words) + (" WITH EPSILON 0.5" if has_price else "")
    try:
        assert read_sql(text, columns=["age"]).raw_plan["statistics"]
    except RefusedSql as refused:
        assert str(refused)


@given(st.text(max_size=300))
def test_any_text_of_sql_is_read_or_refused(text: str) -> None:
    try:
        assert read_sql(text, columns=["age"]).raw_plan["statistics"]
    except RefusedSql as refused:
        assert str(refused)


@pytest.mark.parametrize("depth", _DEEP)
@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_json_is_read_to_the_stated_depth_and_no_deeper(opening: str, depth: int) -> None:
    brackets = opening.replace('"a":', "")
    closing = brackets[::-1].translate(str.maketrans("[{", "]}"))
    text = f"{opening * depth}1{closing * depth}"
    if depth * len(brackets) <= DEEPEST:
        assert read_json(text)
    else:
        with pytest.raises(UnusableJson, match="nested too deeply"):
            read_json(text)


def test_brackets_within_a_text_are_not_depth() -> None:
    inside = '[{"\\" ' * 500
    assert read_json(json.dumps([inside])) == [inside]


@pytest.mark.parametrize(
    "text", ["", "NaN", "[Infinity]", '{"a":1,"a":2}', '"\\ud800"', "[1", "1e"]
)
def test_json_with_more_than_one_meaning_is_refused(text: str) -> None:
    with pytest.raises(UnusableJson):
        read_json(text)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_VALUES)
def test_what_other_programs_write_is_read_as_it_is(value: Any) -> None:
    assert read_json(json.dumps(value)) == value


def test_numbers_stay_as_they_are_written() -> None:
    assert read_json("[0.1, 12345678901234567890]") == [Decimal("0.1"), 12345678901234567890]


@given(st.text(alphabet='[]{}":,\\ 019.eE-+tfn', max_size=80))
def test_any_text_of_json_is_read_or_refused(text: str) -> None:
    try:
        read = json.dumps(read_json(text), default=str)
    except UnusableJson as refused:
        read = str(refused)
    assert read


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 20_000,
        "- " * 20_000,
        "a:\n" + "".join(f"{' ' * n}b:\n" for n in range(1, 1_500)),
        "{" * 20_000,
        "? " * 20_000,
        "&a [*a]",
        "!!python/object/apply:os.system [id]",
    ],
)
def test_a_description_that_is_too_deep_or_clever_is_refused(text: str) -> None:
    with pytest.raises(UnreadableMetadata):
        parse(text)


@given(st.text(alphabet="ab:-[]{}&*!?|>'\"#,\n \t%@`", max_size=200))
def test_any_description_is_read_or_refused(text: str) -> None:
    try:
        read: object = parse(text)
    except UnreadableMetadata as refused:
        read = str(refused)
    assert read is not None
