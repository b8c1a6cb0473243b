"""D2, D4: whatever a cell holds, it has the code that a file would give it, and nothing fails."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from dpgov.engines.dialect import SPARK
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.live import LONGEST_TRIMMED, tops_of
from dpgov.engines.scan import compile_scan
from dpgov.engines.spark.checking import checked
from dpgov.engines.spark.rows import Source, data_sql
from dpgov.engines.spark.server import opened
from dpgov.privacy.plan.domains import date_domain, numeric_domain
from dpgov.privacy.plan.schema import ColumnSpec
from tests.unit.engines.cases.drawn import (
    BOOLEAN,
    CLOCK,
    DAY,
    DECIMAL,
    FLOAT,
    INTEGER,
    MOMENT,
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
from tests.unit.engines.spark.owner import Owner
from tests.unit.engines.tables import category, ingest_here, number, stored_codes

pytestmark = pytest.mark.spark

DECIMALS = ("9" * 38, f"-{'9' * 38}", "9007199254740993", "-9007199254740995", "0", "-1", "10")
FRACTIONS = (*HALVES, "0.0499999999999999999999", "0.0500000000000000000001", "-0.0", "9.5")
FINE = Kind("decimal(38,22)", pa.decimal128(38, 22), DECIMAL.cells)
COARSE = Kind("decimal(38,0)", pa.decimal128(38, 0), DECIMAL.cells)


def _coded(owner: Owner, source: Source) -> list[tuple[int | None, ...]]:
    """The codes of all columns, row by row, as the scan is given them."""
    scan = compile_scan(every_code(len(source.columns)), tops_of(source.columns), SPARK)
    with opened(owner.server, owner.allowed, source.path, 120) as session:
        return session.rows(data_sql(source, checked(session, source), scan))


def _are_equal(
    owner: Owner,
    folder: Path,
    columns: Sequence[tuple[ColumnSpec, Kind]],
    cells: Sequence[Cell],
    computed: Sequence[ColumnSpec] = (),
) -> None:
    """Every column has the same cells here and there, each under its own declaration."""
    specs = [*(spec for spec, _ in columns), *computed]
    arrays = {spec.name: array_of(kind, [*cells, None]) for spec, kind in columns}
    file = owner.has("hostile.parquet", arrays)
    copy = Path(shutil.copy(file, folder))
    ingest_here(copy, specs)
    found = _coded(owner, owner.source("hostile.parquet", specs))
    for row in zip([*cells, None], found, stored_codes(copy), strict=True):
        assert row[1] == row[2], row[0]


def _count_alike(owner: Owner, folder: Path, specs: Sequence[ColumnSpec]) -> None:
    """Of what `_are_equal` has left in both: also where no code is looked up for a row."""
    here = DuckDBEngine(folder / "hostile.duckdb", seconds=30, cubes=False)
    there = owner.engine("hostile.parquet", specs)
    for at, spec in enumerate(specs):
        for request in asked_of_categories(at, spec.largest_code):
            assert there.answer(request) == here.answer(request), (spec.name, request)


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        (FLOAT, FLOATS),
        (FINE, FRACTIONS),
        (COARSE, DECIMALS),
        (INTEGER, INTEGERS),
        (BOOLEAN, ("true", "false")),
    ],
)
def test_numbers(owner: Owner, tmp_path: Path, kind: Kind, cells: Sequence[str]) -> None:
    """D2, D4: NaN, infinities, denormals, 38 digits, halves, whole numbers beyond floats."""
    columns = [
        (ColumnSpec(f"n{at}", numeric_domain(*bounds)), kind) for at, bounds in enumerate(NUMBERS)
    ]
    imputed = (number("imputed", "0", "10", impute_code=7), kind)
    _are_equal(owner, tmp_path, [*columns, imputed], cells)


def test_categories(owner: Owner, tmp_path: Path) -> None:
    """D4: spaces of every kind, quotes, marks of formats, letters beside each other, long texts."""
    columns = [
        (category("few", *NAMES), TEXT),
        (category("many", *NAMES, *(f"other {at}" for at in range(200))), TEXT),
        (category("imputed", *NAMES, impute_code=2), TEXT),
    ]
    _are_equal(owner, tmp_path, columns, TEXTS)
    _count_alike(owner, tmp_path, [spec for spec, _ in columns])
    whole = [(category("whole", "0", "-1", str(2**63 - 1)), INTEGER)]
    _are_equal(owner, tmp_path, whole, INTEGERS)
    _count_alike(owner, tmp_path, [spec for spec, _ in whole])
    _are_equal(owner, tmp_path, [(category("truth", "true"), BOOLEAN)], ("true", "false"))


def test_bytes_that_are_no_text_and_texts_too_long_to_trim_are_no_category(owner: Owner) -> None:
    """D4: a file may claim that its bytes are texts; and trimming takes memory by the length."""
    claimed = [b"a ", b"\xffa", b"a\xc3", b"\xf0\x9f", b" \xe2\x80", b" a", None]
    long = [f"a{' ' * length}".encode() for length in (10, LONGEST_TRIMMED)]
    texts = pa.Array.from_buffers(
        pa.string(), len(claimed) + 2, pa.array([*claimed, *long], pa.binary()).buffers()
    )
    owner.has("long.parquet", {"c": texts})
    column = [category("c", "a")]
    codes = [code for (code,) in _coded(owner, owner.source("long.parquet", column))]
    assert codes == [0, 1, 1, 1, 1, 0, None, 0, 1]
    grouped = owner.engine("long.parquet", column).answer(asked_of_categories(0, 1)[0])
    assert grouped == ((3,), (5,), (1,))


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
    _are_equal(owner, tmp_path, columns, [_spelt(cell, kind) for cell in MOMENTS])


def _spelt(moment: str, kind: Kind) -> str:
    if not moment[-1].isdigit() or kind is CLOCK:
        return moment
    return moment[:10] if kind is DAY else f"{moment}+00"


def test_moments_that_no_calendar_has_are_missing(owner: Owner) -> None:
    """D4: the first and the last that 64 bits hold, and a day that 32 bits hold."""
    ends = [2**63 - 1, -(2**63) + 1, 0]
    days = pa.array([2**31 - 1, -(2**31), 0], pa.int32()).cast(pa.date32())
    kinds = {"clock": pa.timestamp("us"), "moment": pa.timestamp("us", "UTC")}
    arrays = {name: pa.array(ends, pa.int64()).cast(kind) for name, kind in kinds.items()}
    owner.has("ends.parquet", arrays | {"day": days})
    specs = [ColumnSpec(name, date_domain("1969", "1971", "year")) for name in (*kinds, "day")]
    found = _coded(owner, owner.source("ends.parquet", specs))
    assert found == [(None,) * 3, (None,) * 3, (1,) * 3]


def test_computed_columns(owner: Owner, tmp_path: Path) -> None:
    """D2, D4: of hostile operands, with halves, signs, and a division by zero."""
    (one, other, town), computed = computed_columns()
    columns = [(one, FLOAT), (other, FLOAT)]
    cells = [*FLOATS, *(f"{at / 8}" for at in range(-20, 40))]
    _are_equal(owner, tmp_path, columns, cells, computed[:-1])
    _are_equal(owner, tmp_path, [(town, TEXT)], ("1", " 0.5", "x", ""), computed[-1:])
    engine = owner.engine("hostile.parquet", [town, computed[-1]])
    assert engine.answer(asked_of_computed(0, 1)) == ((1,), (1,), (0,))
