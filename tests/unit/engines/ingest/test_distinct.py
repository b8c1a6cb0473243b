"""F9, D6: in whatever way the distinct cells of a column are found, each is the same cell.

What could go wrong: a way that saves time takes a cell for another one, or a text for a number that
is written otherwise, or what was made of an earlier batch for this one. Then people are not known
again, or a person's rows are another's. The plain way, which knows the distinct cells of each batch
by comparing them, is here alone.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.engines.ingest.cells import distinct
from dpgov.engines.ingest.cells.column import Cells
from dpgov.engines.ingest.cells.distinct import NearNumbers, Room, cells_of
from dpgov.engines.ingest.recognised.hashes import CellHashes
from dpgov.engines.ingest.values import codes
from tests.examples import examples
from tests.unit.engines.tables import KEY, category, number

SPECS = (number("v", "-40", "300"), category("v", "7", "-0", "x"))
HASHES = CellHashes(KEY, "unit")
_ENDS = {kind: np.iinfo(kind.to_pandas_dtype()) for kind in (pa.int8(), pa.int64(), pa.uint64())}


def _plainly(column: pa.Array, decimal: str) -> Cells:
    encoded = column.dictionary_encode()
    places = pc.fill_null(encoded.indices.cast(pa.int64()), len(encoded.dictionary))
    return Cells(encoded.dictionary, places.to_numpy(zero_copy_only=False), decimal)


def _told(cells: Cells) -> list[list[Any]]:
    """All that a reading makes of each row's cell."""
    texts = cells.texts.take(pa.array(cells.rows)).to_pylist()
    names = HASHES.of_names(cells)
    return [
        texts,
        cells.spread(HASHES.of_values(cells)).tolist(),
        *(cells.spread(words).tolist() for words in names),
        *(codes(cells, spec).to_pylist() for spec in SPECS),
    ]


def _alike(batches: Sequence[pa.Array], decimal: str = ".") -> list[Cells]:
    """The cells of all batches, which are the same as in the plain way."""
    known, found = NearNumbers(Room()), []
    for batch in batches:
        cells = cells_of(batch, decimal, known)
        assert _told(cells) == _told(_plainly(batch, decimal))
        assert sum(cells.times) == len(batch)
        assert cells.times.tolist() == np.bincount(cells.rows, minlength=cells.distinct).tolist()
        found.append(cells)
    return found


_NEAR = st.integers(-15, 15)
_WHOLE = st.one_of(_NEAR, st.integers(-(2**63), 2**63 - 1))
_CELLS = [st.lists(st.one_of(st.none(), each), max_size=80) for each in (_NEAR, _WHOLE)]
_BATCHES = st.lists(st.one_of(_CELLS), min_size=1, max_size=5)
_WRITTEN = st.sampled_from(
    [
        "-0",
        "+5",
        "007",
        " 7",
        "7 ",
        "",
        "7.0",
        "0x10",
        "0xFFFFFFFFF",
        "1" * 19,
        "9" * 30,
        "x",
        "1e3",
    ]
)


@examples(150)
@given(
    batches=_BATCHES,
    odd=st.lists(_WRITTEN, max_size=3),
    decimal=st.sampled_from([".", ","]),
)
def test_whole_numbers_are_the_same_typed_or_written(
    batches: list[list[int | None]], odd: list[str], decimal: str
) -> None:
    """Also where a few cells are written otherwise, in the last batch alone."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(distinct, "_LOOKED_AT", 2)
        patched.setattr(distinct, "_TO_ONE", 1)
        _alike([pa.array(batch, pa.int64()) for batch in batches], decimal)
        texts = [["" if each is None else str(each) for each in batch] for batch in batches]
        texts[-1] += odd
        _alike([pa.array(batch, pa.string()) for batch in texts], decimal)


@pytest.mark.parametrize("kind", list(_ENDS), ids=str)
@pytest.mark.parametrize("from_top", [False, True])
def test_numbers_near_to_the_ends_of_their_type_are(kind: pa.DataType, from_top: bool) -> None:
    """Where a difference has no room in the type, and there is nothing more beyond."""
    ends = _ENDS[kind]
    one = [int(ends.max) - step if from_top else int(ends.min) + step for step in range(41)]
    (cells,) = _alike([pa.array(one * 5, kind)])
    assert len(cells.values) <= 50


@pytest.mark.parametrize(
    "make",
    [
        lambda: pa.array([place / 7 - 3 for place in range(90)] + [float("nan"), -0.0, 0.0]),
        lambda: pa.array([place / 7 for place in range(90)], pa.float32()),
        lambda: pa.array([None, *(place / 7 for place in range(90))]),
        lambda: pa.array([f"person {place}" for place in range(90)] + ["nan", " x ", ""]),
        lambda: pa.array([f"{place},5" for place in range(90)] + ["1.234", "1.234,5"]),
        lambda: pa.array(range(90), pa.date32()),
        lambda: pa.array([True, False, None] * 30),
        lambda: pa.array([*range(-128, 128)] * 5, pa.int8()),
        lambda: pa.array([None] * 90, pa.int32()),
        lambda: pa.array([], pa.int64()),
        lambda: pa.array(["x", None, "y"] * 30).dictionary_encode(),
    ],
    ids=[
        "floats",
        "narrow floats",
        "some missing",
        "texts",
        "decimal commas",
        "days",
        "truths",
        "all of a narrow type",
        "nothing",
        "no rows",
        "numbered by the file",
    ],
)
@pytest.mark.parametrize("decimal", [".", ","])
def test_all_other_columns_are(make: Callable[[], pa.Array], decimal: str) -> None:
    _alike([make(), make()], decimal)


def test_cells_that_hardly_come_again_are_not_looked_for() -> None:
    """Nor are numbers that are near, and what was made of these is not made again."""
    (each,) = _alike([pa.array([place * 10**9 for place in range(640)])])
    assert each.places is None
    some = [place % 100 for place in range(640)]
    first, second = _alike([pa.array(some), pa.array(some[::-1])])
    assert first.made is second.made
    assert first.made["numbers"] is second.numbers


def test_numbers_that_move_on_are_not_kept_without_end() -> None:
    """No more of them are looked at than a part of the rows, and none of a batch before."""
    batches = [pa.array(np.arange(at, at + 640) // 8) for at in range(0, 6400, 640)]
    found = _alike(batches)
    assert sum(len(cells.values) for cells in {id(one.made): one for one in found}.values()) < 3200


def test_columns_share_the_room_for_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """L13: or 500 columns would take a gigabyte."""
    monkeypatch.setattr(distinct, "_KEPT", 250)
    room = Room()
    column = pa.array([place % 100 for place in range(640)])
    known = [NearNumbers(room) for _ in range(3)]
    kept = [[cells_of(column, ".", one).made for _ in range(2)] for one in known]
    assert [one is two for one, two in kept] == [True, True, False]
    assert room.left >= 0
