"""F9: one value has one hash, and so has the name of a unit, whatever the file wrote."""

import numpy as np
import pyarrow as pa
import pytest

from dpgov.engines.ingest.recognised.hashes import CellHashes, Names
from dpgov.engines.ingest.values import cells_of
from tests.unit.engines.tables import KEY

WHOLE = [0, 7, -7, 10**18 - 1, 1 - 10**18, 10**18, -(10**18), 2**63 - 1, -(2**63)]


@pytest.fixture
def hashes() -> CellHashes:
    return CellHashes(KEY, "unit")


def _names(hashes: CellHashes, column: pa.Array) -> Names:
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


def test_a_name_is_compared_as_it_is_written(hashes: CellHashes) -> None:
    found = _names(hashes, pa.array(["7", "007", "+7", "7.0", "-0", "0", "7e0", "x", "X"]))
    assert len(set(found.hashes[:-1].tolist())) == len(found.hashes) - 1


def test_no_name_is_the_same_however_it_is_missing(hashes: CellHashes) -> None:
    """An empty cell, one that was never written, and NaN name nobody; 0 is a name."""
    assert not _names(hashes, pa.array(["", "  ", None, "NaN"])).known.any()
    assert not _names(hashes, pa.array([float("nan"), None])).known.any()
    assert _names(hashes, pa.array([0, None])).known.tolist() == [True, False]


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
