"""F9: one value has one hash, and so has the name of a unit, whatever the file wrote."""

import numpy as np
import pyarrow as pa
import pytest

from dpgov.engines.ingest.cells.distinct import cells_of
from dpgov.engines.ingest.recognised.hashes import CellHashes, NameHashes
from tests.unit.engines.tables import KEY

WHOLE = [0, 7, -7, 10**18 - 1, 1 - 10**18, 10**18, -(10**18), 2**63 - 1, -(2**63)]


@pytest.fixture
def hashes() -> CellHashes:
    return CellHashes(KEY, "unit")


def _names(hashes: CellHashes, column: pa.Array) -> NameHashes:
    return hashes.of_names(cells_of(column))


def test_whole_numbers_name_the_same_units_as_their_texts(hashes: CellHashes) -> None:
    """Beyond eighteen digits as well, and where the absolute value is no number of 64 bits."""
    typed, written = _names(hashes, pa.array(WHOLE)), _names(hashes, pa.array(map(str, WHOLE)))
    for one, two in zip(typed, written, strict=True):
        assert one.tolist() == two.tolist()
    assert len(set(typed.hashes.tolist())) == len(WHOLE) + 1


def test_unsigned_and_narrow_numbers_do_too(hashes: CellHashes) -> None:
    written = _names(hashes, pa.array(["3", "200"]))
    for kind in (pa.uint8(), pa.uint64(), pa.int16(), pa.float64()):
        found = _names(hashes, pa.array([3, 200], kind))
        assert found.hashes.tolist() == written.hashes.tolist()


AS_FLOATS = [0, 3, -200, 10**5, 12_345_678_901, 10**15 - 1, 2**53 - 1]


def _as_pandas(number: int) -> str:
    return f"{number}.0"


def _as_r(number: int) -> str:
    """As R and Arrow write a float: with an exponent where the digits are many."""
    return pa.array([float(number)]).cast(pa.string())[0].as_py()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "column",
    [
        pa.array(AS_FLOATS, pa.float64()),
        pa.array([*map(float, AS_FLOATS), None]),
        pa.array([_as_pandas(number) for number in AS_FLOATS]),
        pa.array([_as_r(number) for number in AS_FLOATS]),
        pa.array([_as_pandas(number).replace(".", ",") for number in AS_FLOATS]),
        pa.array(AS_FLOATS, pa.decimal128(20, 2)),
        pa.array(AS_FLOATS, pa.decimal128(20, 3)),
        pa.array(["0", "3", "-200", "1e+05", "1.2345678901e+10", "999999999999999.00"]),
        pa.array(["0.0", "3.0", "-200.0", "100000.0", "1.2345678901E10", "9.99999999999999E14"]),
        pa.array(["0.000", "3.0000", "-200.00", "100000.000", "12345678901.000"]),
    ],
    ids=[
        "floats",
        "with an empty cell",
        "pandas",
        "Arrow",
        "comma",
        "decimals",
        "of three places",
        "R",
        "Spark",
        "text of a table's decimals",
    ],
)
def test_a_whole_number_that_was_written_as_a_float_names_the_same_unit(
    hashes: CellHashes, column: pa.Array
) -> None:
    """L2: one empty cell makes a column of ids one of floats, and nobody is somebody else."""
    whole = _names(hashes, pa.array(AS_FLOATS)).hashes.tolist()[:-1]
    found = _names(hashes, column).hashes.tolist()
    assert found[: len(column) - column.null_count] == whole[: len(column) - column.null_count]


def test_larger_floats_are_named_by_what_their_text_says(hashes: CellHashes) -> None:
    numbers = [2.0**53, 1e17, 123456789012345678.0, 0.5, 1e300]
    written = _names(hashes, pa.array(numbers).cast(pa.string()))
    assert _names(hashes, pa.array(numbers)).hashes.tolist() == written.hashes.tolist()


def test_zero_has_one_sign_in_a_name_too(hashes: CellHashes) -> None:
    """Whatever else is in the column: beside a large number floats are read as texts."""
    zero = _names(hashes, pa.array([0])).hashes[0]
    for column in ([0.0, -0.0], [0.0, -0.0, 1e300], ["-0", "-0.0", "0.0"]):
        assert set(_names(hashes, pa.array(column)).hashes[:2].tolist()) == {zero}


def test_a_point_that_may_part_thousands_names_nobody_else(hashes: CellHashes) -> None:
    """L2: where decimals have a comma, 1.000 is another person than 1, who keeps their own rows."""
    names = ["1", "1.000", "-12", "-12.000", "123", "123.000", "1000", "1.000.000", "1.000,0"]
    found = _names(hashes, pa.array(names))
    assert len(set(found.hashes[:-1].tolist())) == len(names)


def test_any_other_name_is_compared_as_it_is_written(hashes: CellHashes) -> None:
    """Codes of digits and letters among them, which are no numbers with an exponent."""
    names = ["7", "007", "+7", "7.5", "0", "7e0", "7e01", "7e+5", "x", "X", "7.", "1.5e+00"]
    names += ["70000000", "7E7", "7.0E07", "7.10E7", "7.0E+07", "7E+07", "1234567", "1.234567E6"]
    found = _names(hashes, pa.array(names))
    assert len(set(found.hashes[:-1].tolist())) == len(found.hashes) - 1


def test_no_name_is_the_same_however_it_is_missing(hashes: CellHashes) -> None:
    """An empty cell, one that was never written, NaN, and what tools write; 0 is a name."""
    assert not _names(hashes, pa.array(["", "  ", None, "NaN"])).known.any()
    assert not _names(hashes, pa.array([float("nan"), None])).known.any()
    tools = ["NA", "NULL", "\\N", "None", "<NA>", "#N/A", " n/a ", "null"]
    assert not _names(hashes, pa.array(tools)).known.any()
    assert _names(hashes, pa.array([0, None])).known.tolist() == [True, False]
    assert _names(hashes, pa.array(["N", "Nana", "-"])).known[:-1].all()


def test_a_value_is_its_number_where_it_has_one(hashes: CellHashes) -> None:
    texts = ["1", "1.0", " 1 ", "+1", "1e0", "true"]
    found = hashes.of_values(cells_of(pa.array(texts)))
    assert len(set(found[:-1].tolist())) == 1
    for column in (pa.array([1]), pa.array([1.0]), pa.array([True]), pa.array([1], pa.uint8())):
        assert hashes.of_values(cells_of(column))[0] == found[0]


def test_a_number_with_a_point_is_the_same_where_a_comma_was_declared(hashes: CellHashes) -> None:
    """F9: or the same file with another mark would have none of its decimals in common."""
    texts = pa.array(["0.5", "-12.25", "0.50", "x"])
    by_point = hashes.of_values(cells_of(texts))
    assert hashes.of_values(cells_of(texts, ",")).tolist() == by_point.tolist()
    # What a comma makes a number of stays one: thousands are parted by points.
    written = hashes.of_values(cells_of(pa.array(["1.234", "1,5"]), ","))
    assert written[:2].tolist() == hashes.of_values(cells_of(pa.array([1234, 1.5])))[:2].tolist()


def test_a_narrow_float_is_what_its_text_says(hashes: CellHashes) -> None:
    """0.1 in 32 bits is 0.1 to whoever reads it."""
    narrow = hashes.of_values(cells_of(pa.array([0.1], pa.float32())))
    assert narrow[0] == hashes.of_values(cells_of(pa.array(["0.1"])))[0]
    assert narrow[0] != hashes.of_values(cells_of(pa.array([float(np.float32(0.1))])))[0]


def test_zero_has_one_sign_and_what_is_missing_none(hashes: CellHashes) -> None:
    found = hashes.of_values(cells_of(pa.array([0.0, -0.0, float("nan"), None])))
    assert found[0] == found[1] != 0
    assert found[2:].tolist() == [0, 0]


def test_a_dictionary_with_a_null_inside_is_read_as_its_cells(hashes: CellHashes) -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array([5, None]))
    cells = cells_of(column)
    found = hashes.of_values(cells)[cells.rows]
    assert found.tolist() == [hashes.of_values(cells_of(pa.array([5])))[0], 0, found[0]]
