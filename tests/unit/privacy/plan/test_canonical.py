"""F12: plans that ask the same are recognised, and only those."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.plan.canonical import canonical, canonical_sha256, conjuncts_of
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import Plan
from dpgov.privacy.plan.request import (
    ExactAnswer,
    ExactRequest,
    Measure,
    MeasureKind,
    RowFilter,
)
from dpgov.privacy.plan.schema import DatasetSchema, PrivacyUnit
from tests.reference import Row, exact_answer
from tests.unit.privacy.tables import (
    COLUMNS,
    COUNT,
    MEAN_AGE,
    SUM_AGE,
    blueprint_of,
    filters,
    question,
    questions,
    rows_of,
    schema_of,
)

AGE_50 = {"column": "age", "op": "<", "value": 50}
PRESENT = {"column": "age", "op": "is_present"}
MISSING = {"column": "age", "op": "is_missing"}
MALE = {"column": "sex", "op": "=", "value": "Male"}
DISTINCT = {"statistic": "count_distinct"}


def plan_of(raw: dict[str, Any], schema: DatasetSchema | None = None) -> Plan:
    return parse_plan(raw, schema or schema_of(), dataset="people")


def same(one: dict[str, Any], other: dict[str, Any], schema: DatasetSchema | None = None) -> bool:
    used = schema or schema_of()
    first, second = plan_of(one, used), plan_of(other, used)
    return canonical_sha256(first, used) == canonical_sha256(second, used)


def where(*filters: dict[str, Any]) -> dict[str, Any]:
    return question(COUNT, where=list(filters))


def rows_passing(rows: list[Row], filters: tuple[RowFilter, ...]) -> ExactAnswer:
    """Row by row whether it passes."""
    request = ExactRequest(filters, (), (Measure(MeasureKind.ROWS),))
    return tuple(exact_answer([row], request)[0] for row in rows)


def counts(raw: dict[str, Any], schema: DatasetSchema, rows: list[Row]) -> ExactAnswer:
    """The rows of each cell of the plan."""
    request = blueprint_of(raw, schema).requests[0]
    groupings = request.groupings[: len(raw["group_by"])]
    return exact_answer(
        rows, replace(request, groupings=groupings, measures=(Measure(MeasureKind.ROWS),))
    )


@given(raw=st.lists(filters(), max_size=3), rows=st.lists(rows_of(), min_size=1, max_size=8))
def test_simple_filters_let_the_same_rows_pass(raw: list[dict[str, Any]], rows: list[Row]) -> None:
    """F12: putting filters together changes nothing about any row."""
    schema = schema_of()
    request = blueprint_of(where(*raw), schema).requests[0]
    simple = conjuncts_of(plan_of(where(*raw)), schema)
    assert rows_passing(rows, simple) == rows_passing(rows, request.filters)


def rewritten(item: dict[str, Any], how: list[int]) -> dict[str, Any]:
    """The same filter, written differently."""
    choice = how.pop() if how else 0
    if "not" in item:
        inner = rewritten(item["not"], how)
        return {"not": inner}
    joint = "and" if "and" in item else "or" if "or" in item else None
    if joint:
        members = [rewritten(member, how) for member in reversed(item[joint])]
        return {joint: [*members, members[0]] if choice == 1 else members}
    if choice == 1:
        return {"not": {"not": item}}
    if choice == 2:
        return {"or": [{"and": [item]}, item]}
    if item["op"] == "between":
        low, high = ({"column": item["column"], "value": value} for value in item["value"])
        return {"and": [{**high, "op": "<="}, {**low, "op": ">="}]}
    if item["op"] == "=":
        return {**item, "op": "in", "value": [item["value"]]}
    return item


@given(
    raw=questions(),
    how=st.lists(st.integers(0, 2), max_size=12),
    rows=st.lists(rows_of(), max_size=5),
)
def test_the_same_question_in_other_words_has_the_same_form_and_answer(
    raw: dict[str, Any], how: list[int], rows: list[Row]
) -> None:
    """F12: order, nesting, doubled and synonymous filters; order of statistics; the price."""
    other = {
        **raw,
        "epsilon": 2,
        "statistics": list(reversed(raw["statistics"])),
        "where": [rewritten(item, how) for item in reversed(raw["where"])],
    }
    assert same(raw, other)
    schema = schema_of()
    one, two = blueprint_of(raw, schema), blueprint_of(other, schema)
    assert one.groups() == two.groups()
    assert counts(raw, schema, rows) == counts(other, schema, rows)


@given(pair=st.tuples(questions(), questions()), rows=st.lists(rows_of(), min_size=1, max_size=6))
def test_equal_forms_filter_and_group_the_same_rows(
    pair: tuple[dict[str, Any], dict[str, Any]], rows: list[Row]
) -> None:
    """F12: whatever two plans have one form, no row is in different cells."""
    schema = schema_of()
    forms = [canonical(plan_of(raw), schema) for raw in pair]
    counted = [counts(raw, schema, rows) for raw in pair]
    if all(forms[0][part] == forms[1][part] for part in ("where", "group_by")):
        assert counted[0] == counted[1]


@given(
    values=st.tuples(st.integers(17, 89), st.integers(17, 89)),
    op=st.sampled_from(["<=", ">", "=", "!="]),
)
def test_another_constant_makes_another_form(values: tuple[int, int], op: str) -> None:
    """F12: on the lattice and within the bounds each constant means something else."""
    one, other = ({"column": "age", "op": op, "value": value} for value in values)
    assert same(where(one), where(other)) is (values[0] == values[1])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (where(AGE_50, MALE), where(MALE, AGE_50)),
        (where(AGE_50), where({"and": [AGE_50, {"column": "age", "op": "<", "value": 49.5}]})),
        (where({"column": "age", "op": "<=", "value": 200}), where(PRESENT)),
        (where({"column": "hours", "op": ">=", "value": 1}), where()),
        (where({"not": PRESENT}), where(MISSING)),
        (
            where({"column": "sex", "op": "in", "value": ["Male", "Female"]}),
            where({"or": [MALE, {"column": "sex", "op": "=", "value": "Female"}]}),
        ),
        (
            where({"column": "age", "op": ">", "value": 90}),
            where(MALE, {"not": {"or": [MALE, AGE_50]}}, AGE_50),
        ),
        (question(COUNT), question(DISTINCT)),
        (
            question({"statistic": "median", "column": "age"}),
            question({"statistic": "quantiles", "column": "age", "quantiles": [0.5]}),
        ),
        (question(MEAN_AGE, {**SUM_AGE, "share": 0.25}), question(SUM_AGE, MEAN_AGE, epsilon=2)),
        (
            question(COUNT, group_by=[{"column": "sex"}]),
            question(COUNT, group_by=[{"column": "sex", "categories": ["Female", "Male"]}]),
        ),
        (
            question(COUNT, group_by=[{"column": "age", "edges": ["20.0", 30]}]),
            question(COUNT, group_by=[{"column": "age", "edges": [20, "3e1"]}]),
        ),
    ],
)  # fmt: skip
def test_these_ask_the_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """F12: equal sets, bounds, synonyms and the price make no difference."""
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (where(AGE_50), where()),
        (where(AGE_50), where({"not": {"not": AGE_50}}, MALE)),
        (where(PRESENT), where()),
        (where({"and": [AGE_50, MALE]}), where({"or": [AGE_50, MALE]})),
        (question(COUNT), question(SUM_AGE)),
        (question(COUNT), question(COUNT, MEAN_AGE)),
        (
            question(COUNT, group_by=[{"column": "sex"}]),
            question(COUNT, group_by=[{"column": "sex", "categories": ["Male", "Female"]}]),
        ),
        (
            question(COUNT, group_by=[{"column": "age", "edges": [20, 30]}]),
            question(COUNT, group_by=[{"column": "age", "edges": [20, 30.5]}]),
        ),
    ],
)
def test_these_do_not(one: dict[str, Any], other: dict[str, Any]) -> None:
    """F12: other rows, other numbers or other names of groups are another question."""
    assert not same(one, other)


def test_distinct_people_are_not_rows_where_a_person_may_have_several() -> None:
    """F12: only where each row is a unit are the two counts one."""
    several = schema_of(*COLUMNS, unit=PrivacyUnit(private_id="id", max_rows_per_unit=3))
    assert not same(question(COUNT), question(DISTINCT), several)
