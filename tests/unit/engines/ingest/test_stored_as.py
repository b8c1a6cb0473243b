"""How a file keeps its codes: by what was declared of their column, and by nothing else."""

from pathlib import Path

import duckdb
import pytest

from tests.unit.engines.tables import category, ingest_here, number, stored_codes, write_csv

COLUMNS = (
    number("flag", "0", "1"),
    number("month", "1", "12"),
    number("age", "0", "120"),
    number("income", "0", "100000"),
    category("town", "a", "b"),
)
ALIKE = [("0", "2", "2", "2", "b"), *[("1", "1", "1", "1", "a")] * 3_000]
APART = [
    (str(row % 2), str(row % 12 + 1), str(row % 121), str(row * 33), "ab"[row % 2])
    for row in range(3_000)
]
EMPTY = [(None,) * 5, *APART[1:]]


def _kept(file: Path) -> dict[str, str]:
    """By column, how its codes are packed."""
    with duckdb.connect(str(file), read_only=True) as connection:
        rows = connection.execute(
            "SELECT DISTINCT column_name, compression FROM pragma_storage_info('data') "
            "WHERE segment_type <> 'VALIDITY'"
        ).fetchall()
    return dict(rows)


@pytest.mark.parametrize("rows", [ALIKE, APART, EMPTY], ids=["alike", "apart", "empty"])
def test_codes_that_need_half_of_their_bits_are_kept_unpacked_whatever_they_are(
    tmp_path: Path, rows: list[tuple[str | None, ...]]
) -> None:
    """D5: rows that are nearly alike are read as others are; and what is missing stays so."""
    source = write_csv(tmp_path / "x.csv", [spec.name for spec in COLUMNS], rows)
    ingest_here(source, COLUMNS)
    found = _kept(source.with_suffix(".duckdb"))
    assert {name for name, how in found.items() if how == "Uncompressed"} == {"c1", "c2", "c3"}
    expected = None if rows[0][2] is None else int(rows[0][2])
    assert stored_codes(source)[0][2] == expected
