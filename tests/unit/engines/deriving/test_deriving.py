"""M62: a derived file holds rows of two files, put together by the unit that both name.

What could leak: one person, whose rows change in both files at once, moves rows of somebody else,
or more rows of their own than the m that every sensitivity counts with. Analysts would learn it
from answers whose noise was made for m rows. Shown by brute force over neighbouring pairs.
"""

import itertools
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pytest

from dpgov.engines import child
from dpgov.engines.deriving import Parent, derive, most_rows, most_rows_within
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.request import UnitNames
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind, UnitBounds
from tests.reference import Owned
from tests.unit.engines.tables import ingest_here, number, write_csv, write_owned

MEMORY = 500_000_000
# Of a person: how many rows the first and the second file have of them.
SIZES = [(a, b) for a in range(3) for b in range(3)]
# Of a wide column.
_CODES = 30_000_000_000
Found = Counter[tuple[int, ...]]


def _rows(person: int, many: int, sign: int) -> list[Owned]:
    """Rows of a person, told apart by their code; the key is what both files share."""
    codes = [100 * person + 10 * sign + place for place in range(many)]
    return [Owned((code,), person, 1000 - person, r, many) for r, code in enumerate(codes)]


def _parent(path: Path, rows: Sequence[Owned], limit: int) -> Parent:
    path.unlink(missing_ok=True)
    return Parent(str(write_owned(path, ["USMALLINT"], rows)), limit, (0,))


def _derived(
    folder: Path, people: dict[int, tuple[int, int]], *, m1: int, m2: int, m: int
) -> tuple[Found, Path]:
    """Its rows, without the number of the unit, which means nothing; and where they are."""
    one = [row for who, (many, _) in people.items() for row in _rows(who, many, 1)]
    two = [row for who, (_, many) in people.items() for row in _rows(who, many, 2)]
    target = folder / "derived.duckdb"
    target.unlink(missing_ok=True)
    first, second = _parent(folder / "a.duckdb", one, m1), _parent(folder / "b.duckdb", two, m2)
    derive(first, second, target, rows_of_unit=m, memory_bytes=MEMORY)
    with duckdb.connect(str(target), read_only=True) as connection:
        rows = connection.execute("SELECT c0, c1, k, r, n FROM data").fetchall()
    return Counter(rows), target


@pytest.mark.parametrize(("m1", "m2", "m"), [(1, 1, 1), (2, 1, 2), (2, 2, 3), (2, 2, 1)])
def test_a_person_who_changes_in_both_files_moves_at_most_m_rows_of_their_own(
    tmp_path: Path, m1: int, m2: int, m: int
) -> None:
    """M62: brute force: nobody else beside two others, with every number of rows in each file."""
    others = {1: (2, 2), 2: (1, 2)}
    rest, _ = _derived(tmp_path, others, m1=m1, m2=m2, m=m)
    for sizes in SIZES:
        whole, _ = _derived(tmp_path, others | {3: sizes}, m1=m1, m2=m2, m=m)
        assert not rest - whole
        added = whole - rest
        assert {key for _, _, key, *_ in added} <= {997}
        pairs = min(sizes[0], m1) * min(sizes[1], m2)
        assert added.total() == min(pairs, m)


def test_the_first_rows_of_both_are_kept_and_numbered(tmp_path: Path) -> None:
    """By the later place of the two: a third row is used after every pair of the first two."""
    found, _ = _derived(tmp_path, {1: (3, 3)}, m1=3, m2=3, m=5)
    kept = sorted((r, a, b) for a, b, _, r, _ in found)
    assert kept == [(0, 110, 120), (1, 110, 121), (2, 111, 120), (3, 111, 121), (4, 110, 122)]
    assert {n for *_, n in found} == {5}


@pytest.mark.parametrize("m", [1, 2, 7, 12, 40, 3000])
def test_places_are_those_of_all_pairs_in_their_order(tmp_path: Path, m: int) -> None:
    """M62: whichever file has more rows of a person, and however many are kept."""
    people = {1: (1, 9), 2: (9, 1), 3: (3, 5), 4: (6, 2), 5: (4, 4), 6: (1, 1), 7: (60, 50)}
    found, _ = _derived(tmp_path, people, m1=55, m2=50, m=m)
    for who, (many, others) in people.items():
        pairs = itertools.product(range(min(many, 55)), range(others))
        kept = sorted(pairs, key=lambda pair: (max(pair), *pair))[:m]
        codes = [(100 * who + 10 + a, 100 * who + 20 + b) for a, b in kept]
        assert {(a, b, place) for a, b, k, place, _ in found if k == 1000 - who} == {
            (*pair, place) for place, pair in enumerate(codes)
        }


def test_no_pair_is_made_that_is_not_kept(tmp_path: Path) -> None:
    """M65: 100,000 rows here of somebody who has 1,000 there cost what nobody's do.

    Whether that could be made, and when, would say that a guessed person is in another's data.
    """
    first = _table(tmp_path / "a.duckdb", 1000, columns=1)
    second = _table(tmp_path / "b.duckdb", 100_000, columns=1)
    target = tmp_path / "derived.duckdb"
    tracemalloc.start()
    derive(first, second, target, rows_of_unit=3, memory_bytes=256_000_000)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # All pairs would be a hundred million.
    assert most < 20_000_000
    with duckdb.connect(str(target), read_only=True) as connection:
        assert connection.execute("SELECT c0, c1, r FROM data ORDER BY r").fetchall() == [
            (0, 0, 0),
            (0, 1, 1),
            (1, 0, 2),
        ]


@pytest.mark.parametrize("shape", ["one person, wide", "one person, narrow", "many people"])
def test_what_the_declared_numbers_allow_is_made_whoever_is_in_both(
    tmp_path: Path, shape: str
) -> None:
    """M65: with no more memory than they ask for, be it one person's rows or those of many.

    Else whether a derivation fails would say, for nothing, that a guessed person is in both.
    """
    many, columns, people = 60_000, 500, shape == "many people"
    here = {"one person, wide": 499, "one person, narrow": 1, "many people": 250}[shape]
    first = _table(tmp_path / "a.duckdb", many, columns=here, people=people)
    others = many if people else 1
    second = _table(tmp_path / "b.duckdb", others, columns=columns - here, people=people)
    at_most = many + others + most_rows(first, second, (many, others), many)
    enough = next(m for m in range(0, 2**31, 10**6) if most_rows_within(m, columns) >= at_most)
    child.derive(
        first,
        second,
        tmp_path / "c.duckdb",
        columns=[number(f"x{place}", "0", str(_CODES)) for place in range(columns)],
        rows_of_unit=first.rows_of_unit,
        max_rows=many,
        rows_at_most=at_most,
        limits=child.Limits(enough, 1000),
    )
    with duckdb.connect(str(tmp_path / "c.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM data").fetchall() == [(many,)]


def test_codes_keep_their_types_and_what_is_missing_stays_missing(tmp_path: Path) -> None:
    """Of a column all of whose codes are missing, too."""
    kinds = ["UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"]
    largest = [2**8 - 1, 2**16 - 1, 2**32 - 1, 2**64 - 1]
    for name in "ab":
        codes = ", ".join(
            f"CASE WHEN range < {place} THEN {top}::{kind} END AS c{place}"
            for place, (kind, top) in enumerate(zip(kinds, largest, strict=True))
        )
        with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as connection:
            connection.execute(
                f"CREATE TABLE data AS SELECT {codes}, 0::UINTEGER AS u, range::UBIGINT AS k, "
                "0::UINTEGER AS r, 1::USMALLINT AS n FROM range(3)"
            )
            if name == "b":
                connection.execute("UPDATE data SET k = k + 1")
    first, second = (Parent(str(tmp_path / f"{name}.duckdb"), 1, (3, 2, 1, 0)) for name in "ab")
    derive(first, second, tmp_path / "c.duckdb", rows_of_unit=1, memory_bytes=MEMORY)
    with duckdb.connect(str(tmp_path / "c.duckdb"), read_only=True) as connection:
        names = ", ".join(f"c{place}" for place in range(8))
        found = connection.execute(f"SELECT {names} FROM data ORDER BY k").fetchall()
        types = connection.execute("SELECT typeof(COLUMNS('c.')) FROM data LIMIT 1").fetchall()
    eight, four, two, _ = reversed(largest)
    assert found == [
        (eight, four, None, None, eight, four, two, None),
        (eight, None, None, None, eight, four, None, None),
    ]
    assert types == [(*reversed(kinds), *reversed(kinds))]


def _table(path: Path, rows: int, *, columns: int, people: bool = False) -> Parent:
    """So many rows of one person, or one row each of as many, in which hardly any cell recurs."""
    codes = [f"(hash(range + {at}) % {_CODES})::UBIGINT AS c{at}" for at in range(1, columns)]
    k, r = ("range", "0") if people else ("7", "range")
    marks = f"1::UINTEGER AS u, {k}::UBIGINT AS k, {r}::UINTEGER AS r, 1::USMALLINT AS n"
    selected = ", ".join(["range::UINTEGER AS c0", *codes, marks])
    with duckdb.connect(str(path), config={"threads": 1}) as connection:
        connection.execute(f"CREATE TABLE data AS SELECT {selected} FROM range({rows})")
    return Parent(str(path), 1 if people else rows, tuple(range(columns)))


def test_whoever_is_in_one_file_only_is_not_there(tmp_path: Path) -> None:
    """M62: nothing says how many they are: no row, no missing value."""
    found, _ = _derived(tmp_path, {1: (2, 0), 2: (0, 2)}, m1=2, m2=2, m=4)
    assert not found


def test_the_order_of_rows_in_the_files_is_no_matter(tmp_path: Path) -> None:
    """Only a row's place among those of its unit is."""
    people = {1: (2, 2), 2: (1, 2), 3: (2, 1)}
    orders = [dict(order) for order in itertools.permutations(people.items())]
    found = [_derived(tmp_path, order, m1=2, m2=2, m=3)[0] for order in orders]
    assert all(each == found[0] for each in found)


def test_the_engine_answers_from_it_like_from_any_file_of_units(tmp_path: Path) -> None:
    """Rows and units of the derived file, under the limit m of a unit."""
    _, target = _derived(tmp_path, {1: (2, 2), 2: (1, 2), 3: (1, 0)}, m1=2, m2=2, m=3)
    measures = (Measure(MeasureKind.ROWS), Measure(MeasureKind.UNITS))
    request = ExactRequest((), (), measures, UnitBounds(3))
    assert DuckDBEngine(target, seconds=30).answer(request) == ((5, 2),)


def test_files_that_were_read_apart_are_matched_by_the_person(tmp_path: Path) -> None:
    """M62: by the keyed hashes of ids in two CSV files; files of another key match nobody."""
    visits = write_csv(tmp_path / "v.csv", ["id", "days"], [("p1", 3), ("p2", 4), ("p1", 5)])
    costs = write_csv(tmp_path / "c.csv", ["who", "paid"], [(" p2 ", 40), ("p1", 30), ("p9", 1)])
    ingest_here(visits, (number("days", "0", "9"),), unit=UnitNames("id"))
    ingest_here(costs, (number("paid", "0", "90"),), unit=UnitNames("who"))
    first, second = (Parent(str(p.with_suffix(".duckdb")), 2, (0,)) for p in (visits, costs))
    derive(first, second, tmp_path / "d.duckdb", rows_of_unit=2, memory_bytes=MEMORY)
    with duckdb.connect(str(tmp_path / "d.duckdb"), read_only=True) as connection:
        rows = connection.execute("SELECT c0, c1 FROM data ORDER BY 1").fetchall()
    assert rows == [(3, 30), (4, 40), (5, 30)]
    ingest_here(costs, (number("paid", "0", "90"),), unit=UnitNames("who"), key=b"x" * 32)
    derive(first, second, tmp_path / "e.duckdb", rows_of_unit=2, memory_bytes=MEMORY)
    with duckdb.connect(str(tmp_path / "e.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM data").fetchall() == [(0,)]


def test_the_bound_on_its_rows_is_public_and_holds(tmp_path: Path) -> None:
    """From declared numbers alone: no file is ever too large by what is in it."""
    for m1, m2, m in itertools.product((1, 2), (1, 2), (1, 3)):
        found, _ = _derived(tmp_path, {1: (2, 2), 2: (2, 1)}, m1=m1, m2=m2, m=m)
        first, second = Parent("", m1, ()), Parent("", m2, ())
        assert found.total() <= most_rows(first, second, (4, 3), m)
    assert most_rows(Parent("", 2, ()), Parent("", 5, ()), (100, 1000), 3) == 300
