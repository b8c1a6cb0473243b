"""An answer of very many cells: drawn as arrays, kept as lists, read like any other.

What could leak or overspend: a true number that is rounded or wraps around on its way into an
array, noise that two cells share, a cell that is left out because it is empty, and a form of the
body that depends on anything but the plan. Patched limits stand for tables too large for a test.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.audit.entry import canonical_json
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer import body as bodies
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.body import ALIKE, FORMAT, MAX_CELLS, is_alike, read_body
from dpgov.privacy.answer.release import draw
from dpgov.privacy.mechanisms.draw import Reading
from dpgov.privacy.mechanisms.table import Counted
from dpgov.privacy.noise import sampling
from dpgov.privacy.noise.noise import NoiseOutOfRange
from dpgov.privacy.plan.request import Counts, Measure, MeasureKind
from dpgov.privacy.plan.schema import LARGEST_SUM, PrivacyUnit
from tests.examples import examples
from tests.reference import Owned, exact_answer
from tests.unit.privacy.tables import (
    COUNT,
    MEAN_AGE,
    SUM_AGE,
    blueprint_of,
    owned,
    question,
    rows_of,
    schema_of,
)

SUM_CHANGE = {"statistic": "sum", "column": "change"}
UNITS = {"statistic": "count_distinct"}
BY = [{"column": "sex"}, {"column": "age", "edges": [17, 30, 60, 90]}]
TABLES = st.lists(st.lists(rows_of(), min_size=1, max_size=3), max_size=12)
PERSONS = PrivacyUnit("person", 2, 2)
ALIKE_ONES = (COUNT, SUM_AGE, SUM_CHANGE, UNITS)


def some_of(*statistics: dict[str, Any]) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(st.sampled_from(statistics), min_size=1, max_size=3, unique_by=str)


@contextmanager
def silence() -> Iterator[None]:
    """No noise, so that two drawings of one table can be compared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "add_noise", lambda values, _: list(values))
        patch.setattr(sampling, "add_noise_to_all", lambda values, _: values)
        yield


def exact(blueprint: Blueprint, table: list[Owned]) -> list[tuple[tuple[int, ...], ...]]:
    return [tuple(exact_answer(table, request)) for request in blueprint.requests]


def as_arrays(blueprint: Blueprint, table: list[Owned]) -> list[Counts]:
    """As engines give those of many cells."""
    return [
        np.array(cells, dtype=np.int64).reshape(request.cells, len(request.measures))
        for cells, request in zip(exact(blueprint, table), blueprint.requests, strict=True)
    ]


def written_out(value: Any) -> Any:
    """With every cell made."""
    if isinstance(value, dict):
        return {name: written_out(item) for name, item in value.items()}
    plain = isinstance(value, str | int | float | None)
    return value if plain else [written_out(item) for item in value]


@pytest.mark.parametrize("mode", list(Mode))
@examples(15)
@given(units=TABLES, statistics=some_of(*ALIKE_ONES, MEAN_AGE))
def test_arrays_give_the_same_bytes_as_cells_one_by_one(
    mode: Mode, units: Any, statistics: list[dict[str, Any]]
) -> None:
    schema = schema_of(unit=PERSONS, mode=mode)
    blueprint = blueprint_of(question(*statistics, group_by=BY), schema)
    with silence():
        one_by_one = draw(blueprint, exact(blueprint, owned(units)))
        at_once = draw(blueprint, as_arrays(blueprint, owned(units)))
    assert canonical_json(at_once) == canonical_json(one_by_one)


@pytest.mark.parametrize("mode", list(Mode))
@examples(15)
@given(units=TABLES, statistics=some_of(*ALIKE_ONES))
def test_what_is_kept_as_lists_reads_like_what_is_written_out(
    mode: Mode, units: Any, statistics: list[dict[str, Any]]
) -> None:
    schema = schema_of(unit=PERSONS, mode=mode)
    blueprint = blueprint_of(question(*statistics, group_by=BY), schema)
    answers = as_arrays(blueprint, owned(units))
    with silence(), pytest.MonkeyPatch.context() as patch:
        whole = draw(blueprint, answers)
        patch.setattr(bodies, "MAX_CELLS", 1)
        short = canonical_json(draw(blueprint, answers))
    read = read_body(short)
    assert json.loads(short)["format"] == ALIKE
    assert is_alike(read)
    assert written_out(read) == json.loads(canonical_json(whole)) | {"format": ALIKE}


def test_every_declared_cell_is_released_of_a_table_without_rows() -> None:
    """Neither the number of values nor their order tells which cells are empty."""
    ages = {"column": "age", "edges": list(range(17, 91))}
    hours = {"column": "hours", "edges": list(range(1, 100))}
    changes = {"column": "change", "edges": [-2.5, 0, 1.5]}
    blueprint = blueprint_of(question(COUNT, group_by=[ages, hours, changes]), schema_of())
    (request,) = blueprint.requests
    assert request.counts_many
    told = draw(blueprint, [np.zeros((request.cells, 1), np.int64)])
    assert told["format"] == ALIKE
    (statistic,), (drawn,) = told["statistics"], told["draws"]
    assert len(statistic["values"]) == len(drawn["numbers"]) == request.cells == 74 * 99 * 3
    assert statistic["values"] == drawn["numbers"]
    assert len(set(statistic["values"])) > 1


def test_up_to_ten_thousand_cells_each_is_written_out() -> None:
    assert bodies.format_of(MAX_CELLS) == FORMAT
    assert bodies.format_of(MAX_CELLS + 1) == ALIKE


def test_a_reading_of_whole_columns_is_that_of_each_cell() -> None:
    present, codes = Measure(MeasureKind.PRESENT, 0), Measure(MeasureKind.CODE_SUM, 0)
    reading = Reading("sum", ((codes, 1), (present, -17)), Fraction(1))
    table = Counted((codes, present), np.array([[5, 1], [0, 0], [2**52, 3]], np.int64))
    assert reading.exact_of(table).tolist() == [reading.exact(cell) for cell in table]


def test_a_number_that_a_machine_word_cannot_hold_is_cut_and_never_wraps() -> None:
    codes = Measure(MeasureKind.CODE_SUM, 0)
    table = Counted((codes,), np.array([[2**40], [-(2**40)], [3]], np.int64))
    found = Reading("sum", ((codes, 2**24),), Fraction(1)).exact_of(table)
    assert found.tolist() == [LARGEST_SUM, -LARGEST_SUM, 3 * 2**24]


@pytest.mark.parametrize(
    "values",
    [np.array([LARGEST_SUM + 1]), np.array([-LARGEST_SUM - 1]), np.array([1.0])],
    ids=str,
)
def test_an_array_of_anything_but_exact_integers_gets_no_noise(values: Any) -> None:
    with pytest.raises(NoiseOutOfRange):
        sampling.add_noise_to_all(values, sampling.laplace_of(1.0))


def test_pieces_stay_in_their_order_and_every_number_has_noise_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sampling, "_PIECE", 16)
    exact = np.arange(-40, 40) * 10**6
    noisy = sampling.add_noise_to_all(exact, sampling.laplace_of(1000.0))
    assert np.abs(noisy - exact).max() < 5 * 10**5
    assert len(set((noisy - exact).tolist())) > 40


def test_no_numbers_are_none() -> None:
    assert sampling.add_noise_to_all(np.zeros(0, np.int64), sampling.laplace_of(1.0)).size == 0
