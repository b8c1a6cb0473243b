"""F9: the same people are recognised, and other people with the same distributions are not."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dpgov.engines.fingerprint import TableFingerprint
from dpgov.engines.likeness import Likeness, likeness
from tests.unit.engines.tables import category, ingest_here, write_csv, write_parquet

Table = dict[str, Any]
Print = Callable[..., TableFingerprint]
AGES = np.exp(-(((np.arange(83) - 25) / 30.0) ** 2))
FLAGS = ("sex", "school")
FEW_VALUES = ("age", "sex", "school")


def people(seed: int, rows: int = 2000) -> Table:
    """Invented people: every seed has others, all of one distribution, numbered from one."""
    rng = np.random.default_rng(seed)
    return {
        "age": 17 + rng.choice(83, rows, p=AGES / AGES.sum()),
        "sex": rng.choice(["f", "m"], rows),
        "school": rng.choice(["a", "b", "c", "d"], rows, p=[0.4, 0.3, 0.2, 0.1]),
        "income": rng.gamma(2, 20_000, rows).astype(int),
        "number": np.arange(1, rows + 1),
    }


def only(table: Table, names: Sequence[str]) -> Table:
    return {name: table[name] for name in names}


def without(table: Table, *names: str) -> Table:
    return {name: cells for name, cells in table.items() if name not in names}


def rows_of(table: Table, chosen: Any) -> Table:
    return {name: cells[chosen] for name, cells in table.items()}


def together(one: Table, other: Table) -> Table:
    return {name: np.concatenate([one[name], other[name]]) for name in one}


@pytest.fixture
def printed(tmp_path: Path) -> Print:
    made = iter(range(10**6))

    def make(table: Table, *, as_csv: bool = False) -> TableFingerprint:
        path = tmp_path / str(next(made))
        if as_csv:
            write_csv(path, list(table), list(zip(*table.values(), strict=True)))
        else:
            write_parquet(path, {name: pa.array(cells) for name, cells in table.items()})
        return ingest_here(path, (category(next(iter(table)), "-"),), max_rows=10**6).fingerprint

    return make


def test_the_same_table_in_another_form_is_the_same(printed: Print) -> None:
    """F9: CSV for Parquet, columns turned round and renamed, rows shuffled."""
    table = people(1)
    shuffled = rows_of(table, np.random.default_rng(9).permutation(2000))
    turned = {name.upper(): cells for name, cells in reversed(shuffled.items())}
    assert likeness(printed(table), printed(turned, as_csv=True)) is Likeness.EXACT


def _one_cell(table: Table) -> Table:
    changed = {name: cells.copy() for name, cells in table.items()}
    changed["age"][0] = 99
    return changed


CHANGES: dict[str, Callable[[Table], Table]] = {
    "one cell": _one_cell,
    "one row less": lambda table: rows_of(table, slice(1, None)),
    "five per cent more rows": lambda table: together(table, people(77, 100)),
    "half of the rows": lambda table: rows_of(table, slice(None, None, 2)),
    "one column more": lambda table: table | {"new": np.arange(2000) % 7},
    "income left out": lambda table: without(table, "income"),
    "sex left out": lambda table: without(table, "sex"),
    "only the ages": lambda table: only(table, ["age"]),
    "the income of the people and nothing else": lambda table: only(table, ["income"]),
    "numbered anew": lambda table: table | {"number": np.arange(5001, 7001)},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_much_the_same_people_are_recognised(
    printed: Print, change: Callable[[Table], Table]
) -> None:
    """F9: in both directions."""
    one, other = printed(people(1)), printed(change(people(1)))
    assert likeness(one, other).is_recognised
    assert likeness(one, other) is not Likeness.EXACT
    assert likeness(other, one) == likeness(one, other)


def _again(table: Table, times: int, share: float = 1.0) -> Table:
    """After itself, so many times in all; of a part of the rows alone."""
    rows = len(next(iter(table.values())))
    more = rows_of(table, slice(0, int(rows * share)))
    for _ in range(times - 1):
        table = together(table, more)
    return table


@pytest.mark.parametrize(("times", "share"), [(2, 1.0), (2, 0.9), (2, 0.5), (3, 1.0)])
@pytest.mark.parametrize("rows", [30, 300, 2000])
@pytest.mark.parametrize("left_out", ["number", "income"])
def test_a_table_that_was_put_after_itself_is_recognised(
    printed: Print, rows: int, times: int, share: float, left_out: str
) -> None:
    """F9: in both directions; other people who were put after themselves are others."""
    one, other = without(people(1, rows), left_out), without(people(2, rows), left_out)
    again = printed(_again(one, times, share))
    assert likeness(printed(one), again) is Likeness.ROWS
    assert likeness(again, printed(one)) is Likeness.ROWS
    assert not likeness(printed(other), again).is_recognised
    assert not likeness(again, printed(other)).is_recognised


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("names", [FEW_VALUES, FLAGS, ("age", "sex")], ids=str)
def test_people_of_few_kinds_are_others_whoever_was_put_after_themselves(
    printed: Print, seed: int, names: Sequence[str]
) -> None:
    """F9: rows that chance repeats are not those of one table that is there twice."""
    many, few = only(people(seed, 2000), names), only(people(seed + 50, 60), names)
    for one, other in ((many, few), (_again(many, 2), few), (many, _again(few, 2))):
        assert not likeness(printed(one), printed(other)).is_recognised


SMALL_CHANGES = ("one cell", "one row less", "five per cent more rows", "sex left out")


@pytest.mark.parametrize("name", SMALL_CHANGES)
def test_a_table_with_few_values_is_recognised_by_their_numbers(printed: Print, name: str) -> None:
    """F9: age, sex and school alone; nobody in it is unique."""
    table = only(people(1), FEW_VALUES) | {"number": np.zeros(2000, int)}
    changed = CHANGES[name](table)
    one, other = printed(without(table, "number")), printed(without(changed, "number"))
    assert likeness(one, other) in {Likeness.ROWS, Likeness.COUNTS}


@pytest.mark.parametrize("rows", [40, 200, 2000, 20_000])
@pytest.mark.parametrize("names", [None, FEW_VALUES, FLAGS, ("number",)], ids=str)
def test_other_people_of_the_same_distribution_are_not(
    printed: Print, rows: int, names: Sequence[str] | None
) -> None:
    """F9: one invented schema, other rows; flags and running numbers are in any two tables."""
    prints = []
    for seed in range(4):
        table = people(seed, rows)
        # A table of nothing but running numbers is the same one, so it gets another length.
        length = rows - seed if names == ("number",) else rows
        prints.append(printed(rows_of(only(table, names or list(table)), slice(length))))
    found = {likeness(prints[a], prints[b]) for a in range(4) for b in range(a)}
    assert found == {Likeness.NONE}


def test_two_halves_of_one_survey_are_other_people(printed: Print) -> None:
    """F9: a sample split in two has nobody twice."""
    table = people(5, 10_000)
    halves = [printed(rows_of(table, slice(start, None, 2))) for start in (0, 1)]
    assert likeness(*halves) is Likeness.NONE


def test_a_plan_of_how_many_rows_there_are_of_each_kind_says_nothing(printed: Print) -> None:
    """F9: fifty rows for each of forty regions, in two surveys of other people."""
    regions = {"region": np.repeat(np.arange(40), 50)}
    one, other = (printed(people(seed) | regions) for seed in (1, 2))
    assert likeness(one, other) is Likeness.NONE


@pytest.mark.parametrize("layout", ["%d.%m.%Y", "%Y-%m-%d 00:00:00+01:00"])
def test_dates_in_another_layout_are_known_by_the_other_columns_alone(
    printed: Print, layout: str
) -> None:
    """F9: docs/limits.md says so; moments in ISO 8601 and UTC are one, however long they are."""
    table, rng = people(1), np.random.default_rng(1)
    days = [date(1930, 1, 1) + timedelta(int(after)) for after in rng.integers(0, 25_000, 2000)]

    def likeness_of(names: Sequence[str], layout: str) -> Likeness:
        written = ([f"{day:{way}}" for day in days] for way in ("%Y-%m-%d", layout))
        tables = ({"born": born} | only(table, names) for born in written)
        return likeness(*(printed(each, as_csv=True) for each in tables))

    assert likeness_of(["sex"], "%Y-%m-%dT00:00:00Z") is Likeness.EXACT
    assert likeness_of(["sex"], layout) is Likeness.NONE
    assert likeness_of(["sex", "income"], layout) is Likeness.COLUMNS


def test_tables_of_a_few_rows_are_recognised_by_their_rows(printed: Print) -> None:
    """F9: even four rows, three of which came before."""
    one = {"age": np.array([30, 45, 99, 61]), "town": np.array(["Basel", "Bern", "Chur", "Bern"])}
    changed = one | {"age": np.array([31, 45, 99, 61])}
    other = {"age": np.array([22, 58, 41, 37]), "town": one["town"]}
    assert likeness(printed(one), printed(changed)) is Likeness.ROWS
    assert likeness(printed(one), printed(other)) is Likeness.NONE
