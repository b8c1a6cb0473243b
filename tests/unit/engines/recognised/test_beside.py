"""F9: all columns compared at once are found to be what each with each is, and none is missed."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import log2, sqrt
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from dpgov.engines import counts, likeness
from dpgov.engines.beside import Columns
from dpgov.engines.fingerprint import SKETCH_SIZE, MultisetFingerprint

Values = Any
Tables = tuple[list[MultisetFingerprint], list[MultisetFingerprint]]


def part_of(values: Values) -> MultisetFingerprint:
    """A column of these whole numbers, hashed in one way everywhere."""
    distinct, times = np.unique(values, return_counts=True)
    mixed = (distinct.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    order = np.argsort(mixed)[:SKETCH_SIZE]
    return MultisetFingerprint(len(values), "", 0, mixed[order], times[order].astype(np.int64))


def _column(rng: np.random.Generator, rows: int) -> Values:
    kinds = (
        lambda: rng.integers(0, 10 ** rng.integers(3, 7), rows),
        lambda: rng.choice(n := int(rng.integers(2, 120)), rows, p=rng.dirichlet(np.ones(n) * 3)),
        lambda: rng.integers(0, 900, rows),
        lambda: np.repeat(np.arange(rng.integers(1, 90)), rng.integers(1, 20)),
        lambda: (rng.random(rows) < rng.random() / 20).astype(int),
        lambda: np.arange(int(rng.integers(0, 3))),
    )
    return kinds[rng.integers(len(kinds))]()


def _changed(rng: np.random.Generator, values: Values) -> Values:
    half = rng.random(len(values)) < rng.random()
    shuffled = values[rng.integers(0, max(1, len(values)), len(values))]
    few = values.copy()
    few[:2] = rng.integers(0, 50)
    ways = (values, values[half], np.where(half, values, shuffled), few, values[2:], shuffled)
    return ways[rng.integers(len(ways))]


def _tables(seed: int) -> Tables:
    """Two tables; some columns of the other one are those of the one, changed by more or less."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([30, 300, 3000]))
    own = [_column(rng, rows) for _ in range(rng.integers(1, 7))]
    kept = [_changed(rng, own[rng.integers(len(own))]) for _ in range(rng.integers(0, 5))]
    new = [_column(rng, rows) for _ in range(rng.integers(1, 4))]
    return [part_of(each) for each in own], [part_of(each) for each in [*kept, *new]]


TABLES = [_tables(seed) for seed in range(400)]
LIMITS = likeness._FEWEST_VALUES, likeness._FEWEST_SHARED_VALUES


def test_every_pair_of_columns_that_is_alike_is_found() -> None:
    """F9: each with each, as the reference."""
    found = []
    for one, other in TABLES:
        alike = [pair for pair in product(one, other) if likeness._alike(*pair, *LIMITS)]
        columns = Columns(other)
        for part, each in alike:
            assert each.packed() in _contents(likeness._perhaps_alike(part, columns))
        assert likeness._any_alike(one, other) == bool(alike)
        found.append(len(alike))
    assert 50 < np.count_nonzero(found) < len(TABLES) - 50


def test_a_column_of_which_hardly_more_than_half_comes_again_is_found() -> None:
    """F9: of values that occur once, as little as makes two columns alike."""
    drawn = np.random.default_rng(3).permutation(10**7)
    one, other = part_of(drawn[:250]), part_of(drawn[115:365])
    assert likeness._alike(one, other, *LIMITS)
    assert likeness._any_alike([one], [other])


class _EachWithEach:
    """How columns were looked for before, one by one."""

    def __init__(self, parts: Sequence[MultisetFingerprint]) -> None:
        self._parts = [part for part in parts if counts._repeats(part)]

    def near(self, part: MultisetFingerprint) -> list[MultisetFingerprint]:
        return list(self._near(part)) if counts._repeats(part) else []

    def bits(self, part: MultisetFingerprint, found: Sequence[MultisetFingerprint]) -> float:
        value = part.hashes[int(part.counts.argmax())]
        having = _contents([each for each in self._parts if value in each.hashes])
        nearest = max(counts._bits(*counts._numbers(part, each)) for each in found)
        return max(0.0, nearest - log2(len(having)))

    def _near(self, part: MultisetFingerprint) -> Iterator[MultisetFingerprint]:
        place = int(part.counts.argmax())
        value, times = part.hashes[place], int(part.counts[place])
        furthest = counts.FEW_ROWS + 2 * sqrt(len(part.counts) * times)
        for each in self._parts:
            there = each.counts[each.hashes == value]
            if len(there) and abs(int(there[0]) - times) <= furthest and counts.near(part, each):
                yield each


def test_columns_that_agree_are_those_of_each_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """F9, L3: the columns that are near, and what follows from all of them."""
    asked = (counts.same_columns, counts.too_many_alike)
    now = [[ask(*pair) for ask in asked] for pair in TABLES]
    near = [_near_of(counts._Known, *pair) for pair in TABLES]
    assert near == [_near_of(_EachWithEach, *pair) for pair in TABLES]
    assert sum(len(each) > 0 for found in near for each in found) > 100
    monkeypatch.setattr(counts, "_Known", _EachWithEach)
    assert now == [[ask(*pair) for ask in asked] for pair in TABLES]
    for found in zip(*now, strict=True):
        assert set(found) == {False, True}


def _near_of(
    known: Any, one: Sequence[MultisetFingerprint], other: Sequence[MultisetFingerprint]
) -> list[set[bytes]]:
    there = known(other)
    return [_contents(there.near(part)) for part in one]


def _contents(parts: Sequence[MultisetFingerprint]) -> set[bytes]:
    return {part.packed() for part in parts}


def test_columns_of_one_content_are_compared_once() -> None:
    """F9: two hundred flags that hardly anybody has are a few different columns."""
    rng = np.random.default_rng(1)
    one, other = ([part_of(rng.random(1000) < 0.01) for _ in range(200)] for _ in range(2))
    with patch.object(counts, "near", wraps=counts.near) as near:
        counts.too_many_alike(one, other)
    assert 0 < near.call_count < 200


@pytest.mark.parametrize("top", [100, 10**9])
def test_columns_that_say_nothing_together_are_not_compared_one_by_one(top: int) -> None:
    """F9: of 60 columns of other people, 3,600 pairs; the time does not grow with all of them."""
    rng = np.random.default_rng(top)
    tables = [[part_of(rng.integers(0, top, 1000)) for _ in range(60)] for _ in range(2)]
    with patch.object(likeness, "_alike", wraps=likeness._alike) as alike:
        assert not likeness._any_alike(*tables)
    assert alike.call_count < 60
