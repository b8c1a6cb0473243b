"""D1: no neighbouring table moves an exact vector by more than the declared reach."""

from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.noise.sensitivity import Sensitivity
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.schema import (
    ColumnSpec,
    DatasetSchema,
    MissingRule,
    Neighbouring,
    PrivacyUnit,
)
from tests.reference import Owned, Row
from tests.unit.privacy.tables import (
    COUNT,
    blueprint_of,
    draw_of,
    exact_vector,
    owned,
    question,
    questions,
    rows_of,
    schema_of,
)

Rows = list[Row] | list[Owned]
RELATIONS = list(Neighbouring)


def moved(blueprint: Blueprint, place: int, before: Rows, after: Rows) -> Sensitivity:
    """How far a table's vector lies from another's: L1, and L2 squared."""
    pairs = zip(*(exact_vector(blueprint, place, rows) for rows in (before, after)), strict=True)
    apart = [abs(x - y) for x, y in pairs]
    return Sensitivity(sum(apart), sum(x * x for x in apart))


def check_all_draws(blueprint: Blueprint, before: Rows, after: Rows) -> None:
    for place, mechanism in enumerate(blueprint.mechanisms):
        if (taken := draw_of(mechanism)) is not None:
            found = moved(blueprint, place, before, after)
            name = taken.readings[0].name
            event(f"{name} attains its L1: {found.l1 == taken.reach.l1}")
            event(f"{name} attains its L2: {found.l2_squared == taken.reach.l2_squared}")
            assert found.l1 <= taken.reach.l1
            assert found.l2_squared <= taken.reach.l2_squared


@given(raw=questions(), rows=st.lists(rows_of(), max_size=6), data=st.data())
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("relation", RELATIONS)
def test_a_group_of_rows_moves_no_draw_further_than_its_reach(
    relation: Neighbouring, size: int, raw: dict[str, Any], rows: list[Row], data: st.DataObject
) -> None:
    """D1: one group added, removed or replaced, under filters, groupings and missing values."""
    group = data.draw(st.lists(rows_of(), min_size=1, max_size=size))
    before = list(rows)
    if relation is Neighbouring.CHANGE_ONE:
        before += data.draw(st.lists(rows_of(), min_size=len(group), max_size=len(group)))
    after = rows + group
    schema = schema_of(neighbouring=relation, group_size=size, public_rows=len(after))
    check_all_draws(blueprint_of(raw, schema), before, after)


@given(raw=questions(), data=st.data())
@pytest.mark.parametrize("groups", [None, 1, 2])
@pytest.mark.parametrize("relation", RELATIONS)
def test_a_group_of_persons_moves_no_draw_further_than_its_reach(
    relation: Neighbouring, groups: int | None, raw: dict[str, Any], data: st.DataObject
) -> None:
    """D1, D6: persons with more rows and more groups than their limits, which cut them off."""
    person = st.lists(rows_of(), min_size=1, max_size=5)
    others = data.draw(st.lists(person, max_size=2))
    group = data.draw(st.lists(person, min_size=1, max_size=2))
    replaced = data.draw(st.lists(person, min_size=len(group), max_size=len(group)))
    before = replaced if relation is Neighbouring.CHANGE_ONE else []
    unit = PrivacyUnit(private_id="person", max_rows_per_unit=3, max_groups_per_unit=groups)
    schema = schema_of(neighbouring=relation, group_size=2, unit=unit)
    check_all_draws(blueprint_of(raw, schema), owned(others + before), owned(others + group))


@given(codes=st.lists(st.integers(0, 730_000), min_size=2, max_size=6))
@pytest.mark.parametrize("relation", RELATIONS)
def test_codes_taken_together_before_they_are_squared_keep_their_reach(
    relation: Neighbouring, codes: list[int]
) -> None:
    """D1, D3: a column so fine that squares of its codes could not be added up exactly."""
    fine = column_spec("x", numeric_domain("17", "90", "0.0001"), MissingRule.IMPUTE, "17")
    schema = schema_of(fine, neighbouring=relation, public_rows=len(codes))
    raw = question({"statistic": "variance", "column": "x"}, {"statistic": "sum", "column": "x"})
    blueprint = blueprint_of(raw, schema)
    widths = {m.width for m in blueprint.mechanisms[0].measures}
    assert max(widths) > 1
    after: list[Row] = [(code,) for code in codes]
    before = after[1:] if relation is Neighbouring.ADD_REMOVE else [(0,), *after[1:]]
    check_all_draws(blueprint, before, after)
    # The sum keeps every step, so it cannot be made of the same draw.
    assert [len(m.statistics) for m in blueprint.mechanisms] == [1, 1]


def numbers(lower: str, upper: str, missing: MissingRule) -> ColumnSpec:
    return column_spec("x", numeric_domain(lower, upper, "1"), missing, lower)


def schema_with(column: ColumnSpec, relation: Neighbouring, public: int | None) -> DatasetSchema:
    return schema_of(column, neighbouring=relation, public_rows=public)


def only_draw(raw: dict[str, Any], schema: DatasetSchema) -> Draw:
    (mechanism,) = blueprint_of(raw, schema).mechanisms
    taken = draw_of(mechanism)
    assert taken is not None
    return taken


DROP, IMPUTE, REQUIRE = MissingRule.DROP, MissingRule.IMPUTE, MissingRule.REQUIRE
ADD, CHANGE = Neighbouring.ADD_REMOVE, Neighbouring.CHANGE_ONE
FILTER = {"where": [{"column": "x", "op": "<", "value": 10}]}
GROUP = {"group_by": [{"column": "x", "edges": [5, 8, 10]}]}


@pytest.mark.parametrize(
    ("relation", "lower", "upper", "missing", "more", "expected"),
    [
        (ADD, "5", "10", DROP, {}, (10, 100)),
        (ADD, "-7", "3", DROP, GROUP, (7, 49)),
        (CHANGE, "5", "10", IMPUTE, {}, (5, 25)),
        (CHANGE, "5", "10", DROP, {}, (10, 100)),  # a 10 becomes missing
        (CHANGE, "5", "10", IMPUTE, FILTER, (10, 100)),  # 9 there, then filtered; 10 by the bounds
        (CHANGE, "-10", "-5", DROP, {}, (10, 100)),
        (CHANGE, "-7", "3", DROP, FILTER, (10, 100)),
        (CHANGE, "5", "10", IMPUTE, GROUP, (20, 200)),  # leaves one bin as 10, enters another
        (CHANGE, "-7", "3", DROP, GROUP, (14, 100)),
    ],
)
def test_a_sum_has_this_reach(
    relation: Neighbouring,
    lower: str,
    upper: str,
    missing: MissingRule,
    more: dict[str, object],
    expected: tuple[int, int],
) -> None:
    """D1: U - L alone would not do once a row can drop out or change its bin."""
    schema = schema_with(numbers(lower, upper, missing), relation, 100)
    raw = question({"statistic": "sum", "column": "x"}, **more)
    assert only_draw(raw, schema).reach == Sensitivity(*expected)


@pytest.mark.parametrize(
    ("statistic", "relation", "more", "of_dropping"),
    [
        ("sum", CHANGE, {}, 2),  # 5 against 10: no row can turn into nothing
        ("mean", CHANGE, {}, 2),  # one sum over a public number of rows, instead of two sums
        ("sum", CHANGE, FILTER, 1),  # a filter makes rows nothing all the same
        ("sum", CHANGE, GROUP, 1),
        ("sum", ADD, {}, 1),  # the row itself comes and goes
        ("mean", ADD, {}, 1),
    ],
)
def test_never_missing_takes_what_all_pairs_of_complete_tables_need(
    statistic: str, relation: Neighbouring, more: dict[str, object], of_dropping: int
) -> None:
    """D1, D4: of all neighbouring tables of two rows none moves further; one moves so far."""
    raw = question({"statistic": statistic, "column": "x"}, **more)
    schema = schema_with(numbers("5", "10", REQUIRE), relation, 2)
    taken = only_draw(raw, schema)
    blueprint = blueprint_of(raw, schema)
    codes = range(6)
    pairs: list[tuple[list[Row], list[Row]]] = [
        ([(fixed,), *([(one,)] if relation is CHANGE else [])], [(fixed,), (other,)])
        for fixed in codes
        for one in (codes if relation is CHANGE else [0])
        for other in codes
    ]
    most = max(moved(blueprint, 0, *pair).l1 for pair in pairs)
    assert most <= taken.reach.l1
    # A filter keeps the largest value out, and bins do not hold two of them here.
    assert more or most == taken.reach.l1
    dropping = only_draw(raw, schema_with(numbers("5", "10", DROP), relation, 2))
    assert dropping.reach.l1 == of_dropping * taken.reach.l1


@pytest.mark.parametrize(
    ("relation", "more", "expected"),
    [(ADD, {}, (1, 1)), (ADD, GROUP, (1, 1)), (CHANGE, {}, (1, 1)), (CHANGE, GROUP, (2, 2))],
)
@pytest.mark.parametrize("mode", list(Mode))
def test_a_count_has_this_reach(
    mode: Mode, relation: Neighbouring, more: dict[str, object], expected: tuple[int, int]
) -> None:
    """F5: a partition costs once under add_remove and twice under change_one."""
    schema = schema_of(numbers("0", "10", DROP), neighbouring=relation, public_rows=100, mode=mode)
    assert only_draw(question(COUNT, **more), schema).reach == Sensitivity(*expected)


@pytest.mark.parametrize(
    ("relation", "more", "readings", "expected"),
    [
        (ADD, {}, 2, (5, 25)),
        (ADD, GROUP, 2, (5, 25)),
        (CHANGE, FILTER, 2, (10, 50)),
        (CHANGE, GROUP, 2, (10, 50)),
        (CHANGE, {}, 1, (5, 25)),
    ],
)
def test_a_mean_is_made_of_these_sums(
    relation: Neighbouring, more: dict[str, object], readings: int, expected: tuple[int, int]
) -> None:
    """D1: both sums together move as a count does; with public rows one plain sum is enough."""
    schema = schema_with(numbers("5", "10", IMPUTE), relation, 100)
    taken = only_draw(question({"statistic": "mean", "column": "x"}, **more), schema)
    assert len(taken.readings) == readings
    assert taken.reach == Sensitivity(*expected)


@pytest.mark.parametrize("public", [None, 0])
def test_a_mean_needs_noisy_counts_when_the_number_of_rows_is_not_known(
    public: int | None,
) -> None:
    schema = schema_with(numbers("5", "10", IMPUTE), CHANGE, public)
    assert len(only_draw(question({"statistic": "mean", "column": "x"}), schema).readings) == 2


def test_the_three_sums_of_a_variance_move_as_one_count_does() -> None:
    """D1: whatever its value, a row adds 25 in all to sums that each stand for 25 a row."""
    schema = schema_with(numbers("5", "10", DROP), ADD, None)
    taken = only_draw(question({"statistic": "variance", "column": "x"}), schema)
    assert taken.reach == Sensitivity(25, 625)
    assert {reading.unit.denominator for reading in taken.readings} == {25}


FORMULAS = ["sum", "difference", "product"]
SMALL = (numbers("-2", "1", DROP), column_spec("y", numeric_domain("-1", "2", "0.5"), IMPUTE, "2"))


def of_two(formula: str, statistic: str, **more: object) -> dict[str, Any]:
    name = {"sum": "x + y", "difference": "x - y", "product": "x * y"}[formula]
    asked = {"statistic": statistic, "column": name}
    return question(asked, computed=[{"formula": formula, "of": ["x", "y"]}], **more)


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("statistic", ["sum", "mean", "variance", "distinct_values"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_a_column_of_two_moves_as_far_as_its_derived_bounds_say(
    relation: Neighbouring, statistic: str, formula: str
) -> None:
    """D1, D9: all pairs of neighbouring tables of one row; of a sum one of them moves so far."""
    schema = schema_of(*SMALL, neighbouring=relation, public_rows=1)
    blueprint = blueprint_of(of_two(formula, statistic), schema)
    codes: list[Row] = [(x, y) for x in (None, *range(4)) for y in range(7)]
    befores = [[one] for one in codes] if relation is CHANGE else [[]]
    found = [moved(blueprint, 0, before, [row]) for before in befores for row in codes]
    reach = draw_of(blueprint.mechanisms[0])
    assert reach is not None
    assert max(one.l1 for one in found) <= reach.reach.l1
    assert max(one.l2_squared for one in found) <= reach.reach.l2_squared
    # Corners of both ranges are reached, so that no bound is wider than it has to be; of a
    # product of mixed signs under change_one too, by its least value beside its largest.
    if statistic == "sum":
        assert max(one.l1 for one in found) == reach.reach.l1


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_clip_of_a_column_of_two_makes_its_reach_smaller(formula: str) -> None:
    """D1: one row more moves it by the clip's larger end, in the steps of both."""
    clip = {"from": -0.5, "to": 1}
    raw = of_two(formula, "sum")
    raw["statistics"][0]["clip"] = clip
    schema = schema_of(*SMALL)
    assert only_draw(raw, schema).reach == Sensitivity(2, 4)
    assert only_draw(of_two(formula, "sum"), schema).reach.l1 > 2
    blueprint = blueprint_of(raw, schema)
    codes: list[Row] = [(x, y) for x in range(4) for y in range(7)]
    assert max(moved(blueprint, 0, [], [row]).l1 for row in codes) == 2
