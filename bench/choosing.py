"""How long quantiles take among the most candidates there may be, part by part.

`uv run bench/choosing.py [--rows 1000000] [--rounds 9]`: an invented table as the product stores
it, whose income has 1,000,000 possible values and hence 62,500 candidates. For each question, under
ε and under ρ: the plan made ready, the scan, the choice with its noise, and all of it beside
DuckDB's own `quantile_disc` of the same column, in turns within one run. Then the choice alone, of
65,536 scores that are shaped as awkwardly as tables can make them. Processor time of all threads.
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

from dpgov.engines.files import DuckDBEngine
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.answer.release import draw
from dpgov.privacy.mechanisms.grid import MOST_CANDIDATES
from dpgov.privacy.noise import sampling
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.request import Counts
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit

_INCOME = column_spec("income", numeric_domain("0", "999999", "1"), MissingRule.DROP, "")
_QUESTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "median": ({"statistic": "median"}, "0.5"),
    "nine quantiles": (
        {"statistic": "quantiles", "quantiles": [n / 10 for n in range(1, 10)]},
        "[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]",
    ),
    "least": ({"statistic": "min"}, "0.0"),
}
_PRICES: dict[Mode, dict[str, str]] = {Mode.PURE: {"epsilon": "0.1"}, Mode.ZCDP: {"rho": "0.005"}}


def main() -> None:
    """Measure both and print two tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print("| question | made ready | scan | choice | together | DuckDB alone | ratio |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        paths = [_table(Path(folder) / name, options.rows) for name in ("ours", "plain")]
        for mode in Mode:
            for name in _QUESTIONS:
                _question(name, mode, paths, options)
    print("\n| scores | ε 0.1: median, slowest | ε 1 | ρ 0.005 | ρ 0.5 |")
    print("|---|---|---|---|---|")
    for shape, scores in _shapes().items():
        losses = [Loss(Mode.PURE, n) for n in (NANO // 10, NANO)]
        losses += [Loss(Mode.ZCDP, n) for n in (NANO // 200, NANO // 2)]
        print(
            f"| {shape} | {' | '.join(_chosen(scores, loss, options.rounds) for loss in losses)} |"
        )


def _table(path: Path, rows: int) -> Path:
    """Incomes with a long tail, as in tables of people."""
    code = "least(999999, (exp(2.2 * (hash(i) % 100000) / 100000 + 9))::UINTEGER)"
    with duckdb.connect(str(path), config={"threads": 1}) as connection:
        connection.execute(f"CREATE TABLE data AS SELECT {code} AS c0 FROM range({rows}) t(i)")
    return path


def _question(name: str, mode: Mode, paths: list[Path], options: argparse.Namespace) -> None:
    schema = DatasetSchema(
        (_INCOME,), PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, options.rows, options.rows, mode
    )
    asked, orders = _QUESTIONS[name]
    raw = {"statistics": [asked | {"column": "income"}]} | _PRICES[mode]
    engine = DuckDBEngine(paths[0], seconds=600)
    plain = duckdb.connect(str(paths[1]), read_only=True, config={"threads": 2})
    found = []
    for _ in range(options.rounds + 1):
        began = time.process_time()
        blueprint = prepare(parse_plan(raw, schema, dataset="bench"), schema)
        ready = time.process_time()
        exact = [engine.answer(request) for request in blueprint.requests]
        read = time.process_time()
        draw(blueprint, exact)
        ended = time.process_time()
        plain.execute(f"SELECT quantile_disc(c0, {orders}) FROM data").fetchall()
        found.append((ready - began, read - ready, ended - read, time.process_time() - ended))
    # The first one opens the file.
    parts = [statistics.median(column) * 1000 for column in zip(*found[1:], strict=True)]
    together = sum(parts[:3])
    cells = [f"{part:.1f} ms" for part in (*parts[:3], together, parts[3])]
    title = f"{name}, {'ε' if mode is Mode.PURE else 'ρ'}"
    print(f"| {title} | {' | '.join(cells)} | {together / parts[3]:.2f} |", flush=True)


def _shapes() -> dict[str, Counts]:
    places = np.arange(MOST_CANDIDATES, dtype=np.int64)
    alone = np.where(places == 0, 0, -1)
    shapes: dict[str, Callable[[], Counts]] = {
        "all alike": lambda: 0 * places,
        "one row a candidate": lambda: -np.abs(2 * places - MOST_CANDIDATES),
        "15 rows a candidate": lambda: -15 * np.abs(2 * places - MOST_CANDIDATES),
        "300 rows, spread": lambda: -np.abs(2 * places - MOST_CANDIDATES) // 220,
        "30 rows of one value": lambda: 30 * alone,
        "300 rows of one value": lambda: 300 * alone,
        "1,000 rows of one value": lambda: 1_000 * alone,
    }
    return {name: shape() for name, shape in shapes.items()}


def _chosen(scores: Counts, loss: Loss, rounds: int) -> str:
    taken = []
    for _ in range(rounds):
        began = time.process_time()
        sampling.highest(scores, sensitivity=1, loss=loss)
        taken.append(1000 * (time.process_time() - began))
    return f"{statistics.median(taken):.1f} ms, {max(taken):.0f} ms"


if __name__ == "__main__":
    main()
