"""D1: no neighbouring table moves an exact answer by more than the declared sensitivity."""

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from dpgov.privacy.blueprint import Blueprint
from dpgov.privacy.domains import column_spec, numeric_domain
from dpgov.privacy.mechanisms.part import NoisyPart
from dpgov.privacy.schema import (
    ColumnSpec,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    PrivacyUnit,
)
from dpgov.privacy.sensitivity import exposure, of_centred_sum, of_count, of_sum
from tests.reference import Row, exact_answer
from tests.unit.privacy.tables import COUNT, blueprint_of, question, questions, rows_of, schema_of


def l1_distance(blueprint: Blueprint, part: NoisyPart, before: list[Row], after: list[Row]) -> int:
    vectors = []
    for rows in (before, after):
        cells = exact_answer(rows, blueprint.requests[0])
        measured = [dict(zip(blueprint.requests[0].measures, cell, strict=True)) for cell in cells]
        vectors.append([part.exact(cell) for cell in measured])
    return sum(abs(x - y) for x, y in zip(*vectors, strict=True))


@given(raw=questions(), rows=st.lists(rows_of(), max_size=6), data=st.data())
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("relation", list(Neighbouring))
def test_a_neighbouring_table_moves_no_part_by_more_than_its_sensitivity(
    relation: Neighbouring, size: int, raw: dict[str, object], rows: list[Row], data: st.DataObject
) -> None:
    """D1: one group added, removed or replaced, under filters, groupings and missing values."""
    group = data.draw(st.lists(rows_of(), min_size=1, max_size=size))
    replaced = relation is Neighbouring.CHANGE_ONE
    before = rows + (
        data.draw(st.lists(rows_of(), min_size=len(group), max_size=len(group))) if replaced else []
    )
    after = rows + group
    schema = schema_of(neighbouring=relation, group_size=size, public_rows=len(after))
    blueprint = blueprint_of(raw, schema)
    for mechanism in blueprint.mechanisms:
        for part in mechanism.parts:
            distance = l1_distance(blueprint, part, before, after)
            event(f"{part.name} attains its bound: {distance == part.sensitivity}")
            assert distance <= part.sensitivity


def numbers(lower: str, upper: str, missing: MissingRule) -> ColumnSpec:
    return column_spec("x", numeric_domain(lower, upper, "1"), missing, lower)


def schema_with(column: ColumnSpec, relation: Neighbouring, public: int | None) -> DatasetSchema:
    return schema_of(column, neighbouring=relation, public_rows=public)


DROP, IMPUTE = MissingRule.DROP, MissingRule.IMPUTE
ADD, CHANGE = Neighbouring.ADD_REMOVE, Neighbouring.CHANGE_ONE
FILTER = {"where": [{"column": "x", "op": "<", "value": 10}]}
GROUP = {"group_by": [{"column": "x", "edges": [5, 8, 10]}]}


@pytest.mark.parametrize(
    ("relation", "lower", "upper", "missing", "more", "expected"),
    [
        (ADD, "5", "10", DROP, {}, 10),
        (ADD, "-7", "3", DROP, GROUP, 7),
        (CHANGE, "5", "10", IMPUTE, {}, 5),
        (CHANGE, "5", "10", DROP, {}, 10),  # a 10 becomes missing
        (CHANGE, "5", "10", IMPUTE, FILTER, 10),  # a 9 is there, then filtered; 10 by the bounds
        (CHANGE, "-10", "-5", DROP, {}, 10),
        (CHANGE, "-7", "3", DROP, FILTER, 10),
        (CHANGE, "5", "10", IMPUTE, GROUP, 20),  # leaves one bin as 10 and enters another as 10
        (CHANGE, "-7", "3", DROP, GROUP, 14),
    ],
)
def test_a_sum_has_this_sensitivity(
    relation: Neighbouring,
    lower: str,
    upper: str,
    missing: MissingRule,
    more: dict[str, object],
    expected: int,
) -> None:
    """D1: U - L alone would not do once a row can drop out or change its bin."""
    schema = schema_with(numbers(lower, upper, missing), relation, 100)
    blueprint = blueprint_of(question({"statistic": "sum", "column": "x"}, **more), schema)
    assert blueprint.mechanisms[0].parts[0].sensitivity == expected


@pytest.mark.parametrize(
    ("relation", "more", "expected"),
    [(ADD, {}, 1), (ADD, GROUP, 1), (CHANGE, {}, 1), (CHANGE, GROUP, 2)],
)
def test_a_count_has_this_sensitivity(
    relation: Neighbouring, more: dict[str, object], expected: int
) -> None:
    """F5: a partition costs once under add_remove and twice under change_one."""
    schema = schema_with(numbers("0", "10", DROP), relation, 100)
    assert (
        blueprint_of(question(COUNT, **more), schema).mechanisms[0].parts[0].sensitivity == expected
    )


@pytest.mark.parametrize(
    ("relation", "more", "names", "expected"),
    [
        (ADD, {}, ["centred sum", "count"], [5, 1]),
        (ADD, GROUP, ["centred sum", "count"], [5, 1]),
        (CHANGE, FILTER, ["centred sum", "count"], [10, 1]),
        (CHANGE, GROUP, ["centred sum", "count"], [10, 2]),
        (CHANGE, {}, ["sum"], [5]),
    ],
)
def test_a_mean_is_made_of_these_parts(
    relation: Neighbouring, more: dict[str, object], names: list[str], expected: list[int]
) -> None:
    """D1: centred sums count in half-steps; with a public number of rows the sum is enough."""
    schema = schema_with(numbers("5", "10", IMPUTE), relation, 100)
    blueprint = blueprint_of(question({"statistic": "mean", "column": "x"}, **more), schema)
    parts = blueprint.mechanisms[0].parts
    assert [part.name for part in parts] == names
    assert [part.sensitivity for part in parts] == expected


@pytest.mark.parametrize("public", [None, 0])
def test_a_mean_needs_a_noisy_count_when_the_number_of_rows_is_not_known(
    public: int | None,
) -> None:
    schema = schema_with(numbers("5", "10", IMPUTE), CHANGE, public)
    blueprint = blueprint_of(question({"statistic": "mean", "column": "x"}), schema)
    assert len(blueprint.mechanisms[0].parts) == 2


@given(
    before=st.lists(st.integers(5, 10), max_size=4), after=st.lists(st.integers(5, 10), max_size=4)
)
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("relation", list(Neighbouring))
def test_a_person_with_up_to_four_rows_moves_nothing_further(
    relation: Neighbouring, grouped: bool, before: list[int], after: list[int]
) -> None:
    """D1: a person may be replaced by one with fewer rows, so no row is sure to stay."""
    domain = numeric_domain("5", "10", "1")
    unit = PrivacyUnit(private_id="person", max_rows_per_unit=4)
    schema = schema_of(numbers("5", "10", IMPUTE), neighbouring=relation, unit=unit)
    exposed = exposure(schema, filtered=False, grouped=grouped, missing_drops=False)
    if relation is Neighbouring.ADD_REMOVE:
        before = []
    keys = range(5, 11) if grouped else [0]
    cell = (lambda value: value) if grouped else (lambda value: 0)
    for bound, weigh in (
        (of_sum(domain, exposed), lambda value: value),
        (of_centred_sum(domain, exposed), lambda value: 2 * (value - 5) - domain.top),
        (of_count(exposed), lambda value: 1),
    ):
        totals = [
            [sum(weigh(v) for v in rows if cell(v) == key) for key in keys]
            for rows in (before, after)
        ]
        assert sum(abs(x - y) for x, y in zip(*totals, strict=True)) <= bound
