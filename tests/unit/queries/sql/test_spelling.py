"""Letters' case counts between double quotes, and a name that could be two things is refused."""

from typing import Any

import pytest

from dpgov.queries.sql.reading import ReadSql, read_sql
from dpgov.queries.sql.text import RefusedSql

_TWICE = "SELECT COUNT(*) AS {}, SUM(hours) AS {} FROM people GROUP BY sex"


def read(text: str, tables: Any = None) -> ReadSql:
    columns = ["Age", "age", "hours", "sex"]
    return read_sql(f"{text} WITH EPSILON 1", columns=columns, private_id="ID", tables=tables)


@pytest.mark.parametrize(
    ("name", "column"),
    [("Age", "Age"), ("age", "age"), ('"Age"', "Age"), ('"AGE"', "AGE"), ("HOURS", "hours")],
)
def test_a_column_is_the_one_that_is_spelt_so(name: str, column: str) -> None:
    (statistic,) = read(f"SELECT SUM({name}) FROM people").raw_plan["statistics"]
    assert statistic["column"] == column


def test_a_spelling_that_could_be_two_columns_is_refused_at_its_place() -> None:
    with pytest.raises(RefusedSql, match="several things") as caught:
        read("SELECT SUM(AGE) FROM people")
    assert caught.value.problems[0].column == 12


def test_the_unit_is_found_in_any_case_but_between_quotes() -> None:
    (units,) = read("SELECT COUNT(DISTINCT id) FROM people").raw_plan["statistics"]
    (values,) = read('SELECT COUNT(DISTINCT "id") FROM people').raw_plan["statistics"]
    assert (units["statistic"], values["statistic"]) == ("count_distinct", "distinct_values")


def test_an_order_is_by_the_column_that_is_meant() -> None:
    text = "SELECT SUM(Age), SUM(age) FROM people GROUP BY sex ORDER BY {}"
    orders = {"SUM(Age)": "sort=1", "sum(age)": "sort=2", 'Sum("age")': "sort=2"}
    for order, address in orders.items():
        assert read(text.format(order)).arrangement.as_query() == address


@pytest.mark.parametrize(
    ("names", "order", "address"),
    [
        (('"m"', '"M"'), '"M"', "sort=2"),
        (('"m"', '"M"'), "m", "sort=1"),
        (("n", "other"), "N", "sort=1"),
        (("N", "n"), "n", "sort=2"),
    ],
)
def test_a_name_after_as_is_the_one_that_is_spelt_so(
    names: tuple[str, str], order: str, address: str
) -> None:
    found = read(f"{_TWICE.format(*names)} ORDER BY {order}")
    assert found.arrangement.as_query() == address


@pytest.mark.parametrize(
    ("names", "order", "words"),
    [
        (("nn", "Nn"), "NN", "several things"),
        (("n", "n"), "n", "several things"),
        (("n", "other"), '"N"', "after SELECT too"),
    ],
)
def test_a_name_after_as_that_is_of_two_or_of_none_is_refused(
    names: tuple[str, str], order: str, words: str
) -> None:
    with pytest.raises(RefusedSql, match=words):
        read(f"{_TWICE.format(*names)} ORDER BY {order}")


def test_a_column_of_a_joined_dataset_is_spelt_like_every_other() -> None:
    tables = {"people": {"Paid": "people_paid", "id": "ID"}, "costs": {"id": "ID"}}
    text = "SELECT SUM(people.{}) FROM people JOIN costs USING (id)"
    (found,) = read(text.format("paid"), tables).raw_plan["statistics"]
    assert found["column"] == "people_paid"
    with pytest.raises(RefusedSql, match="has no column"):
        read(text.format('"paid"'), tables)
