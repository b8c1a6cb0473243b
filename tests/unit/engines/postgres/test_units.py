"""D6: what is kept of a person in an owner's server depends on that person's rows alone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest

from dpgov.engines.base import EngineFailure
from dpgov.engines.dialect import POSTGRES
from dpgov.engines.live import row_words, tops_of
from dpgov.engines.postgres import rows, server
from dpgov.engines.postgres.checking import checked
from dpgov.engines.postgres.server import opened
from dpgov.engines.scan import compile_scan
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
from tests.unit.engines.postgres.owner import Owner
from tests.unit.engines.tables import category, number

ROWS, UNITS = Measure(MeasureKind.ROWS), Measure(MeasureKind.UNITS)
SUM = Measure(MeasureKind.CODE_SUM, 0)
COLUMNS = (number("v", "0", "20"), category("town", "a", "b", "c"))
UNIT = PrivacyUnit("id", 3)
BY_TOWN = CodeGrouping(1, ((0, 0), (1, 1), (2, 2)))
BY_SIZE = CodeGrouping(ROWS_OF_UNIT, ((1, 3), (4, 9)))
OVER_5 = CodeFilter(0, ((5, 20),), missing_passes=True)
BOUNDS = [
    UnitBounds(rows, groups, 1, each)
    for rows, groups, each in product((1, 3), (None, 1, 2), (None, 1))
]
PEOPLE = {"p": 1, "q": 3, "r": 4, "s": 30}
TABLE = [
    (person, (7 * at + len(person)) % 23, "abcx"[(at + size) % 4])
    for person, size in PEOPLE.items()
    for at in range(size)
]
TYPES = {"id": "text", "v": "integer", "town": "text"}


def _requests(bounds: UnitBounds) -> list[ExactRequest]:
    return [
        ExactRequest((OVER_5,), (BY_TOWN,), (ROWS, UNITS, SUM), bounds),
        ExactRequest((), (BY_TOWN, BY_SIZE), (ROWS, SUM), bounds),
        # Rows of which nothing is read are counted by their units.
        ExactRequest((), (BY_SIZE,), (ROWS, UNITS), bounds),
        ExactRequest((), (), (ROWS,), UnitBounds(bounds.max_rows)),
    ]


def _of(
    owner: Owner, table: Sequence[tuple[str | None, int, str]], request: ExactRequest
) -> ExactAnswer:
    owner.has("people", TYPES, table)
    return owner.engine("people", COLUMNS, UNIT).answer(request)


@pytest.mark.parametrize("bounds", BOUNDS)
def test_an_answer_is_the_sum_of_what_each_person_alone_would_add(
    owner: Owner, bounds: UnitBounds
) -> None:
    """D6: so no other person decides which rows are kept, and neither does where they lie."""
    request = _requests(bounds)[0]
    whole = _of(owner, TABLE, request)
    assert _of(owner, TABLE[::-1], request) == whole
    alone = [_of(owner, [row for row in TABLE if row[0] == one], request) for one in PEOPLE]
    added = [
        [sum(numbers) for numbers in zip(*cells, strict=True)] for cells in zip(*alone, strict=True)
    ]
    assert added == [list(cell) for cell in whole]


@pytest.mark.parametrize("most", [1_000_000, 0])
def test_what_a_server_compiles_has_the_same_integers(
    owner: Owner, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """D6: and nothing is compiled that is too long for it, whatever the rows are."""
    requests = _requests(UnitBounds(3, 1, 1, 1))
    told = [_of(owner, TABLE, request) for request in requests]
    for setting in ("jit_above_cost", "jit_inline_above_cost", "jit_optimize_above_cost"):
        monkeypatch.setitem(server._SETTINGS, setting, 0)
    monkeypatch.setattr(server, "_LONGEST_COMPILED", most)
    assert [_of(owner, TABLE, request) for request in requests] == told
    with opened(owner.server, [owner.server.address], 30) as connection:
        before = connection.execute("SHOW jit").fetchall()
        server.compile_none_but_short(connection, "SELECT 1")
        assert connection.execute("SHOW jit").fetchall() == (before if most else [("off",)])


def test_rows_of_nobody_are_counted_nowhere(owner: Owner) -> None:
    """D6: nor is nobody a person with many rows, where rows and people are only counted."""
    nobody = [(one, 1, "a") for one in (None, "", " ", "NA", "\tnull ") for _ in range(3)]
    for request in _requests(UnitBounds(3)):
        assert _of(owner, [*nobody, *TABLE], request) == _of(owner, TABLE, request)


@pytest.mark.parametrize("table", [[], [(None, 1, "a")]], ids=["no rows", "rows of nobody"])
def test_a_table_of_nobody_counts_nobody(
    owner: Owner, table: list[tuple[str | None, int, str]]
) -> None:
    """D6: as noughts, and never as nothing at all."""
    for request in _requests(UnitBounds(3)):
        assert {number for cell in _of(owner, table, request) for number in cell} == {0}


def test_no_two_rows_have_one_word(owner: Owner) -> None:
    """D6: at every end of columns that fill one word and begin another, missing or not."""
    tops = (2**32 - 2, 2**31 - 2, 0, 2**53)
    columns = [number(f"n{place}", "0", str(top)) for place, top in enumerate(tops)]
    codes = [(None, *{0, spec.largest_code}) for spec in columns]
    owner.has("ends", {f"c{place}": "bigint" for place in range(4)}, list(product(*codes)))
    words = row_words(columns, range(4))
    assert len(words) == 2
    listed = ", ".join(words)
    found = owner.admin.execute(f"SELECT DISTINCT {listed} FROM ends").fetchall()
    assert len(found) == 3 * 3 * 2 * 3
    assert row_words(columns[:1], [0]) == ["(CAST(coalesce(c0, -1) + 1 AS bigint))"]


def test_rows_of_one_hash_are_kept_by_what_they_hold(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D6: whoever finds two rows of one hash does not see by them where the others' rows lie."""
    monkeypatch.setattr(rows, "_HASH_OF_WORD", "{key}")
    request = _requests(UnitBounds(3))[0]
    assert _of(owner, TABLE[::-1], request) == _of(owner, TABLE, request)


@pytest.mark.parametrize("bounds", BOUNDS)
def test_bounds_are_those_of_the_reference(owner: Owner, bounds: UnitBounds) -> None:
    """D6: of the rows as this server orders them, those are kept that the rule keeps."""
    owner.has("people", TYPES, TABLE)
    source = owner.source("people", COLUMNS, UNIT)
    every_row = sum(PEOPLE.values())
    marks = replace(bounds, max_rows=every_row, max_groups=1, groupings=0)
    by_size = (CodeGrouping(ROWS_OF_UNIT, ()),)
    request = replace(every_code(len(COLUMNS)), groupings=by_size, bounds=marks)
    scan = compile_scan(request, tops_of(COLUMNS), POSTGRES)
    with opened(owner.server, [owner.server.address], 30) as connection:
        select = rows.data_sql(source, checked(connection, source), scan)
        engine = owner.engine("people", COLUMNS, UNIT)
        found = connection.execute(
            f"SELECT c0, c1, u, k, r, n FROM ({select}) AS made", (engine.order_key,)
        ).fetchall()
    table = [Owned(row[:2], row[2], row[3], row[4], row[5]) for row in found]
    assert len(table) == every_row
    for asked in _requests(bounds):
        assert engine.answer(asked) == exact_answer(table, asked)


def test_a_person_with_ten_thousand_rows_adds_no_more_than_declared(owner: Owner) -> None:
    """D6: in every measure, whatever the rows hold."""
    owner.has("people", TYPES, TABLE)
    owner.does("INSERT INTO people SELECT 'z', 20, 'a' FROM generate_series(1, 10000)")
    engine = owner.engine("people", COLUMNS, UNIT)
    request = ExactRequest((), (BY_TOWN,), (ROWS, UNITS, SUM), UnitBounds(3))
    before = _of(owner, TABLE, request)
    owner.does("INSERT INTO people SELECT 'z', 20, 'a' FROM generate_series(1, 10000)")
    after = engine.answer(request)
    assert [a - b for a, b in zip(after[0], before[0], strict=True)] == [3, 1, 3 * 20]
    assert [list(cell) for cell in after[1:]] == [list(cell) for cell in before[1:]]


def test_each_row_of_a_person_is_kept_about_equally_often(owner: Owner) -> None:
    """D6: neither the first row that lies there nor the least code is preferred."""
    owner.has("people", {"id": "integer", "v": "integer"})
    owner.does(
        "INSERT INTO people SELECT id, v FROM generate_series(1, 600) id, generate_series(0, 3) v"
    )
    engine = owner.engine("people", COLUMNS[:1], PrivacyUnit("id", 1))
    by_code = CodeGrouping(0, tuple((code, code) for code in range(4)))
    counts = engine.answer(ExactRequest((), (by_code,), (ROWS,), UnitBounds(1)))
    kept = Counter({code: cell[0] for code, cell in enumerate(counts[:4])})
    assert sum(kept.values()) == 600
    assert all(100 < number < 200 for number in kept.values())


@pytest.mark.parametrize(
    ("unit", "bounds"),
    [(UNIT, None), (UNIT, UnitBounds(4)), (PrivacyUnit(), UnitBounds(1))],
)
def test_no_request_reaches_rows_beyond_what_was_declared(
    owner: Owner, unit: PrivacyUnit, bounds: UnitBounds | None
) -> None:
    """D6: without bounds, or with wider ones, or for units that nobody declared: no answer."""
    owner.has("people", TYPES, TABLE)
    engine = owner.engine("people", COLUMNS, unit)
    with pytest.raises(EngineFailure):
        engine.answer(ExactRequest((), (), (ROWS,), bounds))
