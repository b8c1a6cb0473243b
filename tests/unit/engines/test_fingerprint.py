"""F11: the same data is recognised again, whatever was done to its form."""

from pathlib import Path

import pyarrow as pa
import pytest

from tests.unit.engines.tables import category, ingest_here, write_csv, write_parquet

ROWS = [("39", "Basel", "0.5"), ("41", "", "1e3"), ("39", " Bern ", "-0"), ("", "Genf", "nan")]
ANY = (category("x", "-"),)


@pytest.fixture
def original(tmp_path: Path) -> str:
    return _print(write_csv(tmp_path / "original.csv", ["x", "y", "z"], ROWS))


def _print(source: Path, name: str = "x") -> str:
    return ingest_here(source, (category(name, "-"),)).fingerprint


def test_it_is_the_same_in_every_run_and_on_every_machine(original: str) -> None:
    assert original == "c0f157f0cbc005fd43335c92927259aeb3a209fc73cc7383a6286d393bfe0957"


def test_rows_in_another_order(tmp_path: Path, original: str) -> None:
    assert _print(write_csv(tmp_path / "t.csv", ["x", "y", "z"], ROWS[::-1])) == original


def test_columns_in_another_order_and_with_other_names(tmp_path: Path, original: str) -> None:
    turned = [(c, a, b) for a, b, c in ROWS]
    assert _print(write_csv(tmp_path / "t.csv", ["p", "q", "r"], turned), "p") == original


def test_parquet_instead_of_csv(tmp_path: Path, original: str) -> None:
    columns = {
        "x": pa.array([39, 41, 39, None], pa.int16()),
        "y": pa.array(["Basel", None, "Bern", "Genf"]).dictionary_encode(),
        "z": pa.array([0.5, 1000.0, 0.0, float("nan")]),
    }
    assert _print(write_parquet(tmp_path / "t.parquet", columns)) == original


def test_other_domains_do_not_matter(tmp_path: Path, original: str) -> None:
    source = write_csv(tmp_path / "t.csv", ["x", "y", "z"], ROWS)
    assert ingest_here(source, (category("z", "a", "b"),)).fingerprint == original


@pytest.mark.parametrize(
    "rows",
    [ROWS[:-1], [*ROWS, ROWS[0]], [("40", *ROWS[0][1:]), *ROWS[1:]]],
    ids=["one row less", "one row twice", "one cell changed"],
)
def test_other_data_has_another_fingerprint(
    tmp_path: Path, original: str, rows: list[tuple[str, str, str]]
) -> None:
    assert _print(write_csv(tmp_path / "t.csv", ["x", "y", "z"], rows)) != original


def test_batches_do_not_matter(tmp_path: Path) -> None:
    """The same rows, read in one piece or in many."""
    values = pa.array([n % 1000 for n in range(70_000)])
    names = {"x": values, "y": pa.array(map(str, range(70_000)))}
    whole = write_parquet(tmp_path / "whole.parquet", names)
    turned = {name: column[::-1] for name, column in names.items()}
    other = write_parquet(tmp_path / "other.parquet", turned)
    prints = [ingest_here(path, ANY, max_rows=10**6).fingerprint for path in (whole, other)]
    assert prints[0] == prints[1]
