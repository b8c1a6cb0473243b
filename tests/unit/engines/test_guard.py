"""Bounds on what one question may take, held by the engine and by the kernel behind it."""

import resource
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from dpgov.engines.base import FAILURE, EngineFailure
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.guard import bounded_memory
from dpgov.privacy.request import CodeGrouping, ExactRequest, Measure, MeasureKind
from tests.house.tree import ROOT

HUGE = 4_000_000_000
# In a process of its own: what a refused allocation leaves behind must not reach other tests.
HUNGRY = """
import duckdb, sys
from dpgov.engines.guard import bounded_memory
with duckdb.connect(config={"memory_limit": "64GB", "threads": 2}) as connection:
    try:
        with bounded_memory(200_000_000):
            connection.execute("SELECT length(string_agg(repeat('x', 1000), '')) FROM range(3000000)")
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
    done = subprocess.run(
        [sys.executable, "-c", HUNGRY], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "refused 1\n", done.stderr


def test_a_scan_beyond_its_memory_ends_in_the_one_fixed_wording(tmp_path: Path) -> None:
    """B14, E3: DuckDB's own bound; its text, with sizes in it, is not passed on."""
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE data AS SELECT (range % 65000)::USMALLINT c0, (range // 65000)::USMALLINT"
            " c1 FROM range(3000000)"
        )
    every = tuple((code, code + 1) for code in range(65_000))
    request = ExactRequest(
        (),
        (CodeGrouping(0, every),),
        (Measure(MeasureKind.CODE_SUM, 1),),
    )
    with pytest.raises(EngineFailure) as caught:
        DuckDBEngine(path, seconds=60, memory_bytes=3_000_000).answer(request)
    assert str(caught.value) == FAILURE
