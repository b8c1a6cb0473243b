"""Filters and bins in codes mean what they say in values, looked at value by value."""

import operator
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.grouping import described
from dpgov.privacy.plan.predicates import never_holds
from dpgov.privacy.plan.request import CodeFilter
from dpgov.privacy.plan.schema import NumericDomain
from tests.examples import examples
from tests.reference import Row, bin_of, exact_answer
from tests.unit.privacy.tables import (
    CHANGE,
    COLUMNS,
    COUNT,
    SEX,
    blueprint_of,
    filters,
    question,
    rows_of,
    schema_of,
)

COMPARISONS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
THRESHOLDS = st.one_of(
    st.integers(-16, 12).map(lambda quarter: Decimal(quarter) / 4),
    st.decimals(-4, 3, places=3),
)
assert isinstance(CHANGE.domain, NumericDomain)
VALUES = [CHANGE.domain.lower + code * CHANGE.domain.step for code in range(CHANGE.domain.top + 1)]


def passing(*conditions: dict[str, Any]) -> tuple[list[Decimal], bool]:
    """Which values of `change` pass, and whether a missing one does."""
    blueprint = blueprint_of(question(COUNT, where=list(conditions)), schema_of(CHANGE))
    count = [exact_answer([(code,)], blueprint.requests[0])[0][0] for code in range(len(VALUES))]
    missing = exact_answer([(None,)], blueprint.requests[0])[0][0]
    return [value for value, there in zip(VALUES, count, strict=True) if there], missing == 1


@given(op=st.sampled_from(sorted(COMPARISONS)), threshold=THRESHOLDS)
def test_a_comparison_is_made_on_the_stored_values_exactly(op: str, threshold: Decimal) -> None:
    """D7: thresholds between two steps or outside the bounds are placed exactly."""
    expected = [value for value in VALUES if COMPARISONS[op](value, threshold)]
    assert passing({"column": "change", "op": op, "value": str(threshold)}) == (expected, False)


@given(op=st.sampled_from(sorted(COMPARISONS)), threshold=THRESHOLDS)
def test_a_comparison_never_holds_where_no_declared_value_passes(
    op: str, threshold: Decimal
) -> None:
    """D7: by the bounds alone; a missing value passes no comparison."""
    raw = {"column": "change", "op": op, "value": str(threshold)}
    (asked,) = blueprint_of(question(COUNT, where=[raw]), schema_of(CHANGE)).requests[0].filters
    assert never_holds(asked) == (passing(raw) == ([], False))


@given(ends=st.tuples(THRESHOLDS, THRESHOLDS).map(sorted))
def test_between_includes_both_ends(ends: list[Decimal]) -> None:
    expected = [value for value in VALUES if ends[0] <= value <= ends[1]]
    assert passing({"column": "change", "op": "between", "value": [str(e) for e in ends]}) == (
        expected,
        False,
    )


@given(wanted=st.lists(THRESHOLDS, min_size=1, max_size=6, unique=True))
def test_in_takes_exactly_the_listed_values(wanted: list[Decimal]) -> None:
    expected = [value for value in VALUES if value in wanted]
    assert passing({"column": "change", "op": "in", "value": [str(w) for w in wanted]}) == (
        expected,
        False,
    )


def test_a_missing_value_passes_is_missing_and_nothing_else() -> None:
    """D4: != leaves missing values out, as SQL does."""
    assert passing({"column": "change", "op": "is_missing"}) == ([], True)
    assert passing({"column": "change", "op": "is_present"}) == (VALUES, False)
    assert passing({"column": "change", "op": "!=", "value": 99}) == (VALUES, False)


def test_filters_are_joined_by_and() -> None:
    low, high = {"op": ">", "value": -1}, {"op": "<", "value": 0}
    both, _ = passing({"column": "change", **low}, {"column": "change", **high})
    assert both == [Decimal("-0.75"), Decimal("-0.5"), Decimal("-0.25")]


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        ("=", "Male", [1]),
        ("!=", "Male", [0, 2]),
        ("in", ["Male", "Female"], [0, 1]),
        ("is_present", None, [0, 1, 2]),
    ],
)
def test_category_filters_compare_codes_and_undeclared_values_are_unequal_to_all(
    op: str, value: object, expected: list[int]
) -> None:
    """E5: whatever was not declared is one value, `other`, which only != and is_present take."""
    blueprint = blueprint_of(
        question(COUNT, where=[{"column": "sex", "op": op, "value": value}]), schema_of(SEX)
    )
    counts = {
        code: exact_answer([(code,)], blueprint.requests[0])[0][0] for code in (0, 1, 2, None)
    }
    assert [code for code, there in counts.items() if there] == expected


@given(edges=st.lists(THRESHOLDS, min_size=2, max_size=6, unique=True).map(sorted))
def test_each_value_falls_into_the_one_bin_whose_edges_hold_it(edges: list[Decimal]) -> None:
    """D7: half-open bins, the last one closed; off-lattice edges are placed exactly."""
    raw = question(COUNT, group_by=[{"column": "change", "edges": [str(e) for e in edges]}])
    (grouping,) = blueprint_of(raw, schema_of(CHANGE)).requests[0].groupings
    for code, value in enumerate(VALUES):
        holding = [
            number
            for number, (low, high) in enumerate(pairwise(edges))
            if low <= value < high or (value == high == edges[-1])
        ]
        assert len(holding) <= 1
        assert bin_of((code,), grouping) == (holding[0] if holding else len(edges) - 1)
    assert bin_of((None,), grouping) == len(edges) - 1


@given(edges=st.lists(THRESHOLDS, min_size=2, max_size=6, unique=True).map(sorted))
def test_bins_never_overlap_and_all_are_there(edges: list[Decimal]) -> None:
    """E5: as many bins as declared, empty or not, and one for the rest."""
    raw = question(COUNT, group_by=[{"column": "change", "edges": [str(e) for e in edges]}])
    blueprint = blueprint_of(raw, schema_of(CHANGE))
    ranges = blueprint.requests[0].groupings[0].ranges
    assert len(ranges) == len(edges) - 1
    codes = [code for low, high in ranges for code in range(low, high + 1)]
    assert codes == sorted(set(codes))
    assert blueprint.requests[0].cells == len(edges) == len(blueprint.groups()[0]["bins"])


def test_bins_carry_their_edges_as_names() -> None:
    raw = question(COUNT, group_by=[{"column": "change", "edges": ["-1.50", 0, 1e0]}])
    assert blueprint_of(raw, schema_of(CHANGE)).groups() == [
        {"column": "change", "bins": ["[-1.5, 0)", "[0, 1]", "other"], "step": 0.25}
    ]


def test_category_bins_come_in_the_order_asked_and_the_rest_last() -> None:
    """E5: undeclared, unlisted and missing values share the last bin."""
    raw = question(COUNT, group_by=[{"column": "sex", "categories": ["Male"]}])
    blueprint = blueprint_of(raw, schema_of(SEX))
    assert blueprint.groups() == [{"column": "sex", "bins": ["Male", "other"]}]
    rows = [(1,), (1,), (0,), (2,), (None,)]
    assert exact_answer(rows, blueprint.requests[0]) == ((2,), (3,))


def test_a_declared_category_called_other_does_not_share_its_name_with_the_rest() -> None:
    column = column_spec("race", category_domain(["White", "Other"]), "drop", "")
    blueprint = blueprint_of(question(COUNT, group_by=[{"column": "race"}]), schema_of(column))
    assert described(blueprint.plan.group_by[0])["bins"] == ["White", "Other", "everything else"]


def test_cells_are_row_major_with_the_first_grouping_slowest() -> None:
    raw = question(COUNT, group_by=[{"column": "sex"}, {"column": "change", "edges": [-3, 0, 2]}])
    request = blueprint_of(raw, schema_of(CHANGE, SEX)).requests[0]
    answer = exact_answer([(0, 0), (16, 0), (None, 1), (16, None)], request)
    assert [cell[0] for cell in answer] == [1, 1, 0, 0, 0, 1, 0, 1, 0]


def test_lattice_positions_are_exact_fractions() -> None:
    """D2: 0.1 is a tenth, not the nearest double."""
    column = column_spec("x", numeric_domain("0", "1", "0.1"), "drop", "")
    assert isinstance(column.domain, NumericDomain)
    raw = question(COUNT, where=[{"column": "x", "op": "<=", "value": 0.3}])
    (condition,) = blueprint_of(raw, schema_of(column)).requests[0].filters
    assert isinstance(condition, CodeFilter)
    assert condition.ranges == ((0, 3),)
    assert Fraction(column.domain.step) == Fraction(1, 10)


def holds(raw: dict[str, Any], row: Row) -> bool | None:
    """A filter over COLUMNS by SQL's logic of three values: None where it cannot be said."""
    if "not" in raw:
        inner = holds(raw["not"], row)
        return None if inner is None else not inner
    for joint, decisive in (("and", False), ("or", True)):
        if joint in raw:
            found = [holds(member, row) for member in raw[joint]]
            rest = None if None in found else not decisive
            return decisive if decisive in found else rest
    place = [column.name for column in COLUMNS].index(raw["column"])
    if raw["op"] in ("is_missing", "is_present"):
        return (row[place] is None) is bool(raw["op"] == "is_missing")
    if row[place] is None:
        return None
    alone = question(COUNT, where=[raw])
    return bool(exact_answer([row], blueprint_of(alone, schema_of()).requests[0])[0][0])


@examples(60)
@given(raw=filters(), row=rows_of())
def test_nested_filters_pass_the_rows_that_sql_would_let_pass(
    raw: dict[str, Any], row: Row
) -> None:
    """A missing value passes no comparison, no negated one, and no “not” around either."""
    request = blueprint_of(question(COUNT, where=[raw]), schema_of()).requests[0]
    assert exact_answer([row], request)[0][0] == (1 if holds(raw, row) else 0)


@examples(60)
@given(raw=filters(), row=rows_of())
def test_no_row_passes_what_never_holds(raw: dict[str, Any], row: Row) -> None:
    """However it is nested: “and” needs all of its members, “or” one of them."""
    request = blueprint_of(question(COUNT, where=[raw]), schema_of()).requests[0]
    if any(never_holds(asked) for asked in request.filters):
        assert exact_answer([row], request)[0][0] == 0
