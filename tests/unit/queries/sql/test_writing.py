"""What is offered to who writes SQL is understood: nothing is suggested that reading refuses."""

import pytest

from dpgov.privacy.plan.domains import category_domain, column_spec
from dpgov.privacy.plan.schema import MissingRule, PrivacyUnit
from dpgov.queries.sql.reading import plan_of_sql, read_sql
from dpgov.queries.sql.writing import MOST_VALUES, example, quoted, words_of
from tests.unit.privacy.tables import AGE, COLUMNS, schema_of

SCHEMA = schema_of(unit=PrivacyUnit("person", 3))
WORDS = words_of("ward-visits", SCHEMA, unit="epsilon")
NAMES = [column.name for column in SCHEMA.columns]
# What follows a function that asks for more than a column of numbers.
_FURTHER = {
    "WIDTH_BUCKET": "age, 20, 60, 4)",
    "BINS": "age, 20, 40)",
    "DATE_TRUNC": "month', visit)",
    "CLIP": "age, 20, 60)",
    "REGRESSION": "age, hours)",
    "LOGISTIC_REGRESSION": "sex, age)",
    "JOINT_CDF": "age, hours)",
}
_ALONG = " GROUP BY BINS(age, 20, 40), BINS(hours, 20, 40)"
# What runs along groups, and along which.
_RUNNING = {
    "SUM(COUNT(*)) OVER": _ALONG.partition(", BINS(hours")[0],
    "CDF": _ALONG,
    "JOINT_CDF": _ALONG,
}


@pytest.mark.parametrize("word", WORDS["functions"], ids=lambda word: word["label"])
def test_every_function_that_is_offered_is_read(word: dict[str, str]) -> None:
    whole = word["apply"]
    if not whole.endswith(")"):
        column = "visit)" if whole.startswith("EXTRACT") else "age)"
        whole += _FURTHER.get(word["label"], column)
    groups = ("WIDTH_BUCKET", "BINS", "DATE_TRUNC", "EXTRACT")
    text = f"SELECT COUNT(*) FROM data GROUP BY {whole}" * word["label"].startswith(groups)
    whole = f"AVG({whole})" if word["label"] == "CLIP" else whole
    text = text or f"SELECT {whole} FROM data{_RUNNING.get(word['label'], '')}"
    assert read_sql(f"{text} WITH EPSILON 1", columns=NAMES, private_id="person").raw_plan


@pytest.mark.parametrize("name", ["age", "order", "select", "Marital status", 'say "so"', "größe"])
def test_a_name_that_is_offered_is_that_column(name: str) -> None:
    text = f"SELECT AVG({quoted(name)}) FROM data WITH EPSILON 1"
    (statistic,) = read_sql(text, columns=[name]).raw_plan["statistics"]
    assert statistic["column"] == name


def test_every_value_and_period_that_is_offered_can_be_asked_about() -> None:
    for column in WORDS["columns"]:
        for value in column["values"]:
            text = f"SELECT COUNT(*) FROM data WHERE {column['apply']} = '{value}' WITH EPSILON 1"
            assert plan_of_sql(text, dataset="people", schema=SCHEMA)
        for period in column["periods"]:
            by = f"DATE_TRUNC('{period}', {column['apply']})"
            text = f"SELECT COUNT(*) FROM data GROUP BY {by} WITH EPSILON 1"
            assert plan_of_sql(text, dataset="people", schema=SCHEMA)


def test_columns_come_with_what_was_declared_of_them() -> None:
    assert [(c["label"], c["detail"], c["values"]) for c in WORDS["columns"]] == [
        ("age", "17 to 90", []),
        ("hours", "1 to 99", []),
        ("change", "-2.5 to 1.5", []),
        ("sex", "one of 2 categories", ["Female", "Male"]),
        ("visit", "2024-02-26 to 2024-03-06", []),
    ]
    assert WORDS["columns"][-1]["periods"] == ["day", "week", "month", "quarter", "year"]


def test_the_list_of_values_is_bounded_whatever_is_declared() -> None:
    domain = category_domain([f"value {number}" for number in range(3 * MOST_VALUES)])
    schema = schema_of(column_spec("ward", domain, MissingRule.DROP, ""))
    (column,) = words_of("wards", schema, unit="rho")["columns"]
    assert len(column["values"]) == MOST_VALUES


def test_dates_and_persons_are_offered_where_there_are_some() -> None:
    labels = {word["label"] for word in words_of("ages", schema_of(AGE), unit="rho")["functions"]}
    assert not [label for label in labels if label.startswith(("DATE", "EXTRACT"))]
    assert {label for label in labels if "DISTINCT" in label} == {"COUNT(DISTINCT"}
    assert "COUNT(DISTINCT person)" in {word["label"] for word in WORDS["functions"]}


def test_the_example_is_asked_as_it_stands() -> None:
    text = f"{example('ward-visits', schema_of(*COLUMNS))} WITH EPSILON 1"
    assert plan_of_sql(text, dataset="ward-visits", schema=SCHEMA)[0].dataset == "ward-visits"
