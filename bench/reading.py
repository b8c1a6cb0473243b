"""How long a file takes to become a stored version, beside DuckDB's own copy of the same file.

`uv run bench/reading.py [--rows 10000000] [--rounds 3] [--columns 200] [--files 10]`: an invented
table like a census (seven columns, seeded), or one of so many columns of numbers, as Parquet and as
CSV, read as the reader's child process reads it: fingerprints, codes and, where a column names
people, their ranks. Each in turns with `CREATE TABLE … AS` of the same file, two threads, within
one run; medians of wall time, and of processor time in brackets: where other work shares the
machine, that is the better ratio. Each reading in a process of its own, whose largest memory is
shown. With `--files` a zip archive of so many pieces beside each, and both with the look and the
hash of their bytes.
"""

import argparse
import os
import re
import statistics
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import duckdb

from bench.census import COLUMNS, census, wide, wide_columns
from dpgov.engines.child_process import ENVIRONMENT
from dpgov.engines.ingest.joining import opened
from dpgov.engines.ingest.recognised.fingerprint import hash_of_file
from dpgov.engines.ingest.request import UnitNames
from dpgov.engines.ingest.store import store
from dpgov.engines.ingest.tables import open_table

_MEMORY, _KEY = 4 * 10**9, b"k" * 32


@dataclass(frozen=True, slots=True)
class Reading:
    """Seconds by the clock and of the processor, and the largest memory in bytes."""

    spent: tuple[float, float]
    memory: float


def main() -> None:
    """Invent, read in turns, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--columns", type=int, default=0, help="of numbers, in place of a census")
    parser.add_argument("--files", type=int, default=0, help="in a zip archive, beside the one")
    options = parser.parse_args()
    # Of which some are for allocators, and read when a process starts.
    os.environ.update(ENVIRONMENT)
    print("| file | size | DuckDB's copy | rows | ratio | people | ratio | memory |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        path, width = Path(name) / "table.parquet", options.columns
        parquet = wide(path, options.rows, width) if width else census(path, options.rows)
        for file in (parquet, _as_csv(parquet)):
            packed = [_in_pieces(file, options.files, options.rows)] if options.files else []
            turns = [_turns(file, packed, width) for _ in range(options.rounds)]
            for one, of_one in zip([file, *packed], zip(*turns, strict=True), strict=True):
                print(_line(one, list(of_one)))


def _turns(file: Path, packed: list[Path], width: int) -> list[tuple[float, ...]]:
    """Of the file, and of an archive of its pieces: seconds of the copy and of both readings, each
    by the clock and of the processor, and the largest memory of these in bytes."""
    copied = _copied(file, file.with_name("copy.duckdb"))
    turns: list[tuple[float, ...]] = []
    for one in (file, *packed):
        rows, people = (
            read_apart(one, names, width=width, whole=bool(packed)) for names in (None, "id")
        )
        most = max(rows.memory, people.memory)
        turns.append((*copied, *rows.spent, *people.spent, most))
    return turns


def _line(file: Path, turns: list[tuple[float, ...]]) -> str:
    *seconds, memory = (statistics.median(each) for each in zip(*turns, strict=True))
    copied, rows, people = zip(seconds[::2], seconds[1::2], strict=True)
    cells = (
        f"{file.suffix[1:]}",
        f"{file.stat().st_size / 1e6:,.0f} MB",
        f"{copied[0]:.1f} s ({copied[1]:.1f})",
        *(cell for each in (rows, people) for cell in _beside(each, copied)),
        f"{memory / 1e6:,.0f} MB",
    )
    return f"| {' | '.join(cells)} |"


def _beside(ours: tuple[float, float], copied: tuple[float, float]) -> tuple[str, str]:
    ratios = [one / other for one, other in zip(ours, copied, strict=True)]
    return f"{ours[0]:.1f} s ({ours[1]:.1f})", f"{ratios[0]:.1f} ({ratios[1]:.1f})"


def read_apart(file: Path, names: str | None, *, width: int = 0, whole: bool = False) -> Reading:
    """One reading in a process of its own; `whole` with the look and the hash of its bytes."""
    with get_context("spawn").Pool(1) as process:
        return process.apply(_read, (file, file.with_name("read.duckdb"), names, width, whole))


def _in_pieces(file: Path, number: int, rows: int) -> Path:
    """An archive of so many files of the same rows."""
    kind = file.suffix[1:]
    target, piece = file.with_name(f"{kind}.zip"), file.with_name("piece")
    table = duckdb.read_csv(str(file)) if kind == "csv" else duckdb.read_parquet(str(file))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for place in range(number):
            begin, end = place * rows // number, (place + 1) * rows // number
            found = table.limit(end - begin, begin)
            if kind == "csv":
                found.write_csv(str(piece), header=True)
            else:
                found.write_parquet(str(piece))
            archive.write(piece, f"{place:04}.{kind}")
    return target


def _as_csv(parquet: Path) -> Path:
    target = parquet.with_suffix(".csv")
    duckdb.read_parquet(str(parquet)).write_csv(str(target), header=True)
    return target


def _copied(file: Path, target: Path) -> tuple[float, float]:
    target.unlink(missing_ok=True)
    begun = _now()
    with duckdb.connect(str(target), config={"threads": 2}) as connection:
        # Not a parameter: the types of a CSV file are found before parameters are there.
        source = f"read_{file.suffix[1:]}('{file}')"
        connection.execute(f"CREATE TABLE data AS SELECT * FROM {source}")
        connection.execute("CHECKPOINT")
    return _since(begun)


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(begun: tuple[float, float]) -> tuple[float, float]:
    clock, processor = _now()
    return clock - begun[0], processor - begun[1]


def _read(file: Path, target: Path, names: str | None, width: int, whole: bool) -> Reading:
    target.unlink(missing_ok=True)
    begun = _now()
    if whole:
        hash_of_file(file, None, _KEY)
    store(
        opened(file, None) if whole else open_table(file, format_name=file.suffix[1:]),
        target,
        columns=wide_columns(width) if width else COLUMNS,
        max_rows=10**10,
        memory_bytes=_MEMORY,
        key=_KEY,
        unit=UnitNames(names) if names else None,
    )
    return Reading(_since(begun), _largest_memory())


def _largest_memory() -> float:
    """Of this program alone: what `getrusage` tells begins with that of the process before it."""
    found = re.search(r"VmHWM:\s+([0-9]+) kB", Path("/proc/self/status").read_text())
    return 1024.0 * int(found[1]) if found else 0.0


if __name__ == "__main__":
    main()
