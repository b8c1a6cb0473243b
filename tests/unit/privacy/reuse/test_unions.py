"""F12: cells that are said to be unions of others hold the same rows on every table."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.privacy.plan.domains import column_spec, date_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.reuse.unions import DROPPED, Union, union_of
from tests.reference import Row, exact_answer
from tests.unit.privacy.tables import (
    COUNT,
    blueprint_of,
    filters,
    groupings,
    question,
    rows_of,
    schema_of,
)

SEX = {"column": "sex"}
AGES = {"column": "age", "edges": [20, 30, 40, 60]}
COARSE = {"column": "age", "edges": [20, 40, 60]}
MALE = {"column": "sex", "op": "=", "value": "Male"}
TWENTIES = {"column": "age", "op": "between", "value": [20, 29]}


def table(*groups: dict[str, Any], where: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return question(COUNT, where=list(where), group_by=list(groups))


def union(
    asked: dict[str, Any], stored: dict[str, Any], schema: DatasetSchema | None = None
) -> Union | None:
    schema = schema or schema_of()
    one, other = (parse_plan(raw, schema, dataset="people") for raw in (asked, stored))
    return union_of(one, other, schema)


def counts(raw: dict[str, Any], rows: list[Row], schema: DatasetSchema | None = None) -> list[int]:
    request = blueprint_of(raw, schema or schema_of()).requests[0]
    rows_of_cells = ExactRequest(request.filters, request.groupings, (Measure(MeasureKind.ROWS),))
    return [cell[0] for cell in exact_answer(rows, rows_of_cells)]


def holds(
    found: Union,
    asked: dict[str, Any],
    stored: dict[str, Any],
    rows: list[Row],
    schema: DatasetSchema | None = None,
) -> None:
    added = [0] * len(found.sizes)
    for target, count in zip(found.targets.tolist(), counts(stored, rows, schema), strict=True):
        if target != DROPPED:
            added[target] += count
    assert added == counts(asked, rows, schema)


def coarser(group: dict[str, Any], keep: list[bool]) -> dict[str, Any]:
    """The same grouping with some inner edges or categories left out."""
    if "edges" not in group:
        return group
    first, *inner, last = group["edges"]
    kept = [edge for edge, stays in zip(inner, keep, strict=False) if stays]
    return {**group, "edges": [first, *kept, last]}


@given(
    groups=st.lists(groupings(), max_size=2, unique_by=lambda g: g["column"]),
    common=st.lists(filters(), max_size=1),
    more=st.lists(filters(), max_size=1),
    keep=st.lists(st.booleans(), min_size=3, max_size=3),
    summed_out=st.booleans(),
    rows=st.lists(rows_of(), min_size=1, max_size=8),
)
def test_what_is_found_adds_up_on_every_table(
    groups: list[dict[str, Any]],
    common: list[dict[str, Any]],
    more: list[dict[str, Any]],
    keep: list[bool],
    summed_out: bool,
    rows: list[Row],
) -> None:
    """F12: whenever a union is found, the stored cells add up to the asked ones."""
    stored = table(*groups, where=tuple(common))
    left = groups[1:] if summed_out else list(reversed(groups))
    asked = table(*(coarser(g, keep) for g in left), where=(*more, *common))
    found = union(asked, stored)
    if found is not None:
        holds(found, asked, stored, rows)
    elif not more:
        pytest.fail("coarser groups and groups left out are always unions")


@pytest.mark.parametrize(
    ("asked", "sizes"),
    [
        (table(), [12]),
        (table(SEX), [4, 4, 4]),
        (table(AGES, SEX), [1] * 12),
        (table(COARSE), [6, 3, 3]),
        (table(where=(MALE,)), [4]),
        (table(AGES, where=(MALE,)), [1, 1, 1, 1]),
        (table(SEX, where=(TWENTIES,)), [1, 1, 1]),
        (table(where=({"or": [MALE, TWENTIES]},)), [6]),
        (table(where=({"not": {"or": [MALE, TWENTIES]}},)), None),
        (table(where=({"column": "age", "op": "<", "value": 30},)), None),
        (table(where=({"column": "age", "op": "between", "value": [20, 28]},)), None),
        (table({"column": "age", "edges": [20, 35, 60]}), None),
        (table({"column": "age", "edges": [40, 60]}), [3, 9]),
        # The last bin holds its upper edge too, which belongs to the next one of the stored answer.
        (table({"column": "age", "edges": [20, 40]}), None),
        (table({"column": "hours", "edges": [10, 20]}), None),
        (table(where=({"column": "hours", "op": "<", "value": 20},)), None),
        (table(where=({"or": [MALE, {"column": "hours", "op": "<", "value": 20}]},)), None),
    ],
)
def test_a_table_answers_its_margins_and_the_unions_of_its_bins(
    asked: dict[str, Any], sizes: list[int] | None
) -> None:
    """F12: bins that are cut, columns that are not there and other rows are refused."""
    found = union(asked, table(SEX, AGES))
    assert (None if found is None else found.sizes.tolist()) == sizes


def test_a_bin_in_which_no_row_can_be_adds_no_noise() -> None:
    """F12: the stored filter leaves two of three groups empty, whatever the data."""
    found = union(table(where=(MALE,)), table(SEX, where=(MALE,)))
    assert found is not None
    assert found.sizes.tolist() == [1]


def test_rows_that_the_stored_answer_left_out_cannot_be_asked_for() -> None:
    """F12: a filter of the stored plan must be one of the asked plan too."""
    assert union(table(SEX), table(SEX, where=(TWENTIES,))) is None
    assert union(table(), table(SEX, where=(MALE,))) is None
    either = {"or": [MALE, {"column": "hours", "op": "<", "value": 20}]}
    assert union(table(), table(SEX, where=(either,))) is None
    assert union(table(where=(either,)), table(SEX, where=(either,))) is not None


@pytest.mark.parametrize(
    ("stored", "asked", "sizes"),
    [
        ("month", "month_of_year", [2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 1]),
        ("month", "quarter_of_year", [4, 3, 3, 5, 1]),
        ("quarter", "quarter_of_year", [2, 1, 1, 2, 1]),
        ("month_of_year", "month_of_year", [1] * 13),
        ("quarter", "month_of_year", None),
        ("month_of_year", "quarter_of_year", None),
        ("month_of_year", "month", None),
    ],
)
def test_months_of_several_years_answer_those_of_the_year(
    stored: str, asked: str, sizes: list[int] | None
) -> None:
    """F12: of days from November 2023 to January 2025, some of them missing."""
    days = date_domain("2023-11-03", "2025-01-20", "day")
    schema = replace(schema_of(), columns=(column_spec("on", days, "drop", ""),))
    wanted, known = (table({"column": "on", "by": by}) for by in (asked, stored))
    found = union(wanted, known, schema)
    assert (None if found is None else found.sizes.tolist()) == sizes
    if found is not None:
        holds(found, wanted, known, [(code,) for code in (None, *range(days.top + 1))], schema)


def test_the_same_cells_are_known_as_the_same() -> None:
    """F12: even those in which no row can be stay as they were drawn."""
    found = union(table(SEX, where=(MALE,)), table(SEX, where=(MALE, MALE)))
    assert found is not None
    assert found.same
    assert found.one_each
