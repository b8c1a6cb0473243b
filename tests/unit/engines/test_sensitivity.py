"""D1: one row more, less or changed moves an exact aggregate by no more than what is declared."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dpgov.engines.files import DuckDBEngine
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.request import CodeFilter, ExactRequest, Measure, MeasureKind
from tests.examples import examples
from tests.unit.engines.tables import ingest_here, number, write_csv

_CELLS = st.one_of(
    st.sampled_from(["", "nan", "inf", "-inf", "1e400", "-0.0", "true", "text"]),
    st.floats(-300, 300).map(str),
    st.integers(-(2**70), 2**70).map(str),
)
_ROWS = st.lists(st.tuples(_CELLS, _CELLS), min_size=1, max_size=6)
COLUMNS = (number("a", "-5", "5", "0.5"), number("b", "0", "300"))
TOP = 20
REQUEST = ExactRequest(
    (CodeFilter(1, ((0, 200),), missing_passes=True),),
    (CodeGrouping(0, ((0, 4), (5, 9), (10, TOP))),),
    (
        Measure(MeasureKind.ROWS),
        Measure(MeasureKind.PRESENT, 0),
        Measure(MeasureKind.CODE_SUM, 0),
    ),
)


def _answer(rows: list[tuple[str, str]]) -> tuple[tuple[int, ...], ...]:
    with tempfile.TemporaryDirectory() as folder:
        source = write_csv(Path(folder) / "t.csv", ["a", "b"], rows)
        ingest_here(source, COLUMNS)
        cells = DuckDBEngine(source.with_suffix(".duckdb"), seconds=30).answer(REQUEST)
        assert isinstance(cells, tuple)
        return cells


def _moved(
    before: tuple[tuple[int, ...], ...], after: tuple[tuple[int, ...], ...], measure: int
) -> int:
    """The L1 distance over all cells."""
    return sum(abs(a[measure] - b[measure]) for a, b in zip(before, after, strict=True))


@examples(15)
@given(rows=_ROWS, extra=st.tuples(_CELLS, _CELLS))
def test_one_row_added_or_removed(rows: list[tuple[str, str]], extra: tuple[str, str]) -> None:
    """D1: counts move by at most 1, sums of codes by at most the largest code."""
    before, after = _answer(rows), _answer([*rows, extra])
    assert _moved(before, after, 0) <= 1
    assert _moved(before, after, 1) <= 1
    assert _moved(before, after, 2) <= TOP


@examples(15)
@given(rows=_ROWS, other=st.tuples(_CELLS, _CELLS))
def test_one_row_changed(rows: list[tuple[str, str]], other: tuple[str, str]) -> None:
    """D1: at most twice that, since a row may leave one cell and enter another."""
    before, after = _answer(rows), _answer([*rows[1:], other])
    assert _moved(before, after, 0) <= 2
    assert _moved(before, after, 1) <= 2
    assert _moved(before, after, 2) <= 2 * TOP
