"""D2, D4: whatever a cell holds, it has the code that a file would give it, and nothing fails."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from dpgov.engines.postgres.checking import checked
from dpgov.engines.postgres.coding import LONGEST_TRIMMED, SPACES
from dpgov.engines.postgres.rows import Source, data_sql
from dpgov.engines.postgres.server import opened
from dpgov.privacy.plan.computed.declared import domain_of, formula_of
from dpgov.privacy.plan.domains import date_domain, numeric_domain
from dpgov.privacy.plan.formula import Comparison, FormulaKind
from dpgov.privacy.plan.request import AnyOf, CodeFilter, ExactRequest, Measure, MeasureKind
from dpgov.privacy.plan.schema import ColumnSpec, NumericDomain
from tests.unit.engines.postgres.drawn import (
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
from tests.unit.engines.postgres.owner import Owner
from tests.unit.engines.tables import category, ingest_here, number, stored_codes, write_parquet

NUMBERS = (
    ("0", "10", "1"),
    ("-1", "1", "0.1"),
    ("0.5", "2", "0.5"),
    ("-2", "0", "0.5"),
    ("-2000000", "2000000", "100"),
    ("-999999999999999", "999999999999999", "1"),
    ("-999999999999999", "999999999999999", "0.125"),
    ("-9000", "9000", "0.000000000001"),
)
HALVES = ("0.05", "0.15", "0.25", "0.35", "-0.25", "0.5", "1.5", "-1.5", "2.5", "50", "150", "250")
FLOATS = (
    *("nan", "inf", "-inf", "0.0", "-0.0", "5e-324", "-5e-324", "2.2250738585072014e-308"),
    *("1.7976931348623157e308", "-1.7976931348623157e308", "9007199254740993", "1e-300", "9.5"),
    *("0.49999999999999994", "1.9999999999999998", "-2.0000000000000004", "10.000000000000002"),
    *("4503599627370496.5", "-4503599627370497.5", "1234.5678901234565", "-8999.9999999999995"),
    *HALVES,
)
NUMERICS = (
    *("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "-1e-400", "9" * 1000),
    *("-0.0", f"0.{'0' * 900}1", f"0.{'9' * 900}", "9007199254740993", "-9007199254740992.5"),
    *("9.5000000000000000000001", "0.04999999999999999999999", "0.05000000000000000000001"),
    *HALVES,
)
INTEGERS = (*map(str, (0, 1, -1, 9, 10, 11, 50, 150, 2**53 + 1, -(2**53) - 1)), str(2**63 - 1))
INTEGERS += (str(-(2**63)), "4503599627370497", "-4503599627370499", "500", "1500", "-2500")
NAMES = ("a", "b c", "o'hara", "\\", "%s", '{"$1": 2}', "Ω", "é", "true", "12", "nan")
TEXTS = (
    *NAMES,
    *("", "   ", SPACES, f"{SPACES}a{SPACES}", "A", "e\u0301", "a\u200b", "\u200ba", "\ufeff"),
    *(f"{space}b c{space}" for space in SPACES),
    *("🏳️‍🌈", "א", "'; DROP TABLE t; --", "$1", "a\nb", "\x01", "TRUE", "012", "ä" * 30_000),
)
MOMENTS = (
    *("0001-01-01 00:00:00", "0001-01-02 23:59:59.999999", "0001-01-03 00:00:00"),
    *("9999-12-29 23:59:59", "9999-12-30 00:00:00.5", "9999-12-30 00:00:01"),
    *("9999-12-31 23:59:59.999999", "infinity", "-infinity", "0044-03-15 BC"),
    # Clocks leave out and repeat an hour, half an hour, a day; and a zone before there were any.
    *("2024-03-31 00:59:59.999999", "2024-03-31 01:00:00", "2024-03-31 02:30:00"),
    *("2024-10-27 00:30:00", "2024-10-27 01:30:00", "2024-10-27 02:30:00"),
    *("2024-04-06 15:00:00", "2024-04-06 14:59:59", "2024-10-05 15:30:00"),
    *("2011-12-30 09:59:59", "2011-12-30 10:00:00", "2011-12-31 10:00:00"),
    *("1890-01-01 00:00:00", "1893-03-31 23:06:31", "1893-03-31 23:06:32", "2050-07-01 12:00:00"),
    *("1969-12-31 23:59:59.999999", "1970-01-01 00:00:00", "2024-02-29 23:59:59.999999"),
)
SPANS = (("1890", "2060"), ("2023-12", "2024-10"), ("0001", "9999"))
ZONES = ("UTC", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/St_Johns")
STEPS = ("hour", "day", "week", "month", "quarter", "year")


def _coded(owner: Owner, source: Source) -> list[tuple[int | None, ...]]:
    """The codes of all columns, row by row, as the scan is given them."""
    every = AnyOf(tuple(CodeFilter(at, ()) for at in range(len(source.columns))))
    request = ExactRequest((every,), (), (Measure(MeasureKind.ROWS),))
    with opened(owner.server, [owner.server.address], 30) as connection:
        kinds = checked(connection, source)
        return connection.execute(data_sql(source, kinds, request)).fetchall()


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


@pytest.mark.parametrize(
    ("kind", "cells"),
    [(FLOAT, FLOATS), (NUMERIC, NUMERICS), (INTEGER, INTEGERS), (BOOLEAN, ("true", "false"))],
)
def test_numbers(owner: Owner, tmp_path: Path, kind: Kind, cells: Sequence[str]) -> None:
    """D2, D4: NaN, infinities, denormals, thousand digits, halves, whole numbers beyond floats."""
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
    whole = [(category("whole", "0", "-1", str(2**63 - 1)), INTEGER)]
    _are_equal(owner, tmp_path, whole, INTEGERS)
    _are_equal(owner, tmp_path, [(category("truth", "true"), BOOLEAN)], ("true", "false"))


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
    assert _coded(owner, owner.source("long", [category("c", "a")])) == [(0,), (1,)]


def test_computed_columns(owner: Owner, tmp_path: Path) -> None:
    """D2, D4: of hostile operands, with halves, signs, and a division by zero."""
    one = number("one", "-3", "7", "0.5", impute_code=3)
    other = number("other", "-2", "2", "0.25")
    town = category("town", "1", "0.5")

    def made(
        name: str,
        kind: FormulaKind,
        operands: Sequence[ColumnSpec],
        compares: Comparison | None = None,
        constants: Sequence[str] = (),
        bounds: NumericDomain | None = None,
    ) -> ColumnSpec:
        formula = formula_of(kind, operands, compares, constants)
        return ColumnSpec(name, domain_of(formula, operands, bounds=bounds), formula=formula)

    ratios = [
        made(f"ratio {at}", FormulaKind.RATIO, pair, bounds=numeric_domain(*bounds))
        for at, (pair, bounds) in enumerate(
            [([one, other], ("-4", "4", "0.1")), ([other, one], ("-9", "-1", "0.5"))]
        )
    ]
    flags = [
        made(f"flag {compares}", FormulaKind.FLAG, [one], compares, ["0.5"])
        for compares in Comparison
        if compares is not Comparison.AMONG
    ]
    computed = [
        *ratios,
        *flags,
        made("less", FormulaKind.DIFFERENCE, [one, other]),
        made("more", FormulaKind.SUM, [one, other]),
        made("times", FormulaKind.PRODUCT, [one, other]),
        made("bins", FormulaKind.BINS, [other], None, ["-1", "0.25"]),
        made("among", FormulaKind.FLAG, [town], Comparison.AMONG, ["1"]),
    ]
    columns = [(one, NUMERIC), (other, NUMERIC)]
    cells = [*NUMERICS, *(f"{at / 8}" for at in range(-20, 40))]
    _are_equal(owner, tmp_path, columns, cells, computed[:-1])
    _are_equal(owner, tmp_path, [(town, TEXT)], ("1", " 0.5", "x", ""), computed[-1:])
