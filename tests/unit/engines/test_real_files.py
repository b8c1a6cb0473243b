"""I7: files as people have them arrive as the same table, however they are written."""

import gzip
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from dpgov.engines import child
from dpgov.engines.child import Inspection, Limits, RefusedFile
from dpgov.engines.ingest.checking import word
from dpgov.privacy.plan.schema import ColumnSpec, MissingRule
from tests.unit.engines.hostile_files import parquet_of, save, zipped
from tests.unit.engines.tables import KEY, category, number
from tests.unit.engines.workbooks import workbook

pytestmark = pytest.mark.usefixtures("by_forks")

LIMITS = Limits(memory_bytes=300_000_000, seconds=60)
COLUMNS = (number("Dauer", "0", "2000", "0.01"), category("Straße", "Hof", "Weg"))
PLAIN = "Dauer,Straße\n31.11,Hof\n1234.5,Weg\n,Hof\n7,Allee\n"
GERMAN = "Dauer;Straße\n31,11;Hof\n1.234,5;Weg\n;Hof\n7;Allee\n"
CODES = [(3111, 0), (123450, 1), (None, 0), (700, 2)]
SHEET: list[list[Any]] = [
    ["Dauer", "Straße"],
    [31.11, "Hof"],
    [1234.5, "Weg"],
    [None, "Hof"],
    [7, "Allee"],
]
COMMA = {"decimal": ","}

FILES: dict[str, tuple[bytes, dict[str, Any], dict[str, Any]]] = {
    "plain": (PLAIN.encode(), {}, {"encoding": "utf-8", "delimiter": ","}),
    "a German export": (GERMAN.encode("cp1252"), COMMA, {"encoding": "cp1252", "delimiter": ";"}),
    "UTF-16": (GERMAN.encode("utf-16"), COMMA, {"encoding": "utf-16", "delimiter": ";"}),
    "gzip": (gzip.compress(PLAIN.encode()), {}, {"packed": "gzip", "encoding": "utf-8"}),
    "Latin-1 in zip": (
        zipped({"data/": b"", "data/a.csv": GERMAN.encode("latin-1"), "__MACOSX/a": b"x"}),
        COMMA,
        {"packed": "zip", "encoding": "cp1252"},
    ),
    "empty lines": (PLAIN.replace("\n", "\n\n").encode() + b"\n\n", {}, {"delimiter": ","}),
    "bars": (PLAIN.replace(",", "|").encode(), {}, {"delimiter": "|"}),
    "a workbook": (workbook({"Daten": SHEET}), {}, {"sheet": "Daten", "sheets": ["Daten"]}),
    "its second sheet": (
        workbook({"Erklärung": [["Nichts"]], "Daten": SHEET}),
        {"sheet": "Daten"},
        {"sheets": ["Erklärung", "Daten"]},
    ),
    "a workbook with commas": (
        workbook({"Daten": [*SHEET[:2], ["1.234,5", "Weg"], *SHEET[3:]]}),
        COMMA,
        {"sheet": "Daten"},
    ),
}


def taken(folder: Path, content: bytes, **wanted: Any) -> tuple[Path, Inspection]:
    source = save(folder, content)
    return source, child.inspect(source, limits=LIMITS, wanted=wanted)


def stored(
    source: Path, reading: dict[str, Any], columns: tuple[ColumnSpec, ...]
) -> tuple[list[tuple[Any, ...]], str]:
    """The codes as they are stored, and the fingerprint."""
    target = source.with_suffix(".duckdb")
    done = child.ingest(
        source, target, columns=columns, max_rows=1000, limits=LIMITS, key=KEY, reading=reading
    )
    with duckdb.connect(str(target), read_only=True) as connection:
        return connection.execute("SELECT * FROM data").fetchall(), done.fingerprint.whole


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of the table as everybody can read it."""
    source, found = taken(tmp_path_factory.mktemp("plain"), PLAIN.encode())
    return stored(source, found.reading, COLUMNS)[1]


@pytest.mark.parametrize(("content", "wanted", "says"), FILES.values(), ids=FILES)
def test_one_table_has_one_form_however_it_is_written(
    tmp_path: Path,
    plain: str,
    content: bytes,
    wanted: dict[str, Any],
    says: dict[str, Any],
) -> None:
    """I7, D4: the same integers are stored, and the people in it are recognised."""
    source, found = taken(tmp_path, content, **wanted)
    assert found.headers == ("Dauer", "Straße")
    assert found.reading | says == found.reading
    assert stored(source, found.reading, COLUMNS) == (CODES, plain)


def test_in_a_file_of_one_column_a_missing_value_is_written_in_quotes(tmp_path: Path) -> None:
    """I7: an empty line is no row, as in a file of several columns."""
    source, found = taken(tmp_path, b'Dauer\n31.11\n\n""\n7\n\n')
    assert stored(source, found.reading, COLUMNS[:1])[0] == [(3111,), (None,), (700,)]


def test_what_a_spreadsheet_shows_is_what_counts(tmp_path: Path) -> None:
    """D4: saved values of formulas, dates as ISO texts, errors as missing, blank rows as none."""
    rows: list[list[Any]] = [
        ["a", "b", "c"],
        [("[1]Elsewhere!A1*2", "4"), date(2024, 1, 31), True],
        [None, None, None],
        [("1/0", "#DIV/0!"), date(2023, 12, 1), False],
    ]
    source, found = taken(tmp_path, workbook({"s": rows}))
    columns = (number("a", "0", "9"), category("b", "2024-01-31"), number("c", "0", "1"))
    assert stored(source, found.reading, columns)[0] == [(4, 0, 1), (None, 1, 0)]


@pytest.mark.parametrize(
    "content", [b"42,Bonn\n43,Ulm\n", workbook({"s": [[42, "Bonn"], [43, "Ulm"]]})]
)
def test_a_file_without_names_is_recognised_and_its_first_row_is_a_row(
    tmp_path: Path, content: bytes
) -> None:
    """I7: names would be public; unless the owner says that they are names, they are values."""
    source, found = taken(tmp_path, content)
    assert found.headers == ("column_1", "column_2")
    assert found.reading["first_line_is_data"]
    assert not found.reading["header"]
    columns = (number("column_1", "0", "99"), category("column_2", "Ulm"))
    assert stored(source, found.reading, columns)[0] == [(42, 1), (43, 0)]
    assert child.inspect(source, limits=LIMITS, wanted={"header": True}).headers == ("42", "Bonn")


@pytest.mark.parametrize("line", ["Region,2019,2020", "a,b", "1st,2nd", "Alter (Jahre),Ort"])
def test_names_with_numbers_in_them_are_names(tmp_path: Path, line: str) -> None:
    _source, found = taken(tmp_path, f"{line}\n1,2,3\n".encode())
    assert found.headers == tuple(line.split(","))


def test_an_owner_can_say_that_plain_names_are_a_row(tmp_path: Path) -> None:
    source, found = taken(tmp_path, b"sun,rain\nrain,sun\n", header=False)
    columns = (category("column_1", "sun"), category("column_2", "sun"))
    assert stored(source, found.reading, columns)[0] == [(0, 1), (1, 0)]


def test_columns_of_lists_are_left_out_and_the_rest_is_taken(tmp_path: Path) -> None:
    """I7: also beside a flat column whose name looks like a part of a record."""
    table = pa.table(
        {"a": [[1], [2]], "n": [3, 4], "r": [{"x": 1}, {"x": 2}], "r.x": [5, 6], "b": [b"x", b"y"]}
    )
    source, found = taken(tmp_path, parquet_of(table))
    assert found.headers == ("n", "r.x")
    assert found.reading == {"left_out": ["a", "r", "b"]}
    columns = (number("r.x", "0", "9"), number("n", "0", "9"))
    assert stored(source, found.reading, columns)[0] == [(5, 3), (6, 4)]


WITH_A_COMMA = {
    "1,5": 15, "-,5": -5, "+7": 70, "1.234,5": 12345, "12.345.678": 123456780, "1,5e1": 150,
    "1.5": None, "1.23,4": None, "1,2,3": None, "1.234.5": None, ",": None, ".": None, "x": None,
    "0,25": 2, "Inf": 10**9,
}  # fmt: skip


def test_a_decimal_comma_is_read_from_the_text_itself(tmp_path: Path) -> None:
    """D4: a point parts thousands or makes the cell no number; nothing is half understood."""
    rows = "".join(f'"{cell}"\n' for cell in WITH_A_COMMA)
    columns = (number("n", "-100000000", "100000000", "0.1"),)
    source = save(tmp_path, f"n\n{rows}".encode())
    codes = stored(source, {"delimiter": ";", "decimal": ","}, columns)[0]
    found = [None if code is None else code - 10**9 for (code,) in codes]
    assert dict(zip(WITH_A_COMMA, found, strict=True)) == WITH_A_COMMA


@pytest.mark.parametrize("cell", ["", "x", "NaN"])
def test_a_file_that_breaks_never_missing_is_refused_at_its_column(
    tmp_path: Path, cell: str
) -> None:
    """D4: sensitivities rely on it, so no such table is ever asked about."""
    domain = COLUMNS[0].domain
    columns = (ColumnSpec("n", domain, MissingRule.REQUIRE),)
    source = save(tmp_path, f"n,b\n1,2\n{cell},2\n".encode())
    with pytest.raises(RefusedFile, match="never missing") as caught:
        stored(source, {}, columns)
    assert caught.value.column == "n"
    assert list(tmp_path.iterdir()) == [source]


def checked(folder: Path, content: bytes, **reading: Any) -> dict[str, dict[str, str]]:
    source = save(folder, content)
    columns = (number("n", "0", "10"), category("w", "sun", "rain"))
    return child.check(
        source, columns=columns, private_id="who", reading=reading, limits=LIMITS
    ).columns


def test_a_check_says_coarse_words_and_nothing_else(tmp_path: Path) -> None:
    """I5: shares of five kinds; neither a number nor a value of the file."""
    rows = ["1;sun;a", "2,5;sun;a", "99;sun;", "4,5;Sun;a", "5,5;rain;a", "6,5;;a"]
    file = "\n".join(["n;w;who", *rows, ""]).encode()
    found = checked(tmp_path, file, delimiter=";")
    assert found["n"] == {
        "filled": "all", "read": "half", "inside": "half", "outside": "half", "other_mark": "all",
    }  # fmt: skip
    assert found["w"] | {"filled": "most", "inside": "most", "outside": "few"} == found["w"]
    assert found["who"]["filled"] == "most"
    assert {word for each in found.values() for word in each.values()} <= {
        "none", "few", "half", "most", "all",
    }  # fmt: skip


def test_the_words_begin_at_fixed_shares() -> None:
    """I5: a quarter and three quarters, in whole numbers."""
    steps = [(0, 4), (1, 100), (1, 4), (26, 100), (3, 4), (76, 100), (99, 100), (4, 4), (0, 0)]
    words = ["none", "few", "few", "half", "half", "most", "most", "all", "none"]
    assert [word(part, whole) for part, whole in steps] == words
