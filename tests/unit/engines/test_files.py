"""Bounds on what one question may take, held by the engine and by the kernel behind it."""

import resource
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from dpgov.engines.base import FAILURE, EngineFailure
from dpgov.engines.files import DuckDBEngine, bounded_memory
from dpgov.privacy.plan.request import ExactRequest, Measure, MeasureKind
from tests.house.tree import ROOT

HUGE = 4_000_000_000
LARGE = "SELECT length(string_agg(repeat('x', 1000), '')) FROM range({})"
# In a process of its own: what a refused allocation leaves behind must not reach other tests.
HUNGRY = """
import duckdb, sys
from dpgov.engines.files import bounded_memory
with duckdb.connect(config={"memory_limit": "64GB", "threads": 2}) as connection:
    connection.execute("SET enable_progress_bar = false")
    try:
        with bounded_memory(200_000_000):
            connection.execute(sys.argv[1])
    except (duckdb.Error, MemoryError) as error:
        print("refused", connection.execute("SELECT 1").fetchone()[0])
"""


def test_the_kernel_refuses_memory_beyond_the_bound_and_allows_it_again() -> None:
    """B14"""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(MemoryError), bounded_memory(100_000_000):
        bytearray(HUGE)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    with bounded_memory(100_000_000):
        assert len(bytearray(50_000_000)) == 50_000_000


def test_a_database_that_believes_in_more_memory_is_refused_and_lives_on() -> None:
    """B14: the process survives to say that the question failed."""
    statement = LARGE.format(3_000_000)
    done = subprocess.run(
        [sys.executable, "-c", HUNGRY, statement],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "refused 1\n", done.stderr


def test_the_database_itself_stops_at_the_bound(tmp_path: Path) -> None:
    """B14: the same statement is refused with less memory and answered with more."""
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE data AS SELECT 1::UTINYINT c0")
    hungry = LARGE.format(100_000)
    little, enough = (
        DuckDBEngine(tmp_path / "t.duckdb", seconds=60, memory_bytes=size)
        for size in (20_000_000, 2_000_000_000)
    )
    with pytest.raises(duckdb.OutOfMemoryException):
        little._rows(hungry)
    del little
    assert enough._rows(hungry) == [(100_000_000,)]


def test_a_scan_without_memory_ends_in_the_one_fixed_wording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B14, E3: DuckDB's text, with sizes in it, is not passed on."""
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE data AS SELECT 1::UTINYINT c0")

    def refuse(*_: object) -> None:
        raise duckdb.OutOfMemoryException("could not allocate 731995127 bytes")

    engine = DuckDBEngine(tmp_path / "t.duckdb", seconds=60)
    monkeypatch.setattr(engine, "_rows", refuse)
    with pytest.raises(EngineFailure) as caught:
        engine.answer(ExactRequest((), (), (Measure(MeasureKind.CODE_SUM, 0),)))
    assert str(caught.value) == FAILURE
    assert caught.value.__cause__ is None
