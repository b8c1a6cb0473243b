"""The error of tables that are chosen adaptively, beside that of tables that are fixed beforehand.

`uv run bench/adaptive.py [--runs 1] [--rounds 8,15] [--epsilons 0.1,1] [--work pairs,triples]`: the
Adult data of `bench/tables.py`, root mean squared errors over all counts of all asked tables, in
rows, at the same total ε and after the same fit. "Fixed": the tables that a quote chooses. "AIM's
part": a tenth of the price chooses, and a table's noise is taken off its score. "MWEM": half of
the price chooses, by the error alone. Both know no number of rows; the number of rounds is what
nobody can know beforehand.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from bench.tables import Floats, People, drawn, people, squares
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.answer.covers import IN_ROUNDS
from dpgov.privacy.answer.fitting import Axis, ReleasedTable, fit, total_of
from dpgov.privacy.answer.rounds import model_of, released_tables
from dpgov.privacy.answer.table_sets import parse_table_set
from dpgov.privacy.mechanisms.chosen import ChosenTables
from dpgov.privacy.mechanisms.table import Counted

WORK = {"pairs_of_three": (3, 2), "pairs": (6, 2), "triples": (6, 3), "fours": (6, 4)}


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--rounds", default="8,15")
    parser.add_argument("--epsilons", default="0.1,1")
    parser.add_argument("--work", default="pairs,triples")
    options = parser.parse_args()
    print("| tables | ε | fixed, fitted | rounds | AIM's part | MWEM |\n|---|---|---|---|---|---|")
    everybody = people()
    for name in options.work.split(","):
        columns, size = WORK[name]
        for epsilon in options.epsilons.split(","):
            for line in _lines(everybody.part(columns), size, epsilon, options):
                print(f"| {name} | {epsilon} | {line} |", flush=True)


def _lines(of: People, size: int, epsilon: str, options: argparse.Namespace) -> Iterator[str]:
    asked = list(combinations(range(of.cells.ndim), size))
    body = {"columns": of.columns, "tables": size, "epsilon": epsilon}
    batch = parse_table_set(body, of.schema, dataset="adult")
    fixed = _mean(
        squares(_fitted(of, [table for _, table in drawn(batch, of)]), of, asked)
        for _ in range(options.runs)
    )
    for rounds in map(int, options.rounds.split(",")):
        offered = [
            _mechanism(body | {"method": method.value, "rounds": rounds}, of)
            for method in IN_ROUNDS
        ]
        found = [
            _mean(squares(_chosen(of, one), of, asked) for _ in range(options.runs))
            for one in offered
        ]
        yield " | ".join([f"{fixed:.4g}", str(rounds), *(f"{error:.4g}" for error in found)])


def _mechanism(body: dict[str, Any], of: People) -> ChosenTables:
    """As the product asks it."""
    (plan,) = parse_table_set(body, of.schema, dataset="adult").plans
    found = prepare(plan, of.schema).chooses
    if found is None:
        raise SystemExit("nothing is chosen")
    return found


def _chosen(of: People, mechanism: ChosenTables) -> Floats:
    """The counts of all cells that the rounds together lead to."""
    table = Counted(mechanism.measures, np.rint(of.cells).astype(np.int64).reshape(-1, 1))
    rounds = mechanism.choose(table, model_of(mechanism))
    return _fitted(of, released_tables(mechanism, rounds))


def _fitted(of: People, tables: Sequence[ReleasedTable]) -> Floats:
    """Counts of all cells; even over the columns of which no table was drawn."""
    places = {axis.column: place for place, axis in enumerate(_axes(of))}
    known = sorted({axis for table in tables for axis in table.axes}, key=lambda a: _at(a, places))
    cells = fit(tables, known, total_of(tables))
    shape = [1] * of.cells.ndim
    for axis in known:
        shape[_at(axis, places)] = len(axis.bins)
    rest = of.cells.size / cells.size
    even: Floats = np.broadcast_to(cells.reshape(shape) / rest, of.cells.shape)
    return even


def _at(axis: Axis, places: dict[str, int]) -> int:
    """Released tables of rounds name a column by its place, others by its name."""
    return places[axis.column] if axis.column in places else int(axis.column)


def _axes(of: People) -> list[Axis]:
    names = [column["column"] for column in of.columns]
    sizes = of.cells.shape
    return [Axis(name, tuple(map(str, range(n)))) for name, n in zip(names, sizes, strict=True)]


def _mean(found: Iterator[float]) -> float:
    errors = list(found)
    return float((sum(errors) / len(errors)) ** 0.5)


if __name__ == "__main__":
    main()
