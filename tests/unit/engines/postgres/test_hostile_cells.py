"""D2, D4: whatever a cell holds, it has the code that a file would give it, and nothing fails."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from dpgov.engines.dialect import POSTGRES
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.live import LONGEST_TRIMMED, tops_of
from dpgov.engines.postgres.checking import checked
from dpgov.engines.postgres.rows import Source, data_sql
from dpgov.engines.postgres.server import opened
from dpgov.engines.scan import compile_scan
from dpgov.privacy.plan.domains import date_domain
from dpgov.privacy.plan.schema import ColumnSpec
from tests.unit.engines.cases.drawn import (
    BOOLEAN,
    CLOCK,
    DAY,
    FLOAT,
    INTEGER,
    MOMENT,
    NUMERIC,
    TEXT,
    Cell,
    Kind,
    array_of,
)
from tests.unit.engines.cases.hostile_cells import (
    FLOATS,
    HALVES,
    INTEGERS,
    MOMENTS,
    NAMES,
    NUMBERS,
    SPANS,
    STEPS,
    TEXTS,
    ZONES,
    asked_of_categories,
    asked_of_computed,
    computed_columns,
    every_code,
)
from tests.unit.engines.postgres.owner import Owner
from tests.unit.engines.tables import category, ingest_here, number, stored_codes, write_parquet

NUMERICS = (
    *("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "-1e-400", "9" * 1000),
    *("-0.0", f"0.{'0' * 900}1", f"0.{'9' * 900}", "9007199254740993", "-9007199254740992.5"),
    *("9.5000000000000000000001", "0.04999999999999999999999", "0.05000000000000000000001"),
    *HALVES,
)
# Where a server's numbers of 32 bits end, and where nothing but what is below a step is divided.
ENDS = (
    *(("0", "200000", "100"), ("-200000", "0", "100"), ("-50", "50", "10"), ("0", "0", "1")),
    *(("2147483640", "2147483647", "1"), ("2147483640", "2147483648", "1")),
    *(("-2147483648", "-2147483640", "1"), ("-2147483647", "-2147483640", "1")),
    *(("-2147483650", "-2147483640", "0.5"), ("1073741820", "1073741823.5", "0.5")),
    *(("-1000000000", "1000000000", "1"), ("0", "1048576", "1"), ("0", "1048577", "1")),
)
AT_ENDS = tuple(str(end + more) for end in (2**20, 2**30, 2**31, -(2**31)) for more in (-1, 0, 1))
SMALL = ("5e-324", "-5e-324", "1e-300", "-1e-300", "24.99", "25", "-25", "25.01", "2.5", "-2.51")


LONG, SHORT, SMALLEST = (*INTEGERS, *AT_ENDS), range(-(2**31), 2**31), range(-(2**15), 2**15)


def _coded(owner: Owner, source: Source) -> list[tuple[int | None, ...]]:
    """The codes of all columns, row by row, as the scan is given them."""
    scan = compile_scan(every_code(len(source.columns)), tops_of(source.columns), POSTGRES)
    with opened(owner.server, [owner.server.address], 30) as connection:
        kinds = checked(connection, source)
        return connection.execute(data_sql(source, kinds, scan)).fetchall()


def _are_equal(
    owner: Owner,
    folder: Path,
    columns: Sequence[tuple[ColumnSpec, Kind]],
    cells: Sequence[Cell],
    computed: Sequence[ColumnSpec] = (),
) -> None:
    """Every column has the same cells here and there, each under its own declaration."""
    specs = [*(spec for spec, _ in columns), *computed]
    kinds: Mapping[str, Kind] = {spec.name: kind for spec, kind in columns}
    owner.has(
        "hostile",
        {name: kind.sql for name, kind in kinds.items()},
        [(cell,) * len(kinds) for cell in (*cells, None)],
    )
    arrays: dict[str, pa.Array] = {
        name: array_of(kind, [*cells, None]) for name, kind in kinds.items()
    }
    file = write_parquet(folder / "hostile.parquet", arrays)
    ingest_here(file, specs)
    for row in zip(
        [*cells, None],
        _coded(owner, owner.source("hostile", specs)),
        stored_codes(file),
        strict=True,
    ):
        assert row[1] == row[2], row[0]


def _count_alike(owner: Owner, folder: Path, specs: Sequence[ColumnSpec]) -> None:
    """Of what `_are_equal` has left in both: also where no code is looked up for a row."""
    here = DuckDBEngine(folder / "hostile.duckdb", seconds=30, cubes=False)
    there = owner.engine("hostile", specs)
    for at, spec in enumerate(specs):
        for request in asked_of_categories(at, spec.largest_code):
            assert there.answer(request) == here.answer(request), (spec.name, request)


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        (FLOAT, (*FLOATS, *AT_ENDS, *SMALL)),
        (NUMERIC, (*NUMERICS, *AT_ENDS, *SMALL)),
        (INTEGER, LONG),
        (replace(INTEGER, sql="integer"), [cell for cell in LONG if int(cell) in SHORT]),
        (replace(INTEGER, sql="smallint"), [cell for cell in LONG if int(cell) in SMALLEST]),
        (BOOLEAN, ("true", "false")),
    ],
)
def test_numbers(owner: Owner, tmp_path: Path, kind: Kind, cells: Sequence[str]) -> None:
    """D2, D4: NaN, infinities, denormals, thousand digits, halves, whole numbers beyond floats."""
    columns = [(number(f"n{at}", *bounds), kind) for at, bounds in enumerate((*NUMBERS, *ENDS))]
    imputed = (number("imputed", "0", "10", impute_code=7), kind)
    _are_equal(owner, tmp_path, [*columns, imputed], cells)


def test_categories(owner: Owner, tmp_path: Path) -> None:
    """D4: spaces of every kind, quotes, marks of formats, letters beside each other, long texts."""
    columns = [
        (category('{few} {0} %s "', *NAMES), TEXT),
        (category("many", *NAMES, *(f"other {at}" for at in range(200))), TEXT),
        (category("imputed", *NAMES, impute_code=2), TEXT),
    ]
    _are_equal(owner, tmp_path, columns, TEXTS)
    _count_alike(owner, tmp_path, [spec for spec, _ in columns])
    whole = [(category("whole", "0", "-1", str(2**63 - 1)), INTEGER)]
    _are_equal(owner, tmp_path, whole, INTEGERS)
    _count_alike(owner, tmp_path, [spec for spec, _ in whole])
    _are_equal(owner, tmp_path, [(category("truth", "true"), BOOLEAN)], ("true", "false"))


@pytest.mark.parametrize(
    "own", ['text COLLATE "und-x-icu"', "text COLLATE public.alike", "character(30000)"]
)
def test_what_a_column_calls_less_or_equal_changes_no_code(owner: Owner, own: str) -> None:
    """D4: names are looked up in the order of bytes, whatever a language's order or equality is."""
    owner.does(
        "DROP TABLE IF EXISTS own; DROP COLLATION IF EXISTS public.alike; CREATE COLLATION "
        "public.alike (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
    )
    columns = [category("few", *NAMES, "A", "B", "É", "zz"), category("two", "a", "é")]
    owner.has("own", {"few": "text", "two": "text"}, [(cell, cell) for cell in (*TEXTS, None)])
    engine, asked = owner.engine("own", columns), asked_of_categories(0, 3)
    told = _coded(owner, owner.source("own", columns)), [engine.answer(each) for each in asked]
    owner.does(f"ALTER TABLE own ALTER few TYPE {own}, ALTER two TYPE {own}")
    assert (
        _coded(owner, owner.source("own", columns)),
        [engine.answer(each) for each in asked],
    ) == told


@pytest.mark.parametrize("kind", [DAY, CLOCK, MOMENT])
def test_dates(owner: Owner, tmp_path: Path, kind: Kind) -> None:
    """D4: the ends of the calendar, what lies beyond, and clocks that are changed."""
    steps = STEPS[1:] if kind is DAY else STEPS
    zones = ZONES if kind is MOMENT else ("UTC",)
    columns = [
        (ColumnSpec(f"{step} {zone} {low}", date_domain(low, high, step, "", zone)), kind)
        for step in steps
        for zone in zones
        for low, high in SPANS
    ]
    cells = [_spelt(cell, kind) for cell in MOMENTS]
    _are_equal(owner, tmp_path, columns, cells)


def _spelt(moment: str, kind: Kind) -> str:
    if not moment[-1].isdigit() or kind is CLOCK:
        return moment
    return moment[:10] if kind is DAY else f"{moment}+00"


def test_a_text_that_is_too_long_to_be_trimmed_is_no_category(owner: Owner) -> None:
    """D4: trimming takes memory by the length, and fails far beyond; nothing fails by a length."""
    owner.has("long", {"c": "text"}, [(f"a{' ' * length}",) for length in (10, LONGEST_TRIMMED)])
    column = [category("c", "a")]
    assert _coded(owner, owner.source("long", column)) == [(0,), (1,)]
    grouped = owner.engine("long", column).answer(asked_of_categories(0, 1)[0])
    assert grouped == ((1,), (1,), (0,))


def test_computed_columns(owner: Owner, tmp_path: Path) -> None:
    """D2, D4: of hostile operands, with halves, signs, and a division by zero."""
    (one, other, town), computed = computed_columns()
    columns = [(one, NUMERIC), (other, NUMERIC)]
    cells = [*NUMERICS, *(f"{at / 8}" for at in range(-20, 40))]
    _are_equal(owner, tmp_path, columns, cells, computed[:-1])
    _are_equal(owner, tmp_path, [(town, TEXT)], ("1", " 0.5", "x", ""), computed[-1:])
    engine = owner.engine("hostile", [town, computed[-1]])
    assert engine.answer(asked_of_computed(0, 1)) == ((1,), (1,), (0,))
