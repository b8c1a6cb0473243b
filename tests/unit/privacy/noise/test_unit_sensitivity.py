"""D1: people named by a column, who come, go or are replaced, move no answer beyond its bounds."""

from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.plan.schema import Neighbouring, PrivacyUnit
from tests.reference import Owned, Row, exact_answer
from tests.unit.privacy.tables import blueprint_of, question, rows_of, schema_of

Person = tuple[int, list[Row]]
_PERSON: st.SearchStrategy[Person] = st.tuples(
    st.integers(0, 2**64 - 1), st.lists(rows_of(), min_size=1, max_size=5)
)
_ASKED = (
    {"statistic": "count"},
    {"statistic": "count_distinct"},
    {"statistic": "distinct_values", "column": "sex"},
    {"statistic": "distinct_values", "column": "age"},
    {"statistic": "sum", "column": "change"},
    {"statistic": "mean", "column": "age"},
    {"statistic": "variance", "column": "hours"},
    {"statistic": "median", "column": "age"},
    {"statistic": "max", "column": "hours"},
)
_SHAPES: tuple[dict[str, Any], ...] = (
    {},
    {"where": [{"column": "age", "op": "<", "value": 50}]},
    {"group_by": [{"column": "sex"}]},
    {"group_by": [{"column": "age", "edges": [17, 30, 50, 90]}, {"column": "sex"}]},
)


def table_of(people: list[Person]) -> list[Owned]:
    """Their rows as ingest stores them."""
    return [
        Owned(codes, unit, key, rank, len(rows))
        for unit, (key, rows) in enumerate(people)
        for rank, codes in enumerate(rows)
    ]


def moved(blueprint: Blueprint, before: list[Owned], after: list[Owned]) -> list[list[int]]:
    """For each mechanism by how much each number that it reads has moved, over all cells."""
    found = []
    for mechanism, place in zip(blueprint.mechanisms, blueprint.reads, strict=True):
        request = blueprint.requests[place]
        tables = [
            [dict(zip(request.measures, cell, strict=True)) for cell in exact_answer(rows, request)]
            for rows in (before, after)
        ]
        taken = getattr(mechanism, "taken", None)
        readings = taken.readings if isinstance(taken, Draw) else None
        pairs = zip(*tables, strict=True)
        if readings is None:
            found.append([b[m] - a[m] for a, b in pairs for m in mechanism.measures])
        else:
            found.append([r.exact(b) - r.exact(a) for a, b in pairs for r in readings])
    return found


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("relation", list(Neighbouring))
@settings(deadline=None)
@given(
    others=st.lists(_PERSON, max_size=3),
    bounds=st.sampled_from([(1, None), (2, None), (3, None), (3, 1), (3, 2)]),
    asked=st.sampled_from(_ASKED),
    shape=st.sampled_from(_SHAPES),
    kept=st.sampled_from([{}, {"rows_per_group": 1}, {"groups": 1, "rows_per_group": 1}]),
    data=st.data(),
)
def test_a_group_of_people_moves_no_answer_further_than_declared(
    relation: Neighbouring,
    size: int,
    others: list[Person],
    bounds: tuple[int, int | None],
    asked: dict[str, Any],
    shape: dict[str, Any],
    kept: dict[str, int],
    data: st.DataObject,
) -> None:
    """D1, D6: rows and groups over the limits included; L1, and L2 for Gaussian noise."""
    group = data.draw(st.lists(_PERSON, min_size=1, max_size=size))
    replaced = relation is Neighbouring.CHANGE_ONE
    earlier = data.draw(st.lists(_PERSON, min_size=len(group), max_size=len(group)))
    before = table_of([*others, *(earlier if replaced else [])])
    after = table_of([*others, *group])
    schema = schema_of(neighbouring=relation, group_size=size, unit=PrivacyUnit("person", *bounds))
    blueprint = blueprint_of(question(asked, **shape, per_unit=kept), schema)
    vectors = moved(blueprint, before, after)
    for mechanism, vector in zip(blueprint.mechanisms, vectors, strict=True):
        l1 = sum(map(abs, vector))
        taken = getattr(mechanism, "taken", None)
        most = taken.reach.l1 if taken else mechanism.exposed.moves  # type: ignore[attr-defined]
        event(f"{asked['statistic']} attains its bound: {l1 == most}")
        assert l1 <= most
        if taken:
            assert sum(step**2 for step in vector) <= taken.reach.l2_squared


A, B, C, D = ((20, 5, None, 0), (40, 5, None, 0), (20, 5, None, 1), (40, 5, None, 1))
_BY_SEX = {"group_by": [{"column": "sex"}]}
_BY_BOTH = {"group_by": [{"column": "age", "edges": [17, 50, 90]}, {"column": "sex"}]}


@pytest.mark.parametrize(
    ("relation", "unit", "shape", "l1", "l2_squared"),
    [
        (Neighbouring.ADD_REMOVE, (5, None), {}, 2, 4),
        (Neighbouring.CHANGE_ONE, (5, None), {}, 2, 4),
        # Three cells: Female, Male and everything else.
        (Neighbouring.ADD_REMOVE, (5, None), _BY_SEX, 6, 12),
        (Neighbouring.ADD_REMOVE, (5, 2), _BY_SEX, 4, 8),
        (Neighbouring.ADD_REMOVE, (1, None), _BY_SEX, 2, 4),
        (Neighbouring.CHANGE_ONE, (5, 1), _BY_SEX, 4, 8),
        (Neighbouring.CHANGE_ONE, (5, 2), _BY_SEX, 6, 12),
        (Neighbouring.CHANGE_ONE, (5, 2), _BY_BOTH, 8, 16),
    ],
)
def test_a_distinct_count_of_two_people_together_has_this_sensitivity(
    relation: Neighbouring,
    unit: tuple[int, int | None],
    shape: dict[str, Any],
    l1: int,
    l2_squared: int,
) -> None:
    """D1: never more cells than there are, nor than a person has rows."""
    schema = schema_of(neighbouring=relation, group_size=2, unit=PrivacyUnit("person", *unit))
    blueprint = blueprint_of(question({"statistic": "count_distinct"}, **shape), schema)
    (mechanism,) = blueprint.mechanisms
    reach = mechanism.taken.reach  # type: ignore[attr-defined]
    assert (reach.l1, reach.l2_squared) == (l1, l2_squared)


def test_the_limit_on_groups_drops_nothing_but_from_distinct_counts() -> None:
    """D6: it would make the noise of other statistics no smaller."""
    schema = schema_of(unit=PrivacyUnit("person", 4, 1))
    asked = question({"statistic": "count"}, {"statistic": "count_distinct"}, **_BY_BOTH)
    blueprint = blueprint_of(asked, schema)
    people = table_of([(7, [A, B, C, D])])
    rows, units = (exact_answer(people, request) for request in blueprint.requests)
    assert sum(cell for (cell,) in rows) == 4
    assert sum(cell for (cell,) in units) == 1
