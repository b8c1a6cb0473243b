"""D1, D6, M9a: rows of a unit within a group, looked at in all small tables.

What could be overspent: noise of √g r, where a unit moves an answer further. So every unit with up
to three rows of six kinds is put beside every other one (or none), and the furthest that any pair
is apart must be what is declared, exactly where it can be reached. Which rows are left out is
decided by that unit's own rows; nothing that is shown tells it.
"""

from functools import cache
from itertools import product

import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.plan.canonical import canonical
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from dpgov.privacy.reuse.unions import union_of
from tests.reference import Owned, Row
from tests.unit.privacy.tables import (
    CHANGE,
    SEX,
    blueprint_of,
    draw_of,
    exact_vector,
    question,
    schema_of,
)

ADD, CHANGED = Neighbouring.ADD_REMOVE, Neighbouring.CHANGE_ONE
# change: -2.5 and 1.5 in steps of a quarter; sex: Female, Male and missing, which are three cells.
KINDS: tuple[Row, ...] = tuple(product((0, 16), (0, 1, None)))
MOST = 3
BY_SEX = {"group_by": [{"column": "sex"}]}
STATISTICS = (
    {"statistic": "count"},
    {"statistic": "sum", "column": "change"},
    {"statistic": "mean", "column": "change"},
    {"statistic": "variance", "column": "change"},
)


def schema(relation: Neighbouring, *, groups: int | None = None, size: int = 1) -> DatasetSchema:
    unit = PrivacyUnit("person", MOST, groups)
    return schema_of(CHANGE, SEX, neighbouring=relation, unit=unit, group_size=size)


def person(rows: tuple[Row, ...]) -> list[Owned]:
    return [Owned(codes, 0, 11, rank, len(rows)) for rank, codes in enumerate(rows)]


# Of whoever has no rows here a filter has left out all.
EVERYBODY = [rows for number in range(MOST + 1) for rows in product(KINDS, repeat=number)]


def furthest(blueprint: Blueprint, relation: Neighbouring) -> tuple[int, int]:
    """L1 and L2 squared between any two neighbours: answers add up over units."""

    @cache
    def moved(vector: tuple[int, ...]) -> tuple[int, int]:
        return sum(map(abs, vector)), sum(step**2 for step in vector)

    vectors = {tuple(exact_vector(blueprint, 0, person(rows))) for rows in EVERYBODY}
    nothing = {(0,) * len(next(iter(vectors)))}
    others = nothing if relation is ADD else vectors
    found = [
        moved(tuple(a - b for a, b in zip(one, other, strict=True)))
        for one in vectors
        for other in others
    ]
    return max(l1 for l1, _ in found), max(l2 for _, l2 in found)


def taken(blueprint: Blueprint) -> Draw:
    found = draw_of(blueprint.mechanisms[0])
    assert found is not None
    return found


@pytest.mark.parametrize("shape", [{}, BY_SEX])
@pytest.mark.parametrize("kept", [{}, {"rows_per_group": 1}, {"rows_per_group": 2}])
@pytest.mark.parametrize("groups", [None, 1, 2])
@pytest.mark.parametrize("asked", STATISTICS, ids=lambda one: one["statistic"])
@pytest.mark.parametrize("relation", [ADD, CHANGED])
def test_no_unit_moves_an_answer_further_than_declared(
    relation: Neighbouring,
    asked: dict[str, str],
    groups: int | None,
    kept: dict[str, int],
    shape: dict[str, object],
) -> None:
    used = kept | ({} if groups is None else {"groups": groups})
    raw = question(asked, **shape, **({"per_unit": used} if used else {}))
    blueprint = blueprint_of(raw, schema(relation))
    reach = taken(blueprint).reach
    l1, l2 = furthest(blueprint, relation)
    assert l1 <= reach.l1
    assert l2 <= reach.l2_squared
    # With two full cells and two parts of one there are more than the three cells of this table.
    crossed = relation is CHANGED and shape and kept == {"rows_per_group": 2} and groups != 1
    if asked["statistic"] == "count" and not crossed:
        assert (l1, l2) == (reach.l1, reach.l2_squared)


@pytest.mark.parametrize(
    ("relation", "kept", "l1", "l2_squared"),
    [
        # Present bounds: all three rows in one cell, or in two when they move.
        (ADD, {}, 3, 9),
        (CHANGED, {}, 6, 18),
        # r rows in each of g groups: L1 g r, L2 √g r.
        (ADD, {"rows_per_group": 1, "groups": 2}, 2, 2),
        (CHANGED, {"rows_per_group": 1, "groups": 1}, 2, 2),
        # Never more than the three rows that are used at all: one full cell and one row.
        (ADD, {"rows_per_group": 2}, 3, 5),
        (CHANGED, {"rows_per_group": 2}, 6, 10),
        # Nor more cells than there are: all three change by one row.
        (CHANGED, {"rows_per_group": 1, "groups": 2}, 3, 3),
        # Groups alone gain nothing: all rows may lie in one.
        (ADD, {"groups": 1}, 3, 9),
    ],
)
def test_a_count_by_group_has_this_sensitivity(
    relation: Neighbouring, kept: dict[str, int], l1: int, l2_squared: int
) -> None:
    raw = question({"statistic": "count"}, **BY_SEX, **({"per_unit": kept} if kept else {}))
    reach = taken(blueprint_of(raw, schema(relation))).reach
    assert (reach.l1, reach.l2_squared) == (l1, l2_squared)


def test_of_k_units_it_is_k_times_as_much() -> None:
    kept = {"rows_per_group": 1, "groups": 2}
    raw = question({"statistic": "count"}, **BY_SEX, per_unit=kept)
    one, three = (taken(blueprint_of(raw, schema(ADD, size=size))).reach for size in (1, 3))
    assert three == one.times(3)


def test_what_is_declared_binds_a_question_that_asks_for_more_groups() -> None:
    raw = question({"statistic": "count"}, **BY_SEX, per_unit={"rows_per_group": 2})
    blueprint = blueprint_of(raw, schema(ADD, groups=1))
    assert taken(blueprint).reach.l2_squared == 4
    rows = person(((0, 0), (0, 0), (0, 1)))
    assert sorted(exact_vector(blueprint, 0, rows))[:2] == [0, 0]


def test_gaussian_noise_is_the_root_of_the_groups_smaller() -> None:
    """Of nine rows three in each of three groups: √3 less noise than nine rows anywhere."""
    declared = schema_of(SEX, unit=PrivacyUnit("person", 9), mode=Mode.ZCDP)
    body = {"statistics": [{"statistic": "count"}], "rho": 0.01, **BY_SEX}
    plain, kept = (
        prepare(parse_plan(body | more, declared, dataset="people"), declared)
        for more in ({}, {"per_unit": {"rows_per_group": 3}})
    )
    ratio = taken(plain).noise.scale / taken(kept).noise.scale
    assert ratio == pytest.approx(3**0.5, rel=1e-6)


def test_a_plan_without_it_keeps_its_form_and_one_that_leaves_nothing_out_has_none() -> None:
    declared = schema(ADD)
    plain, kept, idle = (
        parse_plan(question({"statistic": "count"}, **BY_SEX, **more), declared, dataset="people")
        for more in ({}, {"per_unit": {"rows_per_group": 1}}, {"per_unit": {"rows_per_group": 3}})
    )
    assert idle == plain
    assert "per_unit" not in plain.as_json()
    assert "per_unit" not in canonical(plain, declared)
    assert parse_plan(kept.as_json(), declared, dataset="people") == kept
    assert canonical(kept, declared)["per_unit"] == {"rows_per_group": 1}


def test_other_cells_are_never_made_of_a_table_that_leaves_rows_out() -> None:
    """Both groups together would hold two rows of a unit, where one was promised."""
    declared = schema(ADD)
    fine, coarse, plain = (
        parse_plan(question({"statistic": "count"}, **more), declared, dataset="people")
        for more in (
            BY_SEX | {"per_unit": {"rows_per_group": 1}},
            {"per_unit": {"rows_per_group": 1}},
            BY_SEX,
        )
    )
    assert union_of(coarse, fine, declared) is None
    assert union_of(plain, fine, declared) is None
    assert union_of(fine, plain, declared) is None
    same = union_of(fine, fine, declared)
    assert same is not None
    assert same.same


@pytest.mark.parametrize(
    ("kept", "path"),
    [
        ({"rows_per_group": 0}, "per_unit.rows_per_group"),
        ({"rows_per_group": 4}, "per_unit.rows_per_group"),
        ({"rows_per_group": True}, "per_unit.rows_per_group"),
        ({"groups": 1.0}, "per_unit.groups"),
        ({"groups": 3}, "per_unit.groups"),
        ({"rows": 1}, "per_unit.rows"),
        ([1], "per_unit"),
    ],
)
def test_limits_that_are_none_are_refused_at_their_key(kept: object, path: str) -> None:
    raw = question({"statistic": "count"}, per_unit=kept)
    with pytest.raises(InvalidPlan) as refused:
        blueprint_of(raw, schema(ADD, groups=2))
    assert [problem.path for problem in refused.value.problems] == [path]


def test_where_each_row_is_a_unit_there_is_nothing_to_leave_out() -> None:
    raw = question({"statistic": "count"}, per_unit={"rows_per_group": 1})
    with pytest.raises(InvalidPlan, match="No column names the privacy unit"):
        blueprint_of(raw, schema_of())
