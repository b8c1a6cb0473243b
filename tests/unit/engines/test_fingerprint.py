"""F9, F11: what is kept of a table is the same whatever was done to its form."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dpgov.engines.fingerprint import FORM, SKETCH_SIZE, MultisetFingerprint, as_json, from_json
from dpgov.engines.ingest.cells.distinct import cells_of
from dpgov.engines.ingest.recognised.hashes import CellHashes
from dpgov.engines.ingest.recognised.multiset import Multiset
from dpgov.engines.ingest.recognised.siphash import SipKey, siphash
from tests.unit.engines.tables import KEY, category, ingest_here, write_csv, write_parquet

ROWS = [("39", "Basel", "0.5"), ("41", "", "1e3"), ("39", " Bern ", "-0"), ("", "Genf", "nan")]
ANY = (category("x", "-"),)


@pytest.fixture
def original(tmp_path: Path) -> str:
    return _print(write_csv(tmp_path / "original.csv", ["x", "y", "z"], ROWS))


def _print(source: Path, name: str = "x", key: bytes = KEY) -> str:
    """All of it as text; columns in one order, because none of them means anything."""
    stored = ingest_here(source, (category(name, "-"),), max_rows=10**6, key=key)
    found = as_json(stored.fingerprint)
    found["columns"].sort(key=lambda part: part["digest"])
    return json.dumps(found)


def test_it_is_the_same_in_every_run_and_on_every_machine(original: str) -> None:
    assert json.loads(original)["whole"] == "1f3e718f51ae1ae579e0d9993fcc7d3f"


def test_a_form_names_one_way_to_hash_cells_rows_and_names(original: str) -> None:
    """F9, F11: whoever changes one of these numbers gives the form another name, or people who were
    recorded before would not be known again.
    """
    names = CellHashes(KEY, "unit").of_names(cells_of(pa.array(["7", "x"])))
    assert (FORM, json.loads(original)["whole"], names.hashes.tolist()) == (
        "dpgov fingerprint 2",
        "1f3e718f51ae1ae579e0d9993fcc7d3f",
        [11872283538212680120, 15936985112341851210, 0],
    )


def test_another_installation_has_another_one(tmp_path: Path, original: str) -> None:
    """F9: so that few values cannot be guessed from it."""
    other = json.loads(_print(tmp_path / "original.csv", key=bytes([1]) * 32))
    mine = json.loads(original)
    assert other["whole"] != mine["whole"]
    for one, two in zip(
        [mine["rows"], *mine["columns"]], [other["rows"], *other["columns"]], strict=True
    ):
        assert one["digest"] != two["digest"]
        assert one["sketch"] != two["sketch"]


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


def test_dates_and_moments_in_every_spelling(tmp_path: Path) -> None:
    texts = ["2024-05-17", "2024-05-17T08:30:00", "2024-05-17 08:30:15.500", "2024-05-18T00:00Z"]
    written = write_csv(tmp_path / "t.csv", ["x"], [(text,) for text in texts])
    moments = pa.array(
        ["2024-05-17", "2024-05-17 08:30:00", "2024-05-17 08:30:15.5", "2024-05-18"]
    ).cast(pa.timestamp("us"))
    stored = write_parquet(tmp_path / "t.parquet", {"x": moments})
    one, two = json.loads(_print(written)), json.loads(_print(stored))
    assert (one["rows"], one["columns"]) == (two["rows"], two["columns"])


def test_neither_other_domains_nor_other_declared_columns_matter(
    tmp_path: Path, original: str
) -> None:
    source = write_csv(tmp_path / "t.csv", ["x", "y", "z"], ROWS)
    assert _print(source, "z") == original


@pytest.mark.parametrize(
    "rows",
    [ROWS[:-1], [*ROWS, ROWS[0]], [("40", *ROWS[0][1:]), *ROWS[1:]]],
    ids=["one row less", "one row twice", "one cell changed"],
)
def test_other_data_has_another_fingerprint(
    tmp_path: Path, original: str, rows: list[tuple[str, str, str]]
) -> None:
    other = json.loads(_print(write_csv(tmp_path / "t.csv", ["x", "y", "z"], rows)))
    mine = json.loads(original)
    assert other["whole"] != mine["whole"]
    assert other["rows"]["digest"] != mine["rows"]["digest"]


def test_batches_do_not_matter(tmp_path: Path) -> None:
    """The same rows, read in one piece or in many."""
    values = pa.array([n % 1000 for n in range(70_000)])
    names = {"x": values, "y": pa.array(map(str, range(70_000)))}
    whole = write_parquet(tmp_path / "whole.parquet", names)
    turned = {name: column[::-1] for name, column in names.items()}
    other = write_parquet(tmp_path / "other.parquet", turned)
    assert _print(whole) == _print(other)


def test_a_sketch_keeps_few_values_with_their_true_numbers() -> None:
    """Bounded memory: whatever comes in, and in whatever order."""
    hashes = np.random.default_rng(1).integers(0, 2**63, 5000).astype(np.uint64)
    counts = np.ones(len(hashes), np.int64)
    forwards, backwards = Multiset(), Multiset()
    for start in range(0, 5000, 500):
        forwards.add(hashes[start : start + 500], counts[start : start + 500])
        forwards.add(hashes[start : start + 500], counts[start : start + 500])
    backwards.add(hashes[::-1], 2 * counts)
    one, two = (multiset.part(KEY, span=0) for multiset in (forwards, backwards))
    assert one.digest == two.digest
    assert one.hashes.tolist() == two.hashes.tolist() == sorted(hashes.tolist())[:SKETCH_SIZE]
    assert set(one.counts.tolist()) == set(two.counts.tolist()) == {2}


def test_it_survives_the_pipe_and_the_database(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "t.csv", ["x", "y", "z"], ROWS)
    made = ingest_here(source, ANY).fingerprint
    again = from_json(json.loads(json.dumps(as_json(made))))
    assert as_json(again) == as_json(made)
    part = made.columns[0]
    kept = MultisetFingerprint.unpacked(
        total=part.total, digest=part.digest, span=part.span, sketch=part.packed()
    )
    assert kept.counts.tolist() == part.counts.tolist()


def test_the_span_tells_numbers_in_a_row_from_others(tmp_path: Path) -> None:
    """F9: numbers from 1 to n are in every other table too."""
    columns = {
        "n": ["7", "9", "10"],
        "day": ["2024-02-28", "2024-02-29", "2024-03-01"],
        "named": ["P007", "P009", "P010"],
        "text": ["a", "b", "c"],
        "share": ["0.1", "0.2", "0.3"],
    }
    source = write_csv(tmp_path / "t.csv", list(columns), list(zip(*columns.values(), strict=True)))
    stored = ingest_here(source, (category("n", "-"),)).fingerprint
    assert [part.span for part in stored.columns] == [4, 3, 4, 0, 0]


def test_siphash_is_the_published_one() -> None:
    """The vector of eight bytes of the reference implementation."""
    message = np.array([0x0706050403020100], np.uint64)
    assert siphash(SipKey.of(bytes(range(16))), message).tolist() == [0x93F5F5799A932462]
