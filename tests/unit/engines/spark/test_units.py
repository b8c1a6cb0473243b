"""D6: what is kept of a person in an owner's files depends on that person's rows alone."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pyarrow as pa
import pytest

from dpgov.engines.base import EngineFailure
from dpgov.engines.dialect import SPARK
from dpgov.engines.live import tops_of
from dpgov.engines.scan import compile_scan
from dpgov.engines.spark import rows
from dpgov.engines.spark.checking import checked
from dpgov.engines.spark.server import opened
from dpgov.privacy.plan.bins import ROWS_OF_UNIT, CodeGrouping
from dpgov.privacy.plan.request import (
    CodeFilter,
    ExactAnswer,
    ExactRequest,
    Measure,
    MeasureKind,
    UnitBounds,
)
from dpgov.privacy.plan.schema import PrivacyUnit
from tests.reference import Owned, exact_answer
from tests.unit.engines.cases.hostile_cells import every_code
from tests.unit.engines.spark.owner import Owner
from tests.unit.engines.tables import category, number

pytestmark = pytest.mark.spark

ROWS, UNITS = Measure(MeasureKind.ROWS), Measure(MeasureKind.UNITS)
SUM = Measure(MeasureKind.CODE_SUM, 0)
COLUMNS = (number("v", "0", "20"), category("town", "a", "b", "c"))
UNIT = PrivacyUnit("id", 3)
BY_TOWN = CodeGrouping(1, ((0, 0), (1, 1), (2, 2)))
BY_SIZE = CodeGrouping(ROWS_OF_UNIT, ((1, 3), (4, 9)))
OVER_5 = CodeFilter(0, ((5, 20),), missing_passes=True)
BOUNDS = [UnitBounds(3, groups, 1, each) for groups, each in product((None, 2), (None, 1))]
PEOPLE = {"p": 1, "q r": 3, 'r"\\': 4, "s(,)": 30, "\u00e9": 6}
Row = tuple[str, int, str]
TABLE: list[Row] = [
    (person, (7 * at + len(person)) % 23, "abcx"[(at + size) % 4])
    for person, size in PEOPLE.items()
    for at in range(size)
]


def _requests(bounds: UnitBounds) -> list[ExactRequest]:
    return [
        ExactRequest((OVER_5,), (BY_TOWN,), (ROWS, UNITS, SUM), bounds),
        ExactRequest((), (BY_TOWN, BY_SIZE), (ROWS, SUM), bounds),
        # Rows of which nothing is read are counted by their units.
        ExactRequest((), (BY_SIZE,), (ROWS, UNITS), bounds),
        ExactRequest((), (), (ROWS,), UnitBounds(bounds.max_rows)),
    ]


def _has(owner: Owner, table: Sequence[Row], *, files: int = 1) -> None:
    """The rows, one after the other into so many files."""
    for at in range(files):
        ids, values, towns = zip(*table[at::files], strict=True)
        arrays = {"id": pa.array(ids), "v": pa.array(values), "town": pa.array(towns)}
        owner.has(f"people/{at}.parquet", arrays)
    for path in (owner.folder / "people").iterdir():
        if int(path.stem) >= files:
            path.unlink()


def _of(
    owner: Owner, table: Sequence[Row], request: ExactRequest, *, files: int = 1
) -> ExactAnswer:
    _has(owner, table, files=files)
    return owner.engine("people", COLUMNS, UNIT).answer(request)


@pytest.mark.parametrize("bounds", [UnitBounds(3), UnitBounds(3, 2, 1, 1)])
def test_an_answer_is_the_sum_of_what_each_person_alone_would_add(
    owner: Owner, bounds: UnitBounds
) -> None:
    """D6: so no other person decides which rows are kept, and neither does where they lie."""
    request = _requests(bounds)[0]
    whole = _of(owner, TABLE, request)
    assert _of(owner, TABLE[::-1], request, files=3) == whole
    alone = [_of(owner, [row for row in TABLE if row[0] == one], request) for one in PEOPLE]
    added = [
        [sum(numbers) for numbers in zip(*cells, strict=True)] for cells in zip(*alone, strict=True)
    ]
    assert added == [list(cell) for cell in whole]


def test_rows_of_one_hash_are_kept_by_what_they_hold(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D6: whoever finds two rows of one hash does not see by them where the others' rows lie."""
    monkeypatch.setattr(rows, "_HASH_OF_ROW", "{unit}")
    request = _requests(UnitBounds(3))[0]
    assert _of(owner, TABLE[::-1], request, files=3) == _of(owner, TABLE, request)


def test_two_people_who_differ_in_bytes_that_are_no_text_are_two(owner: Owner) -> None:
    """D6: a file may claim that its bytes are texts; put right, both would be one."""
    ids = [b"M\xfcller", b"M\xf6ller", b"M\xf6ller"]
    buffers = pa.array(ids, pa.binary()).buffers()
    texts = pa.Array.from_buffers(pa.string(), len(ids), buffers)
    owner.has("named.parquet", {"id": texts, "v": pa.array([1, 2, 3])})
    request = ExactRequest((), (), (ROWS, UNITS), UnitBounds(1))
    engine = owner.engine("named.parquet", COLUMNS[:1], PrivacyUnit("id", 1))
    assert engine.answer(request) == ((2, 2),)


@pytest.mark.parametrize("bounds", BOUNDS)
def test_bounds_are_those_of_the_reference(owner: Owner, bounds: UnitBounds) -> None:
    """D6: of the rows as they are ordered here, those are kept that the rule keeps."""
    _has(owner, TABLE, files=2)
    engine, source = owner.engine("people", COLUMNS, UNIT), owner.source("people", COLUMNS, UNIT)
    marks = replace(bounds, max_groups=1, groupings=0)
    by_size = (CodeGrouping(ROWS_OF_UNIT, ()),)
    request = replace(every_code(len(COLUMNS)), groupings=by_size, bounds=marks)
    scan = compile_scan(request, tops_of(COLUMNS), SPARK)
    with opened(owner.server, owner.allowed, source.path, 60) as session:
        select = rows.data_sql(source, checked(session, source), scan)
        asked = f"SELECT c0, c1, u, k, r, n FROM ({select})"
        found = session.rows(asked, key=engine.order_key)
    table = [Owned(row[:2], row[2], row[3], row[4], row[5]) for row in found]
    assert len(table) == sum(PEOPLE.values())
    for question in _requests(bounds):
        assert engine.answer(question) == exact_answer(table, question)


def test_a_person_with_ten_thousand_rows_adds_no_more_than_declared(owner: Owner) -> None:
    """D6: in every measure, whatever the rows hold."""
    request = ExactRequest((), (BY_TOWN,), (ROWS, UNITS, SUM), UnitBounds(3))
    before = _of(owner, TABLE, request)
    after = _of(owner, [*TABLE, *[("z", 20, "a")] * 10_000], request, files=2)
    assert [a - b for a, b in zip(after[0], before[0], strict=True)] == [3, 1, 3 * 20]
    assert after[1:] == before[1:]


@pytest.mark.parametrize(
    ("unit", "bounds"),
    [(UNIT, None), (UNIT, UnitBounds(4)), (PrivacyUnit(), UnitBounds(1))],
)
def test_no_request_reaches_rows_beyond_what_was_declared(
    owner: Owner, unit: PrivacyUnit, bounds: UnitBounds | None
) -> None:
    """D6: without bounds, or with wider ones, or for units that nobody declared: no answer."""
    _has(owner, TABLE)
    engine = owner.engine("people", COLUMNS, unit)
    with pytest.raises(EngineFailure):
        engine.answer(ExactRequest((), (), (ROWS,), bounds))
