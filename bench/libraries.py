"""How long an answer takes, by ours and by the libraries for differential privacy that there are.

`uv run bench/libraries.py [--rows 1000000 10000000] [--rounds 5] [--with opendp,polars,...]`: the
questions of `bench/scans.py`, each system in an environment of its own, one after the other in one
run. Libraries have the table as they like it best, in memory or in PostgreSQL, before time is
taken; ours has stored it, and answers twice: by a scan, and as the product does, from the cubes
that were counted when the file was read. Behind each rival's time stands how many times ours that
is, the scan's and the cubes'. Medians; what a library does not offer is left out, and what cannot
be installed is said. Tumult needs Java.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.apart import measured, surely_measured
from bench.census import census
from bench.postgres import with_census
from tests.servers.postgres import throw_away_postgres

_ARROW = "pyarrow==21.0.0"
RIVALS: dict[str, list[str]] = {
    "opendp": ["opendp==0.16.0", "numpy==2.4.6", _ARROW],
    "polars": ["opendp[polars]==0.16.0", _ARROW],
    "diffprivlib": ["diffprivlib==0.6.6", "scikit-learn<1.6", "numpy<2.2", _ARROW],
    "smartnoise": ["smartnoise-sql==1.0.10", "psycopg2-binary==2.9.11"],
    "pipelinedp": ["pipeline-dp==0.3.1", "python-dp==1.1.5", "numpy==2.4.6", _ARROW],
    "tumult": ["tmlt.analytics==0.21.0", "pyarrow==18.1.0"],
}
_IN_POSTGRES = ("smartnoise",)
Times = dict[str, float]


def main() -> None:
    """Invent, ask each system, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--with", dest="rivals", default=",".join(RIVALS))
    options = parser.parse_args()
    rivals = [name for name in options.rivals.split(",") if name]
    systems = ["question", "rows", "plain DuckDB", "our scan", "our cubes", *rivals]
    print(f"| {' | '.join(systems)} |\n|{'---|' * len(systems)}")
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            _ask_all(Path(folder), rows, options.rounds, rivals)


def _ask_all(folder: Path, rows: int, rounds: int, rivals: list[str]) -> None:
    files = (
        census(folder / "table.parquet", rows),
        census(folder / "persons.parquet", rows, rows_each=5),
    )
    asked = _asked(str(files[0]), str(files[1]), rows, rounds)
    plain: Times = surely_measured("times/plain_times", *asked)
    scan: Times = surely_measured("times/our_times", *asked)
    cubes: Times = surely_measured("times/our_times", *asked, "--cubes")
    theirs = [_times(name, folder, rows, rounds, asked) for name in rivals]
    for name in scan:
        ours = (scan[name], cubes[name])
        own = [name, f"{rows:,}", f"{1000 * plain[name]:,.0f} ms"]
        own += [f"{1000 * spent:,.1f} ms" for spent in ours]
        beside = [_beside(found, name, ours) for found in theirs]
        print(f"| {' | '.join([*own, *beside])} |", flush=True)


def _asked(table: str, persons: str, rows: int, rounds: int) -> list[str]:
    return [f"--table={table}", f"--persons={persons}", f"--rows={rows}", f"--rounds={rounds}"]


def _times(name: str, folder: Path, rows: int, rounds: int, asked: list[str]) -> Times | None:
    tool = f"times/{name}_times"
    found: Times | None
    if name in _IN_POSTGRES:
        with _in_postgres(folder, rows) as url:
            found = measured(tool, *_asked(url, url, rows, rounds), packages=RIVALS[name])
    else:
        found = measured(tool, *asked, packages=RIVALS[name])
    return found


@contextmanager
def _in_postgres(folder: Path, rows: int) -> Iterator[str]:
    """The table in a throw-away server, as a URL that lets its reader in."""
    folder.chmod(0o711)
    with throw_away_postgres(folder) as url:
        there = with_census(url, rows)
        yield (
            f"postgresql://{there.user}:{there.password}@{there.host}:{there.port}/{there.database}"
        )


def _beside(theirs: Times | None, name: str, ours: tuple[float, float]) -> str:
    if theirs is None:
        return "not measured"
    if name not in theirs:
        return "not offered" if theirs else "not asked"
    times = " / ".join(f"{theirs[name] / spent:,.0f}" for spent in ours)
    return f"{1000 * theirs[name]:,.0f} ms, {times}"


if __name__ == "__main__":
    main()
