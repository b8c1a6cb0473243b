"""A set of tables for one amount: what is drawn, how far a neighbour moves it, what is refused.

What could go wrong: the drawn tables together could cost more than is booked, to everybody in the
data; which of them are drawn could follow from rows; a table could be read off others
with an error that is not said.
"""

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.batch import MAX_PLANS, Batch, priced
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.covers import Cover, Method, cells_of, source_of
from dpgov.privacy.answer.table_sets import parse_table_set
from dpgov.privacy.noise.noise import NoiseKind
from dpgov.privacy.plan.domains import category_domain, column_spec
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit
from tests.reference import Row
from tests.unit.privacy.tables import draw_of, exact_vector, owned, schema_of

SEX: dict[str, Any] = {"column": "sex"}
AGE: dict[str, Any] = {"column": "age", "edges": [20, 30, 40, 60]}
HOURS: dict[str, Any] = {"column": "hours", "edges": [1, 20, 40, 99]}
CHANGE: dict[str, Any] = {"column": "change", "edges": [-2.5, 0, 1.5]}
VISIT: dict[str, Any] = {"column": "visit", "by": "weekday"}
FIXED = (Method.SEPARATE, Method.FULL, Method.LARGER)
ALL = [SEX, AGE, HOURS, CHANGE, VISIT]


def read(
    *columns: dict[str, Any], tables: Any = 2, schema: DatasetSchema | None = None, **more: Any
) -> Batch:
    price = {} if "rho" in more else {"epsilon": 1}
    raw = {"columns": list(columns), "tables": tables, **price, **more}
    return parse_table_set(raw, schema or schema_of(), dataset="people")


def drawn(batch: Batch) -> list[list[str]]:
    return [[grouping.column for grouping in plan.group_by] for plan in batch.plans]


# How far a neighbour moves all drawn tables together.


def binary(name: str) -> Any:
    return column_spec(name, category_domain(["a", "b"]), MissingRule.DROP, "")


THREE = tuple(binary(name) for name in "xyz")
EVERY_ROW: list[Row] = [*product((0, 1, None), repeat=3)]
BASES: list[list[Row]] = [[], [(0, 1, 0)], [(1, 1, None), (0, 0, 0)]]
SIZES = [1, 2]


def neighbours(relation: Neighbouring) -> list[tuple[list[Row], list[Row]]]:
    """Every row added to some tables, or every row replaced by every other."""
    if relation is Neighbouring.ADD_REMOVE:
        return [(base, [*base, row]) for base in BASES for row in EVERY_ROW]
    return [
        ([*base, one], [*base, other])
        for base in BASES
        for one, other in product(EVERY_ROW, repeat=2)
        if one != other
    ]


def loss_between(blueprint: Blueprint, before: Any, after: Any) -> float:
    """What the drawn noise gives away of the difference, in nano: exact mathematics of the noise.

    |d|₁/b for discrete Laplace, as ρ of its ε under zCDP; |d|₂²/(2σ²) for discrete Gaussian.
    """
    first, second = (
        np.array(exact_vector(blueprint, 0, rows), dtype=np.float64) for rows in (before, after)
    )
    taken = draw_of(blueprint.mechanisms[0])
    assert taken is not None
    if taken.noise.kind is NoiseKind.GAUSSIAN:
        return float(((first - second) ** 2).sum()) / (2 * taken.noise.scale**2) * NANO
    epsilon = float(np.abs(first - second).sum()) / taken.noise.scale
    pure = blueprint.schema.mode is Mode.PURE
    return (epsilon if pure else epsilon * math.tanh(epsilon / 2)) * NANO


@pytest.mark.parametrize("method", FIXED)
@pytest.mark.parametrize("relation", list(Neighbouring))
@pytest.mark.parametrize("mode", list(Mode))
def test_no_neighbour_moves_all_drawn_tables_together_by_more_than_is_paid(
    mode: Mode, relation: Neighbouring, method: Method
) -> None:
    """M2: brute force over all neighbouring small tables, missing values included; attained."""
    schema = schema_of(*THREE, neighbouring=relation, public_rows=3, mode=mode)
    price = {"epsilon": "0.7"} if mode is Mode.PURE else {"rho": "0.2"}
    columns = [{"column": name} for name in "xyz"]
    batch = read(*columns, schema=schema, method=method.value, **price)
    blueprints = priced(batch, schema)
    assert sum(one.cost_nano for one in blueprints) <= batch.whole.nano
    most = max(
        sum(loss_between(one, before, after) for one in blueprints)
        for before, after in neighbours(relation)
    )
    assert most <= batch.whole.nano
    assert most >= 0.98 * batch.whole.nano


@pytest.mark.parametrize("relation", list(Neighbouring))
def test_no_person_with_several_rows_moves_them_by_more_than_is_paid(
    relation: Neighbouring,
) -> None:
    """M2: all rows of a person, cut at the declared number, in every table at once."""
    unit = PrivacyUnit(private_id="person", max_rows_per_unit=2)
    schema = schema_of(*THREE, neighbouring=relation, unit=unit)
    batch = read(*({"column": name} for name in "xyz"), schema=schema)
    blueprints = priced(batch, schema)
    rows: list[Row] = [(0, 0, 0), (0, 1, 1), (1, 1, 0), (1, 1, 1)]
    persons = [[], *([row] for row in rows), *(list(two) for two in combinations(rows * 2, 3))]
    others = [[(0, 0, 1)]]
    for one, other in product(persons, repeat=2):
        added = relation is Neighbouring.ADD_REMOVE
        if (added and one) or (not added and not (one and other)):
            continue
        before, after = (owned([*others, *([who] if who else [])]) for who in (one, other))
        lost = sum(loss_between(b, before, after) for b in blueprints)
        assert lost <= batch.whole.nano


# Which tables are drawn.


def test_all_pairs_are_the_same_set_however_they_are_written() -> None:
    named = [["age", "sex"], ["hours", "age"], ["sex", "hours"]]
    assert drawn(read(SEX, AGE, HOURS)) == drawn(read(SEX, AGE, HOURS, tables=named))
    assert read(SEX, AGE, HOURS).plans == read(SEX, AGE, HOURS, tables=named[::-1]).plans


def test_separate_tables_have_equal_parts_of_the_amount() -> None:
    batch = read(*ALL, method="separate_tables")
    parts = [blueprint.cost_nano for blueprint in priced(batch, schema_of())]
    assert parts == [NANO // 10] * 10
    assert drawn(batch)[0] == ["sex", "age"]


def test_one_full_table_is_one_question_with_the_whole_amount() -> None:
    batch = read(*ALL, method="one_full_table")
    (only,) = priced(batch, schema_of())
    assert only.cost_nano == NANO
    assert drawn(batch) == [["sex", "age", "hours", "change", "visit"]]
    assert only.cells == 3 * 4 * 4 * 3 * 8


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("tables", [1, 2, 3, 4, [["sex", "age"], ["sex"], ["hours", "visit"]]])
def test_the_chosen_way_has_the_least_error_and_never_more_than_separate_answers(
    mode: Mode, tables: Any
) -> None:
    """M2: what is chosen equals or beats asking each table by itself."""
    columns = ALL if isinstance(tables, int) else [SEX, AGE, HOURS, VISIT]
    schema = schema_of(mode=mode)
    batch = read(*columns, tables=tables, schema=schema)
    assert isinstance(batch.cover, Cover)
    errors = {way.method: way.rmse for way in batch.cover.ways}
    chosen = batch.cover.chosen
    assert chosen.rmse == min(error for error in errors.values() if error is not None)
    assert chosen.rmse is not None
    assert chosen.rmse <= (errors[Method.SEPARATE] or math.inf)


def test_many_small_tables_are_read_off_few_larger_ones() -> None:
    columns = [{"column": f"c{n}"} for n in range(6)]
    schema = schema_of(*(binary(f"c{n}") for n in range(6)))
    few = read(*columns, schema=schema)
    assert isinstance(few.cover, Cover)
    assert few.cover.chosen.method is not Method.SEPARATE
    assert len(few.plans) < 15
    for table in few.cover.asked:
        assert table <= source_of(table, few.cover.chosen.drawn, few.cover.bins)


def test_more_tables_than_can_be_asked_together_are_read_off_fewer() -> None:
    columns = [{"column": f"c{n}"} for n in range(12)]
    schema = schema_of(*(binary(f"c{n}") for n in range(12)))
    batch = read(*columns, schema=schema)
    assert isinstance(batch.cover, Cover)
    assert len(batch.cover.asked) == 66
    assert len(batch.plans) <= MAX_PLANS
    shut = {way.method: way.reason for way in batch.cover.ways}
    assert "66 tables; at most 20" in shut[Method.SEPARATE]
    assert "cells; at most 10000" in shut[Method.FULL]


@pytest.mark.parametrize("mode", list(Mode))
def test_the_said_error_is_that_of_adding_up_the_drawn_cells(mode: Mode) -> None:
    """M2: against noise that is drawn, for every table and every method."""
    schema = schema_of(mode=mode)
    for method in FIXED:
        batch = read(SEX, AGE, CHANGE, schema=schema, method=method.value)
        assert isinstance(batch.cover, Cover)
        blueprints = priced(batch, schema)
        for answer in batch.cover.as_json()["answers"]:
            place = drawn(batch).index(answer["made_from"])
            noise = draw_of(blueprints[place].mechanisms[0])
            assert noise is not None
            added = blueprints[place].cells // answer["cells"]
            true = math.sqrt(noise.noise.variance * added)
            assert true <= answer["rmse"] <= true * 1.002
        squares = [a["cells"] * a["rmse"] ** 2 for a in batch.cover.as_json()["answers"]]
        cells = [a["cells"] for a in batch.cover.as_json()["answers"]]
        assert batch.cover.chosen.rmse == pytest.approx(
            math.sqrt(sum(squares) / sum(cells)), rel=2e-3
        )


def test_bins_are_counted_as_plans_count_them() -> None:
    batch = read(*ALL, tables=1, method="separate_tables")
    assert isinstance(batch.cover, Cover)
    schema = schema_of()
    assert [prepare(plan, schema).cells for plan in batch.plans] == [
        cells_of(table, batch.cover.bins) for table in batch.cover.asked
    ]


def test_filters_hold_for_every_drawn_table() -> None:
    where = [{"column": "hours", "op": ">=", "value": 20}]
    batch = read(SEX, AGE, CHANGE, where=where, method="separate_tables")
    assert [plan.as_json()["where"] for plan in batch.plans] == [where] * 3


def test_the_choice_follows_from_the_plan_and_the_declarations_alone() -> None:
    """M2: the same on every machine and every time; no rows are anywhere near."""
    first, again = (read(*ALL, tables=3) for _ in range(2))
    assert first.plans == again.plans
    assert first.cover is not None
    assert again.cover is not None
    assert first.cover.as_json() == again.cover.as_json()
