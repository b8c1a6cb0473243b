"""D4: what each odd cell becomes, in CSV and in Parquet alike."""

from itertools import islice, permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.unit.engines.tables import (
    category,
    ingest_here,
    number,
    stored_codes,
    write_csv,
    write_parquet,
)

# cell, code as a number in [-10, 10] by 0.5 (-10 is 0, 10 is 40), code in categories x, 12, true
ODD_CELLS: list[tuple[str | None, int | None, int | None]] = [
    (None, None, None),
    ("", None, None),
    ("   ", None, None),
    ("NaN", None, 3),
    ("nan", None, 3),
    ("null", None, 3),
    ("n/a", None, 3),
    ("x", None, 0),
    (" x\t", None, 0),
    ("X", None, 3),
    ("12", 40, 1),
    (" 12 ", 40, 1),
    ("12.0", 40, 3),
    ("+1", 22, 3),
    ("-.5", 19, 3),
    ("5.", 30, 3),
    ("1e0", 22, 3),
    ("1E1", 40, 3),
    ("0", 20, 3),
    ("-0.0", 20, 3),
    ("5e-324", 20, 3),
    ("-5e-324", 20, 3),
    ("0.25", 20, 3),
    ("0.75", 22, 3),
    ("-0.25", 20, 3),
    ("0.2500001", 21, 3),
    ("inf", 40, 3),
    ("-Infinity", 0, 3),
    ("1e400", 40, 3),
    ("-1e400", 0, 3),
    ("9223372036854775807", 40, 3),
    ("-9223372036854775808", 0, 3),
    ("1e16", 40, 3),
    ("9" * 5000, 40, 3),
    ("z" * 50_000, None, 3),
    ("true", 22, 2),
    ("False", 20, 3),
    ("0x10", None, 3),
    ("1_000", None, 3),
    ("1,5", None, 3),
    ("１２", None, 3),
    ("1e", None, 3),
    ("--1", None, 3),
    ("12\n", 40, 1),
    ("1 2", None, 3),
    ("=1+1", None, 3),
]
COLUMNS = (number("n", "-10", "10", "0.5"), category("c", "x", "12", "true"))


@pytest.mark.parametrize("kind", ["csv", "parquet", "dictionary"])
def test_every_odd_cell_follows_its_rule(tmp_path: Path, kind: str) -> None:
    """D4: null, NaN, infinities, booleans, blanks, huge and foreign texts, on each format."""
    cells = [cell for cell, _, _ in ODD_CELLS]
    if kind == "csv":
        source = write_csv(tmp_path / "t.csv", ["n", "c"], [(cell, cell) for cell in cells])
    else:
        array = pa.array(cells, pa.string())
        array = array.dictionary_encode() if kind == "dictionary" else array
        source = write_parquet(tmp_path / "t.parquet", {"n": array, "c": array})
    ingest_here(source, COLUMNS)
    found = dict(zip(enumerate(cells), stored_codes(source), strict=True))
    assert found == {
        (place, cell): (as_number, as_category)
        for place, (cell, as_number, as_category) in enumerate(ODD_CELLS)
    }


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.float16()])
def test_floating_point_columns_follow_the_same_rule(tmp_path: Path, kind: pa.DataType) -> None:
    """D4: NaN is missing, infinities clip, negative zero is zero, for every width."""
    values = [float("nan"), float("inf"), float("-inf"), -0.0, 0.75, 12.0, None]
    array = pa.array(values, pa.float64()).cast(kind)
    source = write_parquet(tmp_path / "t.parquet", {"n": array, "c": array})
    ingest_here(source, COLUMNS)
    assert stored_codes(source) == [
        (None, None),
        (40, 3),
        (0, 3),
        (20, 3),
        (22, 3),
        (40, 1),
        (None, None),
    ]


@pytest.mark.parametrize(
    "array",
    [
        pa.array([True, False, None]),
        pa.array([1, 0, None], pa.int8()),
        pa.array([1, 0, None], pa.uint64()),
        pa.array([1, 0, None], pa.decimal128(20, 2)),
        pa.array(["1", "0", None], pa.large_string()),
    ],
    ids=lambda array: str(array.type),
)
def test_every_number_like_type_gives_the_same_codes(tmp_path: Path, array: pa.Array) -> None:
    """D4: booleans are 1 and 0; integers, decimals and texts are what they say."""
    source = write_parquet(tmp_path / "t.parquet", {"n": array})
    ingest_here(source, COLUMNS[:1])
    assert stored_codes(source) == [(22,), (20,), (None,)]


def test_a_missing_value_is_imputed_where_that_is_declared(tmp_path: Path) -> None:
    """D4: null, blank and text become the declared constant; nothing is null any more."""
    columns = (number("n", "0", "9", impute_code=7), category("c", "x", "y", impute_code=1))
    source = write_csv(tmp_path / "t.csv", ["n", "c"], [("", ""), ("text", " "), ("3", "z")])
    ingest_here(source, columns)
    assert stored_codes(source) == [(7, 1), (7, 1), (3, 2)]


def test_extreme_integers_clip_and_add_up_alike_in_every_order(tmp_path: Path) -> None:
    """D2: ±max int64, 1e16/1/-1e16, subnormals, -0.0 and 2^53±1 give one sum, whatever order."""
    cells = ["9223372036854775807", "-9223372036854775808", "1e16", "1", "-1e16"]
    more = ["5e-324", "-0.0", "9007199254740993", "9007199254740991"]
    columns = (number("n", "-1000000000", "1000000000", "0.001"),)
    sums = set()
    for place, order in enumerate(islice(permutations(cells), 0, None, 11)):
        folder = tmp_path / str(place)
        folder.mkdir()
        source = write_csv(folder / "t.csv", ["n"], [(cell,) for cell in (*order, *more)])
        ingest_here(source, columns)
        sums.add(sum(row[0] or 0 for row in stored_codes(source)))
    zero, top = 10**12, 2 * 10**12
    assert sums == {4 * top + (zero + 1000) + 2 * zero}


@pytest.mark.parametrize("step", ["0.1", "0.01", "0.3", "1", "7", "1000"])
def test_values_on_the_lattice_keep_their_code(tmp_path: Path, step: str) -> None:
    """D2: a decimal text that is a multiple of the step is never rounded to a neighbour."""
    spec = number("n", f"-{_times(step, 5000)}", _times(step, 5000), step)
    places = np.arange(10_001)
    cells = [(_times(step, int(place) - 5000),) for place in places]
    source = write_csv(tmp_path / "t.csv", ["n"], cells)
    ingest_here(source, (spec,), max_rows=20_000)
    assert [row[0] for row in stored_codes(source)] == places.tolist()


def _times(step: str, count: int) -> str:
    from decimal import Decimal

    return format(Decimal(step) * count, "f")
