"""Schemas, plans and small random tables for the tests of the privacy room."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from dpgov.privacy.blueprint import Blueprint, prepare
from dpgov.privacy.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.loss import Mode
from dpgov.privacy.parsing import parse_plan
from dpgov.privacy.release import draw
from dpgov.privacy.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    PrivacyUnit,
)
from tests.reference import Row, exact_answer

AGE = column_spec("age", numeric_domain("17", "90", "1"), MissingRule.DROP, "")
HOURS = column_spec("hours", numeric_domain("1", "99", "1"), MissingRule.IMPUTE, "40")
CHANGE = column_spec("change", numeric_domain("-2.5", "1.5", "0.25"), MissingRule.DROP, "")
SEX = column_spec("sex", category_domain(["Female", "Male"]), MissingRule.DROP, "")
COLUMNS = (AGE, HOURS, CHANGE, SEX)


def schema_of(
    *columns: ColumnSpec,
    neighbouring: Neighbouring = Neighbouring.ADD_REMOVE,
    group_size: int = 1,
    public_rows: int | None = None,
    unit: PrivacyUnit | None = None,
    mode: Mode = Mode.PURE,
) -> DatasetSchema:
    return DatasetSchema(
        columns=columns or COLUMNS,
        unit=unit or PrivacyUnit(),
        neighbouring=neighbouring,
        group_size=group_size,
        max_rows=1_000_000,
        public_rows=public_rows,
        mode=mode,
    )


def question(*statistics: dict[str, Any], epsilon: Any = 1, **more: Any) -> dict[str, Any]:
    return {"statistics": list(statistics), "epsilon": epsilon, **more}


def blueprint_of(raw: dict[str, Any], schema: DatasetSchema) -> Blueprint:
    return prepare(parse_plan(raw, schema, dataset="people"), schema)


def release_of(blueprint: Blueprint, rows: Sequence[Row]) -> dict[str, Any]:
    """The release of these rows, read by the slow reference."""
    return draw(blueprint, [exact_answer(rows, request) for request in blueprint.requests])


COUNT = {"statistic": "count"}
MEAN_AGE = {"statistic": "mean", "column": "age"}
SUM_AGE = {"statistic": "sum", "column": "age"}


def codes_of(column: ColumnSpec) -> st.SearchStrategy[int | None]:
    """Any stored code of a column; its ends often, since influence is largest there."""
    top = column.domain.other if isinstance(column.domain, CategoryDomain) else column.domain.top
    codes = st.one_of(st.sampled_from([0, top]), st.integers(0, top))
    return st.one_of(st.none(), codes) if column.may_be_missing else codes


def rows_of(*columns: ColumnSpec) -> st.SearchStrategy[Row]:
    return st.tuples(*(codes_of(column) for column in columns or COLUMNS))


def conditions() -> st.SearchStrategy[dict[str, Any]]:
    """Any filter over COLUMNS."""
    numbers = st.one_of(st.integers(-5, 100), st.sampled_from([17.5, 0.25, -2.5, 1.49]))
    numeric = st.sampled_from(["age", "hours", "change"])
    compared = st.builds(
        lambda column, op, value: {"column": column, "op": op, "value": value},
        numeric,
        st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
        numbers,
    )
    between = st.builds(
        lambda column, pair: {"column": column, "op": "between", "value": sorted(pair)},
        numeric,
        st.tuples(numbers, numbers),
    )
    sexes = st.sampled_from(["=", "!="]).map(
        lambda op: {"column": "sex", "op": op, "value": "Male"}
    )
    missing = st.builds(
        lambda column, op: {"column": column, "op": op},
        st.sampled_from(["age", "change", "sex"]),
        st.sampled_from(["is_missing", "is_present"]),
    )
    return st.one_of(compared, between, sexes, missing)


def groupings() -> st.SearchStrategy[dict[str, Any]]:
    """Any grouping over COLUMNS, bins off the lattice and outside the bounds included."""
    edges = st.lists(
        st.one_of(st.integers(-10, 110), st.sampled_from([17.5, 40.25, -0.1])),
        min_size=2,
        max_size=5,
        unique=True,
    ).map(sorted)
    by_edges = st.builds(
        lambda column, e: {"column": column, "edges": e},
        st.sampled_from(["age", "hours", "change"]),
        edges,
    )
    by_sex = st.sampled_from([{"column": "sex"}, {"column": "sex", "categories": ["Male"]}])
    return st.one_of(by_edges, by_sex)


def questions() -> st.SearchStrategy[dict[str, Any]]:
    """Any valid plan over COLUMNS."""
    statistics = st.one_of(
        st.just(COUNT),
        st.builds(
            lambda statistic, column: {"statistic": statistic, "column": column},
            st.sampled_from(["sum", "mean"]),
            st.sampled_from(["age", "hours", "change"]),
        ),
    )
    return st.fixed_dictionaries(
        {
            "statistics": st.lists(statistics, min_size=1, max_size=3, unique_by=str),
            "where": st.lists(conditions(), max_size=2),
            "group_by": st.lists(groupings(), max_size=2, unique_by=lambda g: g["column"]),
            "epsilon": st.sampled_from([0.1, 1, "2.5"]),
        }
    )
