"""What a file takes in memory while it is read does not follow how many rows it has."""

from pathlib import Path

import pytest

from bench.census import census
from bench.reading import Reading, read_apart
from dpgov.engines.child_process import ENVIRONMENT

pytestmark = pytest.mark.long
FEW, MANY = 500_000, 3_000_000
# The rows of this table in memory, as Arrow has them; several times as much as Python's objects.
ROW_BYTES = 53


@pytest.fixture(autouse=True)
def _as_the_reader_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("names", [None, "id"], ids=["rows", "people"])
def test_a_large_file_is_never_whole_in_the_memory_of_its_reader(
    names: str | None, tmp_path: Path
) -> None:
    """L13: less than half of the rows that are more; a place in an order for each is in it."""
    few, many = (_read(tmp_path / f"{rows}.parquet", rows, names) for rows in (FEW, MANY))
    assert many.memory - few.memory < (MANY - FEW) * ROW_BYTES / 2


def _read(file: Path, rows: int, names: str | None) -> Reading:
    return read_apart(census(file, rows), names)
