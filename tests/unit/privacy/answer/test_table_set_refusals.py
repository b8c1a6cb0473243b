"""What is refused of a set of tables, and what would fit instead."""

from typing import Any

import pytest

from dpgov.privacy.answer.table_sets import MAX_TABLES, is_table_set, parse_table_set
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import DatasetSchema, PrivacyUnit
from tests.unit.privacy.answer.test_table_sets import AGE, CHANGE, SEX, binary, read
from tests.unit.privacy.tables import schema_of


def refused(raw: Any, schema: DatasetSchema | None = None) -> dict[str, str]:
    with pytest.raises(InvalidPlan) as caught:
        parse_table_set(raw, schema or schema_of(), dataset="people")
    return {problem.path: problem.message for problem in caught.value.problems}


WIDE: dict[str, Any] = {"column": "hours", "edges": list(range(1, 100))}
FINE: dict[str, Any] = {"column": "age", "edges": list(range(17, 91))}
DAYS: dict[str, Any] = {"column": "visit", "by": "day"}


@pytest.mark.parametrize(
    ("raw", "path", "message"),
    [
        ([], "plan", "Must be an object"),
        ({"columns": [SEX, AGE], "tables": 2}, "epsilon", "how much ε"),
        ({"columns": [SEX, AGE], "tables": 3, "epsilon": 1}, "tables", "1 to 2 columns"),
        ({"columns": [SEX, AGE], "tables": 0, "epsilon": 1}, "tables", "1 to 2 columns"),
        ({"columns": [SEX, AGE], "tables": True, "epsilon": 1}, "tables", "Must be a list"),
        ({"columns": [SEX, AGE], "epsilon": 1}, "tables", "Must be a list"),
        ({"columns": [], "tables": 1, "epsilon": 1}, "columns", "1 to 12 entries"),
        ({"columns": [SEX, SEX], "tables": 1, "epsilon": 1}, "columns.1.column", "there twice"),
        ({"columns": [{"column": "sx"}], "tables": 1, "epsilon": 1}, "columns.0.column", "sex"),
        (
            {"columns": [SEX], "tables": [["sex"], ["sex"]], "epsilon": 1},
            "tables.1",
            "there twice",
        ),
        ({"columns": [SEX], "tables": [["age"]], "epsilon": 1}, "tables.0.0", "not one of"),
        ({"columns": [SEX], "tables": [[["sex"]]], "epsilon": 1}, "tables.0.0", "not one of"),
        ({"columns": [SEX, AGE], "tables": [["sex"]], "epsilon": 1}, "columns", "age"),
        ({"columns": [SEX], "tables": 1, "epsilon": 1, "seed": 1}, "seed", "Unknown key"),
        ({"columns": [SEX], "tables": 1, "epsilon": 1, "method": "x"}, "method", "Known"),
        ({"columns": [SEX], "tables": 1, "epsilon": 1, "method": 1}, "method", "Known"),
        (
            {"columns": [WIDE, FINE, DAYS], "tables": 3, "epsilon": 1},
            "tables",
            "at most 10000 are answered at once",
        ),
        (
            {
                "columns": [SEX, AGE, CHANGE],
                "tables": 2,
                "epsilon": "0.000000001",
                "method": "separate_tables",
            },
            "method",
            "too small for 3 tables",
        ),
    ],
)
def test_a_set_that_cannot_be_asked_says_what_would_fit(raw: Any, path: str, message: str) -> None:
    with pytest.raises(InvalidPlan) as caught:
        parse_table_set(raw, schema_of(), dataset="people")
    found = [(problem.path, problem.message) for problem in caught.value.problems]
    assert any(where == path and message in said for where, said in found)


def test_a_method_that_is_shut_is_refused_and_the_others_are_not() -> None:
    many = [SEX, WIDE, FINE]
    raw = {"columns": many, "tables": 2, "epsilon": 1, "method": "one_full_table"}
    assert "at most 10000" in refused(raw)["method"]
    assert len(read(*many).plans) == 3


def test_sizes_of_units_are_no_column_of_a_table() -> None:
    unit = PrivacyUnit(private_id="person", max_rows_per_unit=2)
    raw = {"columns": [{"column": "rows_per_unit", "edges": [1, 2]}], "tables": 1, "epsilon": 1}
    assert "columns.0.column" in refused(raw, schema_of(unit=unit))


def test_more_tables_than_can_be_priced_are_refused() -> None:
    columns = [{"column": f"c{n}"} for n in range(12)]
    schema = schema_of(*(binary(f"c{n}") for n in range(12)))
    raw = {"columns": columns, "tables": 3, "epsilon": 1}
    assert f"at most {MAX_TABLES}" in refused(raw, schema)["tables"]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [({"columns": []}, True), ({"tables": 2}, True), ({"plans": []}, False), ([], False)],
)
def test_a_body_with_columns_or_tables_asks_for_a_set(raw: Any, expected: bool) -> None:
    assert is_table_set(raw) is expected
