"""M102: several files in one archive that are wrong or mean harm, refused by the file's name."""

from pathlib import Path

import pyarrow as pa
import pytest

from dpgov.engines import child
from dpgov.engines.child import Limits, Progress, RefusedFile, Watch
from dpgov.engines.ingest import several
from dpgov.engines.ingest.joining import opened
from dpgov.engines.ingest.sniff import kind_of
from dpgov.engines.ingest.tables import Table, open_parquet
from tests.unit.engines.hostile_files import Hostile, parquet_of, save, zipped
from tests.unit.engines.packed.hostile import CSV, HOSTILE, PART
from tests.unit.engines.tables import KEY, number

LIMITS = Limits(memory_bytes=300_000_000, seconds=60, disk_bytes=50_000_000)
COLUMNS = (number("n", "0", "9"),)


def _ingest(source: Path, watch: Watch = lambda _: None) -> child.Ingested:
    return child.ingest(
        source,
        source.with_name("target"),
        columns=COLUMNS,
        max_rows=10**9,
        limits=LIMITS,
        key=KEY,
        watch=watch,
    )


def _whole(reason: str) -> str:
    """What begins with a file's name names no other file before it."""
    return f"^{reason}" if reason.startswith("“") else reason


@pytest.mark.usefixtures("by_forks")
@pytest.mark.parametrize(("make", "reason"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_archive_is_refused_at_once_and_leaves_nothing(
    tmp_path: Path, make: Hostile, reason: str
) -> None:
    """M102: by content and directory, before a row is read; no value of a row is quoted."""
    source = save(tmp_path, make())
    with pytest.raises(RefusedFile, match=_whole(reason)) as caught:
        child.inspect(source, limits=LIMITS)
    assert "4711" not in str(caught.value)
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.usefixtures("by_forks")
@pytest.mark.parametrize(("make", "reason"), HOSTILE.values(), ids=HOSTILE.keys())
def test_it_is_refused_by_the_reader_as_well(tmp_path: Path, make: Hostile, reason: str) -> None:
    """M102: which does not rely on what was looked at before."""
    source = save(tmp_path, make())
    with pytest.raises(RefusedFile):
        _ingest(source)
    assert list(tmp_path.iterdir()) == [source]


LATE: dict[str, tuple[Hostile, str]] = {
    "a row with too few cells": (
        lambda: zipped({"a.csv": CSV, "b.csv": b"n,b\n1,2\n3\n"}),
        "“b.csv”: (A row|Row 3) does not have as many cells",
    ),
    "bytes of no encoding": (
        lambda: zipped({"a.csv": CSV, "b.csv": b"n,b\n" + b"1,2\n" * 9_000_000 + b"\xff,2\n"}),
        "“b.csv”: Line 9,000,002 is not UTF-8",
    ),
    "a character cut at the end": (
        lambda: zipped({"a.csv": CSV, "b.csv": b"n,b\n1,2\n3,\xc3"}),
        "“b.csv”: Line 3 is not UTF-8",
    ),
    "a file that is there twice": (
        lambda: zipped(dict.fromkeys(("a.csv", "b.csv"), b"n,b\n" + b"1,2\n" * 20)),
        "“b.csv”: It holds the same rows as “a.csv”",
    ),
    "a Parquet file that is there twice": (
        lambda: zipped(dict.fromkeys(("a", "b"), parquet_of(pa.table({"n": range(20)})))),
        "“b”: It holds the same rows as “a”",
    ),
    "another schema behind a large file": (
        lambda: zipped(
            {"a": parquet_of(pa.table({"n": [1]})), "b": PART, "c": PART},
        ),
        "“b”: It has a column “b”",
    ),
}


@pytest.mark.usefixtures("by_forks")
@pytest.mark.parametrize(("make", "reason"), LATE.values(), ids=LATE.keys())
def test_what_is_wrong_further_on_names_its_file(
    tmp_path: Path, make: Hostile, reason: str
) -> None:
    """M102: rows are counted in their own file, as their owner sees it."""
    source = save(tmp_path, make())
    with pytest.raises(RefusedFile, match=_whole(reason)):
        _ingest(source)
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.usefixtures("by_forks")
def test_a_file_that_is_put_down_is_no_larger_than_an_upload(tmp_path: Path) -> None:
    """M102: by the directory, before a byte of it is unpacked."""
    large = parquet_of(pa.table({"n": list(range(200_000))}), compression="none")
    source = save(tmp_path, zipped({"a.parquet": large, "b.parquet": large}))
    with pytest.raises(RefusedFile, match=r"“a\.parquet”: Unpacked, it is larger"):
        child.inspect(source, limits=Limits(300_000_000, 60, disk_bytes=1_000_000))
    assert child.inspect(source, limits=LIMITS).format == "parquet"


def test_files_are_put_down_one_at_a_time_to_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M102: as they are to be read, so that the room for the largest is enough."""
    source = save(tmp_path, zipped(dict.fromkeys("abc", PART)))
    lying: list[int] = []

    def noted(path: Path) -> Table:
        held = [each for each in Path("/proc/self/fd").iterdir() if each.exists()]
        names = {str(each.readlink()) for each in held} - {str(source)}
        lying.append(sum(name.startswith(str(tmp_path)) for name in names))
        return open_parquet(path)

    monkeypatch.setattr(several, "open_parquet", noted)
    several.look_at(kind_of(source))
    assert lying == [1, 1, 1]
    lying.clear()
    assert sum(len(batch) for batch in opened(source, {}).batches) == 3
    assert lying == [1, 1, 1]


def test_files_that_are_larger_than_the_memory_are_read(tmp_path: Path) -> None:
    """M102: nothing is unpacked into memory: 360 MB of texts, 300 MB for the reader."""
    rows = b"n,b\n" + (b"%d," + b"x" * 1_000 + b"\n") * 120_000
    source = save(tmp_path, zipped({f"{n}.csv": rows.replace(b"%d", b"%d" % n) for n in range(3)}))
    assert _ingest(source).rows == 360_000


def test_a_reader_that_is_stopped_or_killed_leaves_no_file(tmp_path: Path) -> None:
    """M102: what it has put down has no name."""
    part = parquet_of(pa.table({"n": [7] * 3_000_000}), use_dictionary=False, compression="none")
    source = save(tmp_path, zipped({f"{n}.parquet": part for n in range(4)}))
    seen: list[list[Path]] = []

    class Enough(Exception):
        pass

    def watch(progress: Progress) -> None:
        if progress.rows:
            seen.append(sorted(tmp_path.iterdir()))
            raise Enough

    with pytest.raises(Enough):
        _ingest(source, watch=watch)
    assert [path for path in seen[0] if not path.name.startswith("target.draft")] == [source]
    assert list(tmp_path.iterdir()) == [source]
