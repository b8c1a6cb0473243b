"""D1, M9b: how many values occur, in all small tables beside all their neighbours.

What could be overspent: a unit brings, or takes away, as many values as it has rows, and never more
than there are; what others hold decides which of them show. So every table of two cells and up to
three values is a base, on which every unit that keeps the limits comes, goes or is replaced.
"""

from itertools import combinations_with_replacement, product

import pytest

from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.noise.sensitivity import Exposure, Sensitivity, of_values
from dpgov.privacy.plan.canonical import canonical
from dpgov.privacy.plan.domains import category_domain, column_spec
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import MissingRule, Neighbouring, PrivacyUnit
from dpgov.privacy.reuse.estimates import StoredAnswer
from dpgov.privacy.reuse.holdings import estimates_of
from dpgov.privacy.reuse.unions import union_of
from tests.reference import exact_answer
from tests.unit.privacy.tables import (
    COLUMNS,
    blueprint_of,
    draw_of,
    owned,
    question,
    schema_of,
)

ADD, CHANGED = Neighbouring.ADD_REMOVE, Neighbouring.CHANGE_ONE
Place = tuple[int, int]
"""A cell, and a value in it."""


def units(places: list[Place], rows: int, in_a_cell: int) -> list[frozenset[Place]]:
    """What one unit can hold: so many rows, and so many in a cell."""
    found = set()
    for number in range(rows + 1):
        for held in combinations_with_replacement(places, number):
            cells = [cell for cell, _ in held]
            if all(cells.count(cell) <= in_a_cell for cell in cells):
                found.add(frozenset(held))
    return list(found)


def furthest(values: int, cells: int, rows: int, in_a_cell: int, relation: Neighbouring) -> Place:
    """L1 and L2 squared between any two neighbours."""
    places = list(product(range(cells), range(values)))
    possible = units(places, rows, in_a_cell)
    before = [frozenset()] if relation is ADD else possible
    most = [0, 0]
    for shown in product((False, True), repeat=len(places)):
        others = frozenset(place for place, there in zip(places, shown, strict=True) if there)
        counts = {unit: counted(others | unit, cells) for unit in {*possible, *before}}
        for one, other in product(possible, before):
            steps = [a - b for a, b in zip(counts[one], counts[other], strict=True)]
            most[0] = max(most[0], sum(map(abs, steps)))
            most[1] = max(most[1], sum(step**2 for step in steps))
    return most[0], most[1]


def counted(held: frozenset[Place], cells: int) -> list[int]:
    return [sum(cell == place for place, _ in held) for cell in range(cells)]


# Cells, values, rows of a unit and how many of them in a cell.
SMALL = [
    (cells, values, *rows)
    for cells, values in ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2))
    for rows in ((1, 1), (2, 1), (2, 2), (3, 2), (3, 3))
    if rows[0] <= cells * rows[1]
]


@pytest.mark.parametrize("relation", [ADD, CHANGED])
@pytest.mark.parametrize(("cells", "values", "rows", "in_a_cell"), SMALL)
def test_no_unit_moves_the_numbers_further_than_declared(
    relation: Neighbouring, cells: int, values: int, rows: int, in_a_cell: int
) -> None:
    exposed = Exposure(
        rows=rows,
        neighbouring=relation,
        grouped=cells > 1,
        droppable=True,
        cells=cells,
        in_a_cell=in_a_cell,
    )
    declared = of_values(values, exposed)
    l1, l2 = furthest(values, cells, rows, in_a_cell, relation)
    assert l1 <= declared.l1
    assert l2 <= declared.l2_squared
    if relation is ADD:
        assert (l1, l2) == (declared.l1, declared.l2_squared)


@pytest.mark.parametrize("units", [2, 3, 8])
@pytest.mark.parametrize("relation", [ADD, CHANGED])
@pytest.mark.parametrize(("cells", "values", "rows", "in_a_cell"), SMALL)
def test_a_group_moves_them_as_far_as_all_its_units_do(
    units: int, relation: Neighbouring, cells: int, values: int, rows: int, in_a_cell: int
) -> None:
    """F5: so that j of k units in one part of a divided budget lose j/k of what the k lose."""

    def declared(k: int) -> Sensitivity:
        exposed = Exposure(
            rows=k * rows,
            neighbouring=relation,
            grouped=cells > 1,
            droppable=True,
            cells=cells,
            in_a_cell=k * in_a_cell,
            units=k,
        )
        return of_values(values, exposed)

    one, all_of_them = declared(1), declared(units)
    assert all_of_them == Sensitivity(units * one.l1, units**2 * one.l2_squared)


COLOUR = column_spec("colour", category_domain(["red", "blue"]), MissingRule.DROP, "")
ASKED = {"statistic": "distinct_values", "column": "colour"}


@pytest.mark.parametrize(
    ("unit", "relation", "more", "l1", "l2_squared"),
    [
        # Red, blue and whatever else: three values, of which a person with five rows has three.
        (PrivacyUnit(), ADD, {}, 1, 1),
        (PrivacyUnit("person", 2), ADD, {}, 2, 4),
        (PrivacyUnit("person", 5), ADD, {}, 3, 9),
        (PrivacyUnit("person", 5), CHANGED, {}, 3, 9),
        (PrivacyUnit("person", 5), ADD, {"per_unit": {"rows_per_group": 1}}, 1, 1),
        # Over three cells: five rows are three values of one and two of another.
        (PrivacyUnit("person", 5), ADD, {"group_by": [{"column": "sex"}]}, 5, 13),
        (PrivacyUnit("person", 5), CHANGED, {"group_by": [{"column": "sex"}]}, 9, 26),
    ],
)
def test_of_a_column_of_three_values_it_is_never_more_than_those(
    unit: PrivacyUnit, relation: Neighbouring, more: dict[str, object], l1: int, l2_squared: int
) -> None:
    schema = schema_of(COLOUR, *COLUMNS, unit=unit, neighbouring=relation)
    taken = draw_of(blueprint_of(question(ASKED, **more), schema).mechanisms[0])
    assert isinstance(taken, Draw)
    assert (taken.reach.l1, taken.reach.l2_squared) == (l1, l2_squared)


def test_missing_values_are_none_and_undeclared_ones_are_one() -> None:
    schema = schema_of(COLOUR, unit=PrivacyUnit("person", 4))
    (request,) = blueprint_of(question(ASKED), schema).requests
    # Twice red, once something else, then nothing; the fifth row is beyond the limit.
    people = owned([[(0,), (0,), (2,), (None,), (1,)]])
    assert exact_answer(people, request) == ((2,),)


def test_its_range_is_how_many_values_there_can_be() -> None:
    (statistic,) = blueprint_of(question(ASKED), schema_of(COLOUR)).describe()["statistics"]
    assert statistic["range"] == [0, 3]


def test_numbers_of_groups_are_never_added_up_to_another_answer() -> None:
    """A value of two groups would count twice."""
    schema = schema_of(COLOUR, *COLUMNS)
    fine, coarse = (
        parse_plan(question(ASKED, **more), schema, dataset="people")
        for more in ({"group_by": [{"column": "sex"}]}, {})
    )
    union = union_of(coarse, fine, schema)
    assert union is not None
    stored = StoredAnswer("one", prepare(fine, schema), union)
    assert not list(estimates_of(stored, coarse.statistics[0]))
    assert canonical(coarse, schema) != canonical(fine, schema)


@pytest.mark.parametrize("column", [None, "person", "nowhere", 3])
def test_a_column_that_is_not_declared_is_refused(column: object) -> None:
    asked = {"statistic": "distinct_values", "column": column}
    with pytest.raises(InvalidPlan) as refused:
        blueprint_of(question(asked), schema_of(unit=PrivacyUnit("person", 2)))
    assert [problem.path for problem in refused.value.problems] == ["statistics.0.column"]
