"""Answers over two private tables put together, beside a join that is bounded by hand.

`uv run bench/derived.py [--people 20000] [--runs 200] [--here]`: invented visits and costs of the
same people, one to four rows each, of which two count on either side and three joined ones. Ours:
the files as the product stores them, put together once (`engines.deriving`), then asked. By hand:
DuckDB joins both tables and keeps as many rows of a person, and OpenDP clamps, adds up and draws at
the distance of these rows, in an environment of its own (`--here`: in this one). The same ε, unit
bound and public metadata; errors are those of the noise, beside the rows that each one keeps.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import duckdb
import numpy as np

from bench.apart import ratio, surely_measured
from bench.rivals.joined import EPSILONS, KEPT, PAID_MOST, QUESTIONS, USED, truths
from dpgov.engines.deriving import Parent, derive
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.request import UnitNames
from dpgov.engines.ingest.store import store
from dpgov.engines.ingest.tables import open_table
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.answer.release import draw
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit

_RIVAL = ["opendp==0.16.0", "numpy==2.4.6", "duckdb"]
_DAYS = column_spec("days", numeric_domain("0", "9", "1"), MissingRule.DROP, "")
_PAID = column_spec("paid", numeric_domain("0", str(PAID_MOST), "1"), MissingRule.DROP, "")
_MEMORY = 10**9


def main() -> None:
    """Invent, put together, ask both, print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--here", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _invent(folder, options.people)
        ours, seconds = _ours(folder, options.runs)
        asked = (f"--folder={folder}", f"--runs={options.runs}")
        packages = None if options.here else _RIVAL
        theirs = surely_measured("opendp_joined", *asked, packages=packages)
    print("| question | ε | our error | by hand | ratio | our answer | by hand, release alone |")
    print("|---|---|---|---|---|---|---|")
    for question in QUESTIONS:
        for epsilon in map(str, EPSILONS):
            (error, took), (other, took_them) = (f[question][epsilon] for f in (ours, theirs))
            numbers = f"{error:.4g} | {other:.4g} | {ratio(error, other)}"
            times = f"{1000 * took:.1f} ms | {1000 * took_them:.1f} ms"
            print(f"| {question} | {epsilon} | {numbers} | {times} |")
    kept = f"{theirs['rows']:,} rows kept"
    print(f"\n{kept}; put together once: ours {seconds:.2f} s, by hand {theirs['joining']:.2f} s")


def _invent(folder: Path, people: int) -> None:
    """Seeded: one to four visits and costs of each person; one in ten is in one table only."""
    rng = np.random.default_rng(1)
    for name, most in (("visits", 9), ("costs", PAID_MOST)):
        here = np.flatnonzero(rng.random(people) < 0.95)
        ids = np.repeat(here, rng.choice([1, 2, 3, 4], p=[0.6, 0.25, 0.1, 0.05], size=len(here)))
        value = np.minimum(most, rng.gamma(2.0, most / 8, size=len(ids))).astype(np.int64)
        column = "days" if name == "visits" else "paid"
        with duckdb.connect() as connection:
            connection.register("made", {"id": ids, column: value})
            target = folder / f"{name}.parquet"
            connection.execute(f"COPY (SELECT * FROM made) TO '{target}' (FORMAT parquet)")


def _ours(folder: Path, runs: int) -> tuple[dict[str, dict[str, tuple[float, float]]], float]:
    """Of each question at each ε the root mean squared error and median time; and the making."""
    parents = []
    for name, spec in (("visits", _DAYS), ("costs", _PAID)):
        stored, table = folder / f"{name}.duckdb", folder / f"{name}.parquet"
        made: dict[str, Any] = {"max_rows": 10**9, "memory_bytes": _MEMORY, "key": b"k" * 32}
        unit = UnitNames("id", max_rows=USED)
        store(open_table(table, format_name="parquet"), stored, columns=(spec,), unit=unit, **made)
        parents.append(Parent(str(stored), USED, (0,)))
    begun, joined = time.perf_counter(), folder / "joined.duckdb"
    derive(parents[0], parents[1], joined, rows_of_unit=KEPT, memory_bytes=_MEMORY)
    seconds = time.perf_counter() - begun
    with duckdb.connect(str(joined), read_only=True) as connection:
        rows = connection.execute("SELECT c0, c1 FROM data").fetchnumpy()
    # Codes are the values here: both columns count from nought in steps of one.
    true = truths(rows["c0"].astype(np.int64), rows["c1"].astype(np.int64))
    answer = _asking(joined)
    found = {
        question: {
            str(epsilon): _measured(answer, question, epsilon, true[question], runs)
            for epsilon in EPSILONS
        }
        for question in QUESTIONS
    }
    return found, seconds


def _measured(
    answer: Callable[[str, float], list[float]],
    question: str,
    epsilon: float,
    true: list[float],
    runs: int,
) -> tuple[float, float]:
    squares, took = [], []
    for _ in range(runs):
        begun = time.perf_counter()
        found = answer(question, epsilon)
        took.append(time.perf_counter() - begun)
        squares.append(np.mean((np.array(found) - np.array(true)) ** 2))
    return float(np.sqrt(np.mean(squares))), statistics.median(took)


def _asking(joined: Path) -> Callable[[str, float], list[float]]:
    """From a plan to its released numbers, as a worker does it that has the file open."""
    schema = DatasetSchema(
        (_DAYS, _PAID), PrivacyUnit("id", KEPT), Neighbouring.ADD_REMOVE, 1, 10**6, None, Mode.PURE
    )
    engine = DuckDBEngine(joined, seconds=600)

    def answer(question: str, epsilon: float) -> list[float]:
        body = _BODIES[question] | {"epsilon": epsilon}
        blueprint = prepare(parse_plan(body, schema, dataset="joined"), schema)
        body = draw(blueprint, [engine.answer(request) for request in blueprint.requests])
        cells = body["statistics"][0]["cells"]
        # The last bin is of everything else, which nobody asks the other tool for.
        return [float(cell["value"]) for cell in cells][: len(cells) - (len(cells) > 1)]

    return answer


_BODIES: dict[str, dict[str, Any]] = {
    "count": {"statistics": [{"statistic": "count"}]},
    "sum of paid": {"statistics": [{"statistic": "sum", "column": "paid"}]},
    "mean of paid": {"statistics": [{"statistic": "mean", "column": "paid"}]},
    "count by days": {
        "statistics": [{"statistic": "count"}],
        "group_by": [{"column": "days", "edges": list(range(11))}],
    },
}

if __name__ == "__main__":
    main()
