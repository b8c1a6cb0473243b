"""M60: columns of a public table are put beside each row by its key.

What could leak: a row that changes may change only its own joined columns, else one person would
move an answer by more than the declared sensitivity; a key that stands twice in the public table
would make two rows of one; the number of rows that found their key would be a number about people.
The owner would learn the last, and every analyst the first, from answers.
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.request import Join, UnitNames
from dpgov.privacy.plan.schema import ColumnSpec, MissingRule
from tests.examples import examples
from tests.unit.engines.tables import (
    category,
    ingest_here,
    number,
    stored_codes,
    write_csv,
    write_parquet,
)

NAMES = ["id", "town", "v"]
PUBLIC = [("Basel", "north", "7"), ("Bern", "middle", "3"), (" Chur ", "", "9")]
COLUMNS = (number("v", "0", "9"), category("part", "north", "middle"), number("rate", "0", "20"))
Row = tuple[str, str, str]


def _public(folder: Path, rows: Sequence[Sequence[object]] = PUBLIC) -> Join:
    source = write_csv(folder / "public.csv", ["place", "part", "rate"], rows)
    return Join(str(source), {}, "town", "place", ("part", "rate"))


def _stored(
    folder: Path, rows: Sequence[Row], join: Join, unit: UnitNames | None = None
) -> list[tuple[int | None, ...]]:
    source = write_csv(folder / "own.csv", NAMES, rows)
    ingest_here(source, COLUMNS, join=join, unit=unit)
    return stored_codes(source)


def test_each_row_gets_what_stands_beside_its_key(tmp_path: Path) -> None:
    """Spaces at the ends aside; a key that is not there, and an empty one, get missing values."""
    rows = [("1", "Basel", "1"), ("2", " Chur", "2"), ("3", "Rome", "3"), ("4", "", "4")]
    found = _stored(tmp_path, rows, _public(tmp_path))
    assert found == [(1, 0, 7), (2, None, 9), (3, None, None), (4, None, None)]


def test_a_row_joined_depends_on_that_row_and_the_public_table_alone(tmp_path: Path) -> None:
    """M60: brute force over all tables of up to three rows: a table is stored row by row."""
    join = _public(tmp_path)
    rows = [("1", town, "5") for town in ("Basel", "Rome", "")]
    alone = {row: _stored(tmp_path, [row], join)[0] for row in rows}
    tables = [t for size in (1, 2, 3) for t in itertools.product(rows, repeat=size)]
    assert len(tables) == 39
    for table in tables:
        assert _stored(tmp_path, table, join) == [alone[row] for row in table]


_PEOPLE = st.lists(
    st.tuples(
        st.sampled_from("abc"), st.sampled_from(["Basel", "Bern", "Rome"]), st.sampled_from("129")
    ),
    min_size=1,
    max_size=7,
)


@examples(20)
@given(rows=_PEOPLE, who=st.sampled_from("abc"))
def test_a_person_moves_their_own_rows_alone(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], who: str
) -> None:
    """M60: with the rows of one person gone, what is kept of everybody else stays as it was."""
    folder = tmp_path_factory.mktemp("join")
    join, unit = _public(folder), UnitNames("id")
    rest = [row for row in rows if row[0] != who]
    if not rest:
        rest = [("z", "Bern", "1")]
        rows = [*rows, *rest]
    kept = [_kept(_stored(folder, table, join, unit)) for table in (rows, rest)]
    gone = kept[0] - kept[1]
    assert not kept[1] - kept[0]
    assert gone.total() == sum(row[0] == who for row in rows)


def _kept(stored: list[tuple[int | None, ...]]) -> Counter[tuple[int | None, ...]]:
    """Without the number of the unit, which means nothing."""
    return Counter((*codes[:3], *codes[4:]) for codes in stored)


def test_the_same_people_are_recognised_whatever_is_joined(tmp_path: Path) -> None:
    """M61: another public table opens no second budget for the people of the same file."""
    source = write_csv(tmp_path / "own.csv", NAMES, [("1", "Basel", "1"), ("2", "Bern", "2")])
    plain = ingest_here(source, COLUMNS[:1]).fingerprint
    one = ingest_here(source, COLUMNS, join=_public(tmp_path)).fingerprint
    other = _public(tmp_path, [("Basel", "x", "1"), ("Bern", "y", "2")])
    two = ingest_here(source, COLUMNS, join=other).fingerprint
    assert plain.whole == one.whole == two.whole
    assert plain.rows.digest == one.rows.digest == two.rows.digest
    assert len(plain.columns) == len(one.columns) == 3


def test_a_key_that_comes_twice_is_refused_and_named(tmp_path: Path) -> None:
    """M60: it would make two rows of one. The public table is public, so its key may be said."""
    join = _public(tmp_path, [*PUBLIC, ("Basel ", "south", "1")])
    with pytest.raises(Refused, match="“Basel” stands there more than once") as refusal:
        _stored(tmp_path, [("1", "Rome", "1")], join)
    assert refusal.value.field == "public_key"


@pytest.mark.parametrize(
    ("key", "public_key", "columns", "field", "words"),
    [
        ("nowhere", "place", ("part",), "key", "no column “nowhere”"),
        ("town", "nowhere", ("part",), "public_key", "public table has no column “nowhere”"),
        ("town", "place", ("nothing",), "columns", "public table has no column “nothing”"),
        ("town", "part", ("rate",), "public_key", "“part” stands|is empty|more than once"),
    ],
)
def test_a_join_that_cannot_be_made_says_where(
    tmp_path: Path, key: str, public_key: str, columns: tuple[str, ...], field: str, words: str
) -> None:
    """Bad input: the error is at the input that is wrong."""
    public = _public(tmp_path, [("Basel", "x", "1"), ("Bern", "x", "2")])
    join = Join(public.path, {}, key, public_key, columns)
    with pytest.raises(Refused, match=words) as refusal:
        _stored(tmp_path, [("1", "Basel", "1")], join)
    assert refusal.value.field == field


def test_a_column_of_both_is_refused(tmp_path: Path) -> None:
    """Nobody could say which of the two is meant."""
    source = write_csv(tmp_path / "public.csv", ["place", "v"], [("Basel", "1")])
    with pytest.raises(Refused, match="column “v” of its own"):
        _stored(tmp_path, [("1", "Basel", "1")], Join(str(source), {}, "town", "place", ("v",)))


def test_a_public_table_without_keys_is_refused(tmp_path: Path) -> None:
    """Every joined column would be missing throughout."""
    with pytest.raises(Refused, match="empty in the public table"):
        _stored(tmp_path, [("1", "Basel", "1")], _public(tmp_path, [("", "x", "1")]))


def test_a_parquet_table_joins_a_csv_file(tmp_path: Path) -> None:
    """M60: keys are compared as texts, whatever type they have; texts may be dictionaries there."""
    columns = {
        "place": pa.array([10, 20]),
        "part": pa.array(["north", "middle"]).dictionary_encode(),
        "rate": pa.array([1.5, None]),
    }
    source = write_parquet(tmp_path / "public.parquet", columns)
    join = Join(str(source), {}, "town", "place", ("part", "rate"))
    found = _stored(tmp_path, [("1", "20", "1"), ("2", "10", "2")], join)
    assert found == [(1, 1, None), (2, 0, 2)]


def test_each_table_has_its_own_decimal_mark(tmp_path: Path) -> None:
    """A public table with decimal commas beside a file with points."""
    source = write_csv(tmp_path / "public.csv", ["place", "rate"], [("Basel", "1,5")])
    join = Join(str(source), {"decimal": ","}, "town", "place", ("rate",))
    own = write_csv(tmp_path / "own.csv", NAMES, [("1", "Basel", "2.5")])
    ingest_here(own, (number("v", "0", "9", "0.5"), number("rate", "0", "9", "0.5")), join=join)
    assert stored_codes(own) == [(5, 3)]


def test_a_joined_column_that_is_never_missing_refuses_a_row_without_its_key(
    tmp_path: Path,
) -> None:
    """The owner declared it; they read that some cells are missing, and never how many."""
    spec = ColumnSpec("rate", COLUMNS[2].domain, MissingRule.REQUIRE)
    source = write_csv(tmp_path / "own.csv", NAMES, [("1", "Basel", "1"), ("2", "Rome", "1")])
    with pytest.raises(Refused, match="some of its cells are empty") as refusal:
        ingest_here(source, (spec,), join=_public(tmp_path))
    assert not any(char.isdigit() for char in str(refusal.value))
