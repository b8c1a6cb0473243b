"""M65: what is put in order in memory is bounded by how many rows there are, not by whose."""

import tracemalloc
from collections.abc import Callable
from math import isqrt

import numpy as np
import pytest

from dpgov.engines import pairs
from dpgov.engines.pairs import BYTES, Rows, Words, kept_of, units_of

MANY = 100_000


def _one_person(rows: int) -> Words:
    return np.full(rows, 7, np.uint64)


def _as_many_people(rows: int) -> Words:
    return np.arange(rows, dtype=np.uint64)[::-1].copy()


def _two_rows_each(rows: int) -> Words:
    return np.arange(rows, dtype=np.uint64) // np.uint64(2)


@pytest.mark.parametrize("others", [1, 1000, MANY])
@pytest.mark.parametrize("whose", [_one_person, _as_many_people, _two_rows_each])
def test_memory_is_within_the_bound_that_is_declared(
    whose: Callable[[int], Words], others: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever they are, and however many there are in the other file."""
    monkeypatch.setattr(pairs, "_AT_ONCE", 1 << 10)
    found = [_as_read(whose(rows)) for rows in (MANY, others)]
    read = sum(column.nbytes for side in found for column in side)
    tracemalloc.start()
    first, second = (units_of(*side) for side in found)
    _, most = tracemalloc.get_traced_memory()
    assert most + read <= BYTES * (MANY + others)
    tracemalloc.reset_peak()
    kept = kept_of(first, second, MANY)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept.units) > 0
    assert most <= BYTES * (MANY + others + len(kept.units)) + 500_000


def _as_read(keys: Words) -> tuple[Words, Rows, Rows]:
    """Rows of these units as they are read, each unit's in their order."""
    order = np.argsort(keys, kind="stable")
    places = np.empty(len(keys), np.uint32)
    places[order] = np.arange(len(keys)) - np.searchsorted(keys[order], keys[order])
    return keys, places, np.arange(len(keys), dtype=np.uint32)


def test_units_of_one_hash_do_not_count() -> None:
    """A place would be two rows of different people: neither is any."""
    keys = np.array([5, 5, 5, 9], np.uint64)
    places, rows = np.array([0, 1, 0, 0], np.uint32), np.arange(4, dtype=np.uint32)
    units = units_of(keys, places, rows)
    assert units.keys.tolist() == [9]
    assert units.rows[units.begins].tolist() == [3]


def test_nobody_is_in_both() -> None:
    nobody, somebody = (units_of(*_as_read(_one_person(rows))) for rows in (0, 3))
    kept = kept_of(nobody, somebody, 4)
    assert [len(each) for each in (kept.units, kept.firsts, kept.keys)] == [0, 0, 0]


def test_roots_are_whole_and_exact() -> None:
    """Floats would be off by one beside large squares."""
    numbers = [*range(200), *(n * n + d for n in (316, 99_999) for d in (-1, 0, 1))]
    found = pairs._roots(np.array(numbers, np.int64))
    assert found.tolist() == [isqrt(number) for number in numbers]
