"""I1: files that are wrong or mean harm end in a refusal that tells their owner what to do."""

import errno
import resource
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from dpgov.engines import child, child_process
from dpgov.engines.child import FullDisk, Ingested, Limits, Progress, RefusedFile
from dpgov.engines.ingest.limits import LOOKED_AT_BYTES, is_full
from dpgov.privacy.plan.schema import ColumnSpec
from tests.unit.engines.hostile_files import (
    HEADERS,
    Hostile,
    compressed_page_bomb,
    dictionary_bomb,
    parquet_of,
    run_length_bomb,
    save,
)
from tests.unit.engines.tables import KEY, category, number

# A little over what an honest file needs; seconds enough for a busy machine to start Python.
LIMITS = Limits(memory_bytes=200_000_000, seconds=60)
COLUMNS = (number("n", "0", "9"),)


def ingest(
    source: Path, target: Path, *, columns: tuple[ColumnSpec, ...] = COLUMNS, max_rows: int = 9
) -> Ingested:
    return child.ingest(source, target, columns=columns, max_rows=max_rows, limits=LIMITS, key=KEY)


@pytest.mark.usefixtures("by_forks")
@pytest.mark.parametrize(("make", "reason"), HEADERS.values(), ids=HEADERS.keys())
def test_a_file_that_is_no_clean_csv_or_parquet_is_refused_at_once(
    tmp_path: Path, make: Hostile, reason: str
) -> None:
    """I1, I2: decided by content alone; the message says what is wrong."""
    with pytest.raises(RefusedFile, match=reason):
        child.inspect(save(tmp_path, make()), limits=LIMITS)


BODIES: dict[str, tuple[bytes, str]] = {
    "a header and no row": (b"n,b\n", "no row"),
    "nothing that is a number": (b"n,b\nx,1\n,1\n", "None of the cells of “n”"),
    "a row with too few cells": (b"n,b\n1,2\n3\n", "the header: 1 in place of 2."),
    "a row with too many cells": (b"n,b\n1,2\n3,4,5\n", "the header: 3 in place of 2."),
    "a row of many megabytes": (b"n,b\n1," + b"x" * 20_000_000 + b"\n2,3\n", "longer than"),
    "a column that is not there": (b"b\n1\n", "has no column “n”"),
    "more rows than declared": (b"n\n" + b"1\n" * 1001, "more than 1,000 rows"),
}


@pytest.mark.usefixtures("by_forks")
@pytest.mark.parametrize(("content", "reason"), BODIES.values(), ids=BODIES.keys())
def test_a_body_that_breaks_its_header_is_refused_and_leaves_nothing(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    """I1: and no half-written file stays behind."""
    target = tmp_path / "out.duckdb"
    with pytest.raises(RefusedFile, match=reason):
        ingest(save(tmp_path, content), target, max_rows=1000)
    assert [path.name for path in tmp_path.iterdir()] == ["0e4c"]


@pytest.mark.parametrize("make", [run_length_bomb, compressed_page_bomb])
def test_a_parquet_bomb_dies_in_the_child_and_leaves_nothing(tmp_path: Path, make: Hostile) -> None:
    """I1: a few hundred bytes that claim little and unpack to gigabytes; we hardly notice."""
    target = tmp_path / "out.duckdb"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    source = save(tmp_path, make())
    made = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(RefusedFile, match="unpack"):
        ingest(source, target, max_rows=10**9)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - made <= max(50_000, made - before)
    assert not target.exists()


def test_a_dictionary_bomb_is_read_without_unpacking_it(tmp_path: Path) -> None:
    """I1: 100,000 times a text of 1 MB fits, because the text is looked at once."""
    target = tmp_path / "out.duckdb"
    source = save(tmp_path, dictionary_bomb())
    stored = ingest(source, target, columns=(category("n", "x"),), max_rows=10**9)
    assert stored.rows == 100_000


def test_dates_as_numbers_are_refused_at_their_column(tmp_path: Path) -> None:
    table = pa.table({"n": pa.array([1], pa.int32()).cast(pa.date32())})
    source = save(tmp_path, parquet_of(table))
    with pytest.raises(RefusedFile, match="dates") as caught:
        ingest(source, tmp_path / "out")
    assert caught.value.column == "n"


def test_too_many_rows_are_refused_at_their_field(tmp_path: Path) -> None:
    source = save(tmp_path, b"n\n1\n2\n")
    with pytest.raises(RefusedFile) as caught:
        ingest(source, tmp_path / "out", max_rows=1)
    assert caught.value.field == "max_rows"


def test_a_child_that_runs_out_of_time_is_killed(tmp_path: Path) -> None:
    """I1: nothing waits for a file longer than the limit."""
    source = save(tmp_path, b"n\n1\n")
    limits = Limits(memory_bytes=LIMITS.memory_bytes, seconds=0)
    with pytest.raises(RefusedFile, match="took longer"):
        child.inspect(source, limits=limits)


def test_the_child_gets_no_secret_by_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I1: its environment is written down in full; ours is not inherited."""
    monkeypatch.setenv("DPGOV_SECRET_KEY", "canary")
    assert "canary" not in str(child_process.ENVIRONMENT)
    assert not any(name.startswith("DPGOV") for name in child_process.ENVIRONMENT)


def test_the_child_never_loads_the_web_framework() -> None:
    """Engines know no web: what parses strangers' files has no way to the database."""
    import subprocess
    import sys

    code = (
        "import dpgov.engines.ingest.__main__, dpgov.engines.ingest.store, sys;"
        "sys.exit('django' in sys.modules)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], cwd=child_process._ROOT, check=False
        ).returncode
        == 0
    )


HONEST = {
    "semicolons": (b"a;b\n1.5;2\n", ("a", "b")),
    "tabs": (b"a\tb\n1\t2\n", ("a", "b")),
    "a byte order mark": (b"\xef\xbb\xbfa,b\n1,2\n", ("a", "b")),
    "quoted names": (b'"a","b, c"\n1,2\n', ("a", "b, c")),
    "Windows line ends": (b"a,b\r\n1,2\r\n", ("a", "b")),
    "old Macintosh line ends": (b"a,b\r1,2\r", ("a", "b")),
    "names in other scripts": ("年齢,städte\n1,2\n".encode(), ("年齢", "städte")),
    "spaces around names": (b" a , b \n1,2\n", ("a", "b")),
}


@pytest.mark.usefixtures("by_forks")
@pytest.mark.parametrize(("content", "names"), HONEST.values(), ids=HONEST.keys())
def test_an_honest_csv_is_taken(tmp_path: Path, content: bytes, names: tuple[str, ...]) -> None:
    source = save(tmp_path, content)
    assert child.inspect(source, limits=LIMITS).headers == names
    columns = (number(names[0], "0", "9"),)
    ingest(source, tmp_path / "out", columns=columns)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o600


def test_a_text_is_looked_at_by_its_beginning_and_read_to_its_end(tmp_path: Path) -> None:
    """I1, L13: nobody waits at a page for the whole of a large file; its end is refused as well."""
    rows = b"1\n" * (LOOKED_AT_BYTES // 2)
    source = save(tmp_path, b"n\n" + rows + b"\xff\n")
    assert child.inspect(source, limits=LIMITS).headers == ("n",)
    with pytest.raises(RefusedFile, match="Line 8,000,002 is not UTF-8"):
        ingest(source, tmp_path / "target")
    assert list(tmp_path.iterdir()) == [source]


def test_the_reader_tells_how_far_it_is_and_stops_when_nobody_wants_it(tmp_path: Path) -> None:
    """L13: true rows and bytes while it reads; whatever its caller raises ends it at once."""
    source = save(tmp_path, b"n\n" + b"1\n" * 12_000_000)
    heard: list[Progress] = []

    class Enough(Exception):
        pass

    def watch(progress: Progress) -> None:
        heard.append(progress)
        if progress.rows:
            raise Enough

    with pytest.raises(Enough):
        child.ingest(
            source,
            tmp_path / "target",
            columns=COLUMNS,
            max_rows=20_000_000,
            limits=Limits(memory_bytes=2_000_000_000, seconds=120),
            key=KEY,
            watch=watch,
        )
    assert 0 < heard[-1].rows <= 12_000_000
    assert 0 < heard[-1].bytes <= source.stat().st_size
    assert list(tmp_path.iterdir()) == [source]


FULL = [
    OSError(errno.ENOSPC, "No space left on device"),
    OSError(errno.EDQUOT, "Disk quota exceeded"),
    duckdb.IOException('IO Error: Could not write file "x": No space left on device'),
]


@pytest.mark.parametrize("problem", FULL, ids=repr)
def test_a_full_disk_is_nothing_that_is_wrong_with_the_file(problem: Exception) -> None:
    """L13, R12: whatever it was that met it, and however deep."""
    outer = RuntimeError("writing")
    outer.__cause__ = problem
    assert is_full(problem)
    assert is_full(outer)
    assert not is_full(RuntimeError("damaged"))


def test_a_full_disk_is_told_to_the_operator_and_not_to_the_owner(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """L13, R12: the owner is not told to export the file again; the log names no data."""
    with pytest.raises(FullDisk):
        child._answered({"no_room": "IOException", "cause": "IOException"}, "ingest")
    assert "no room to store a file" in caplog.text
    with pytest.raises(RefusedFile):
        child._answered({"refused": "no", "cause": "a row: 7"}, "ingest")
    assert "a row: 7" not in caplog.text
