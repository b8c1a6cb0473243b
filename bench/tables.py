"""The error of whole sets of tables: as separate answers, as they are drawn, fitted, and by MWEM.

`uv run bench/tables.py [--runs 20] [--mwem 5] [--work pairs] [--with mbi]`: the Adult data, six
columns, root mean squared errors over all counts of all asked tables, in rows, at the same total ε.
"Separate" is every table asked by itself; "drawn" is the way that a quote chooses; "rows" are the
counts of synthetic rows out of it. MWEM (Hardt, Ligett and McSherry 2012) is told the number of
rows: each of its rounds chooses a table by noisy max of its error, draws it, and updates by
multiplicative weights over all that it has drawn; the best of three numbers of rounds is shown,
which a user could not choose. With `--with mbi`, which takes minutes, OpenDP's MST and AIM answer
the same workloads (all pairs, where none is named), too, with `--with smartnoise` those of
SmartNoise, in environments of their own; one run of each.
"""

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from numpy.typing import NDArray

from bench.apart import surely_measured
from bench.rivals.tasks import AGE_EDGES, PAIRED, categories, rows
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.answer.batch import Batch, priced
from dpgov.privacy.answer.covers import Cover
from dpgov.privacy.answer.fitting import Axis, ReleasedTable, fit, total_of
from dpgov.privacy.answer.table_sets import parse_table_set
from dpgov.privacy.mechanisms.mechanism import Summed
from dpgov.privacy.noise import sampling
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit
from dpgov.privacy.reuse.synthetic import synthesise

Floats = NDArray[np.float64]
Asked = Sequence[tuple[int, ...]]
EDGES = [*AGE_EDGES, 90]
WORK: dict[str, tuple[int, int]] = {
    "each column": (6, 1),
    "pairs": (6, 2),
    "triples": (6, 3),
    "pairs of four columns": (4, 2),
    "pairs of three columns": (3, 2),
    "all of three columns": (3, 3),
}
EPSILONS = ("0.1", "1", "5")
ROUNDS = (5, 10, 20)
RIVALS = {"mbi": "opendp[mbi]==0.16.0", "smartnoise": "smartnoise-synth==1.0.8"}
# Over everything that MWEM has drawn so far, in each round.
_PASSES = 10


@dataclass(frozen=True, slots=True)
class People:
    """The exact table of all columns, and what is declared of them."""

    schema: DatasetSchema
    columns: list[dict[str, Any]]
    cells: Floats

    def part(self, columns: int) -> "People":
        """The first so many columns alone."""
        whole = self.cells.sum(axis=tuple(range(columns, self.cells.ndim)))
        return People(self.schema, self.columns[:columns], whole)


def people() -> People:
    """Adult, with age in bins; each axis ends with the bin for everything else."""
    table = rows()
    named = {name: categories(table, name) for name in PAIRED}
    places = [
        [known.index(row[name]) if row[name] in known else len(known) for row in table]
        for name, known in named.items()
    ]
    ages = [int(row["age"]) for row in table]
    places.append([min(int(np.searchsorted(EDGES, a, "right")) - 1, 5) for a in ages])
    shape = (*(len(known) + 1 for known in named.values()), len(EDGES))
    counted = np.bincount(np.ravel_multi_index(tuple(map(np.array, places)), shape))
    whole = np.zeros(math.prod(shape))
    whole[: len(counted)] = counted
    specs = [
        column_spec(name, category_domain(known), MissingRule.DROP, "")
        for name, known in named.items()
    ]
    specs.append(column_spec("age", numeric_domain("17", "90", "1"), MissingRule.DROP, ""))
    schema = DatasetSchema(
        tuple(specs), PrivacyUnit(), Neighbouring.ADD_REMOVE, group_size=1, max_rows=100_000
    )
    columns = [{"column": name} for name in PAIRED] + [{"column": "age", "edges": EDGES}]
    return People(schema, columns, whole.reshape(shape))


def marginal(cells: Floats, kept: Sequence[int]) -> Floats:
    """The table of these axes."""
    found: Floats = cells.sum(axis=tuple(n for n in range(cells.ndim) if n not in kept))
    return found


def squares(found: Floats, of: People, asked: Asked) -> float:
    """The mean squared error over all counts of the asked tables."""
    apart = [marginal(found, table) - marginal(of.cells, table) for table in asked]
    return sum(float((one**2).sum()) for one in apart) / sum(one.size for one in apart)


def drawn(batch: Batch, of: People) -> list[tuple[tuple[int, ...], ReleasedTable]]:
    """Each drawn table with its noise, as the product draws it."""
    found = []
    names = [column["column"] for column in of.columns]
    for blueprint in priced(batch, of.schema):
        (mechanism,) = blueprint.mechanisms
        if not isinstance(mechanism, Summed):
            raise SystemExit("a count that is no noisy sum")
        kept = tuple(names.index(grouping.column) for grouping in blueprint.plan.group_by)
        exact = marginal(of.cells, kept)
        noisy = mechanism.taken.add_noise([int(value) for value in exact.ravel()])
        axes = tuple(Axis(names[n], tuple(map(str, range(of.cells.shape[n])))) for n in kept)
        counts = np.array(noisy, dtype=np.float64).reshape(exact.shape)
        found.append((kept, ReleasedTable(axes, counts, mechanism.taken.noise.variance)))
    return found


def read_off(
    tables: list[tuple[tuple[int, ...], ReleasedTable]], of: People, asked: Asked
) -> float:
    """The mean squared error of asked tables that are read off the smallest drawn one."""
    off, cells = 0.0, 0
    for table in asked:
        fitting = [one for one in tables if set(table) <= set(one[0])]
        kept, source = min(fitting, key=lambda one: one[1].counts.size)
        places = [kept.index(n) for n in table]
        apart = marginal(source.counts, places) - marginal(of.cells, table)
        off, cells = off + float((apart**2).sum()), cells + apart.size
    return off / cells


def mwem(of: People, asked: Asked, epsilon: float, rounds: int) -> Floats:
    """Textbook multiplicative weights over whole tables; half of each round's ε for the choice."""
    rows_known = float(of.cells.sum())
    cells = np.full(of.cells.shape, rows_known / of.cells.size)
    part = epsilon / rounds / 2
    noise = sampling.laplace(1, round(part * NANO))[1]
    known: list[tuple[tuple[int, ...], Floats]] = []
    for _ in range(rounds):
        off = [float(np.abs(marginal(of.cells, t) - marginal(cells, t)).sum()) for t in asked]
        gumbel = -np.log(-np.log(np.random.default_rng().random(len(asked))))
        chosen = asked[int(np.argmax(np.array(off) * part / 2 + gumbel))]
        exact = marginal(of.cells, chosen)
        drew = sampling.add_noise([int(value) for value in exact.ravel()], noise)
        known.append((chosen, np.array(drew, dtype=np.float64).reshape(exact.shape)))
        for table, noisy in known * _PASSES:
            apart = noisy - marginal(cells, table)
            others = tuple(n for n in range(cells.ndim) if n not in table)
            cells = cells * np.exp(np.expand_dims(apart, others) / (2 * rows_known))
            cells *= rows_known / cells.sum()
    return cells


def lines(options: argparse.Namespace) -> Iterator[str]:
    """One for each workload and ε."""
    everybody = people()
    chosen = {name: WORK[name] for name in options.work.split(",")} if options.work else WORK
    for name, (columns, size) in chosen.items():
        of = everybody.part(columns)
        asked = list(combinations(range(columns), size))
        for epsilon in EPSILONS:
            yield _line(name, of, asked, epsilon, options)


def _line(name: str, of: People, asked: Asked, epsilon: str, options: argparse.Namespace) -> str:
    size = len(asked[0])
    body = {"columns": of.columns, "tables": size, "epsilon": epsilon}
    separate = parse_table_set(body | {"method": "separate_tables"}, of.schema, dataset="adult")
    best = parse_table_set(body, of.schema, dataset="adult")
    if not isinstance(best.cover, Cover):
        raise SystemExit("a set of tables without a cover")
    alone, off, fitted, seconds = [], [], [], []
    made = []
    for _ in range(options.runs):
        alone.append(read_off(drawn(separate, of), of, asked))
        tables = drawn(best, of)
        off.append(read_off(tables, of, asked))
        began = time.process_time()
        given = [table for _, table in tables]
        axes = [
            Axis(column["column"], tuple(map(str, range(bins))))
            for column, bins in zip(of.columns, of.cells.shape, strict=True)
        ]
        fitted.append(squares(fit(given, axes, total_of(given)), of, asked))
        seconds.append(time.process_time() - began)
        rows_made = synthesise(given)
        order = [rows_made.axes.index(axis) for axis in axes]
        made.append(squares(np.transpose(rows_made.counts, order).astype(float), of, asked))
    rival = [
        _rmse(
            [
                squares(mwem(of, asked, float(epsilon), rounds), of, asked)
                for _ in range(options.mwem)
            ]
        )
        for rounds in ROUNDS
    ]
    method = f"{best.cover.chosen.method.value}, {len(best.plans)}"
    errors = [_rmse(one) for one in (alone, off, fitted, made)]
    shown = " | ".join(f"{error:.4g}" for error in (*errors, min(rival)))
    return f"| {name} | {epsilon} | {method} | {shown} | {max(seconds):.2f} s |"


def _rmse(of_runs: list[float]) -> float:
    return math.sqrt(sum(of_runs) / len(of_runs))


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--mwem", type=int, default=5)
    parser.add_argument("--work", help="some of the workloads, by commas, in place of all")
    parser.add_argument(
        "--with", dest="rival", choices=list(RIVALS), help="another tool, for the same"
    )
    options = parser.parse_args()
    print("| tables | ε | drawn | separate | drawn | fitted | rows | MWEM | a fit takes |")
    print("|---|---|---|---|---|---|---|---|---|")
    for line in lines(options):
        print(line, flush=True)
    if options.rival:
        for name in (options.work or "pairs").split(","):
            print(f"\n{name}\n{_of_models(options.rival, *WORK[name])}")


def _of_models(rival: str, columns: int, size: int) -> str:
    """The errors of another tool's models for all tables of this size, one run of each."""
    wanted = f"--columns={columns}", f"--size={size}"
    found = surely_measured(f"{rival}_tables", *wanted, packages=[RIVALS[rival]])
    return "\n".join(f"{method}: {errors}" for method, errors in found.items())


if __name__ == "__main__":
    main()
