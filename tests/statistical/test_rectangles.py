"""M9d: what is drawn for rectangles tells of a row what was paid for, and nearly that.

Under pure ε, the whole way: a CSV file that is ingested, the cells as the engine counts them, the
sums of both strategies, and the noise. Few bins are drawn by themselves. From about 65 by 65 bins
on sums of a tree are drawn, each row in several of them: there all of these have to be telling at
once, so that the event is fixed beforehand, and the sums that no row of the neighbour moves, which
have noise of their own, are not drawn.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from opendp.mod import Measurement

from dpgov.engines.files import DuckDBEngine
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.mechanisms import draw
from dpgov.privacy.mechanisms.cumulative import Cumulative
from dpgov.privacy.mechanisms.mechanism import ROWS
from dpgov.privacy.mechanisms.table import Measured, table_of
from dpgov.privacy.noise import sampling
from dpgov.privacy.noise.lower_bound import epsilon_bound, lower_bound_of_epsilon
from dpgov.privacy.noise.noise import Floats, Noise
from dpgov.privacy.noise.sensitivity import Sensitivity
from dpgov.privacy.plan.parsing.plans import parse_plan
from tests.statistical.evidence import FALSE_ALARM
from tests.unit.engines.tables import ingest_here, number, write_csv
from tests.unit.privacy.tables import schema_of

pytestmark = pytest.mark.statistical
CLAIM, DRAWN, MANY = 2, 60_000, 80_000
AGE, PAID = number("age", "0", "99"), number("paid", "0", "99")
BEFORE = [(10, 10), (50, 20), (99, 80)]
AFTER = [*BEFORE, (50, 50)]
# The row that is more is in the second of four bins of each column: those of few, and the missing.
MOVED = 4 + 1
FEW, FINE = [0, 40, 60, 100], [place * 1.5 for place in range(65)]
Mechanism = tuple[Cumulative, list[Measured]]


def asked(folder: Path, rows: list[tuple[int, int]], edges: list[Any], epsilon: float) -> Mechanism:
    """The mechanism of a question at this price, and what the engine counted for it."""
    source = write_csv(folder / f"{len(rows)}.csv", ["age", "paid"], rows)
    ingest_here(source, (AGE, PAID))
    schema = schema_of(AGE, PAID, mode=Mode.PURE)
    groups = [{"column": column, "edges": edges} for column in ("age", "paid")]
    raw = {"statistics": [{"statistic": "joint_cdf"}], "group_by": groups, "epsilon": epsilon}
    blueprint = prepare(parse_plan(raw, schema, dataset="people"), schema)
    (mechanism,), (request,) = blueprint.mechanisms, blueprint.requests
    assert isinstance(mechanism, Cumulative)
    exact = DuckDBEngine(source.with_suffix(".duckdb"), seconds=30).answer(request)
    return mechanism, list(table_of(request.measures, exact))


def of_few(folder: Path, rows: list[tuple[int, int]], epsilon: float) -> Floats:
    """All counts of many answers, each made of its own noisy sums."""
    mechanism, table = asked(folder, rows, FEW, epsilon)
    assert mechanism.strategy.name == "bins by bins"
    (column,) = mechanism.run(table * DRAWN).columns
    values = [cell["value"] for cell in column.cells]
    return np.array(values, dtype=np.float64).reshape(DRAWN, -1)


def seen_of_few(folder: Path, epsilon: float) -> float:
    first, second = (of_few(folder, rows, epsilon) for rows in (AFTER, BEFORE))
    # The rows of each cell, out of the counts up to it.
    cells = [
        np.diff(np.diff(found.reshape(DRAWN, 4, 4), axis=1, prepend=0), axis=2, prepend=0)
        for found in (first, second)
    ]
    pair = tuple(found.reshape(DRAWN, -1) for found in cells)
    return max(_bound(*pair), _bound(*(found[:, [MOVED]] for found in pair)))


def _bound(one: Floats, other: Floats) -> float:
    """With half of the false alarms: of all cells, and of the one that the row is in.

    Of all of them together something else is learned now and then, and then less is seen.
    """
    return lower_bound_of_epsilon(one, other, alpha=FALSE_ALARM / 2)


def sums_of(mechanism: Cumulative, table: list[Measured]) -> Any:
    rows = np.array([cell[ROWS] for cell in table], dtype=np.int64)
    (sums,) = mechanism.strategy.drawn_of(rows)
    return sums


def seen_of_trees(folder: Path, epsilon: float) -> float:
    """By the event that every sum is at least what it is with the row."""
    (mechanism, without), (_, with_row) = (
        asked(folder, rows, FINE, epsilon) for rows in (BEFORE, AFTER)
    )
    assert "tree" in mechanism.strategy.name
    before, after = (sums_of(mechanism, table) for table in (without, with_row))
    moved = np.flatnonzero(after - before)
    # The neighbour is one of those for whom the noise is made.
    assert int(np.abs(after - before).sum()) == mechanism.taken.reach.l1
    counts = []
    for sums in (after, before):
        exact = sums[moved].tolist() * MANY
        drawn = np.array(mechanism.taken.add_noise(exact)).reshape(MANY, -1)
        counts.append(int((drawn >= after[moved]).all(axis=1).sum()))
    ones, others = counts
    return epsilon_bound(ones, others, MANY, alpha=FALSE_ALARM)


@pytest.mark.parametrize("seen", [seen_of_few, seen_of_trees])
def test_one_row_more_is_seen_as_far_as_was_paid_for(tmp_path: Path, seen: Any) -> None:
    """0.85 of the claim at least, and never more than it."""
    shown = seen(tmp_path, CLAIM)
    print(f"shown of a claimed {CLAIM}: {shown:.3f}")
    assert 0.85 * CLAIM < shown <= CLAIM


def test_noise_that_is_made_for_fewer_sums_would_be_seen(tmp_path: Path) -> None:
    """Negative control: a quarter less noise, of few bins. At this price trees are not drawn."""
    assert seen_of_few(tmp_path, 2.7) > CLAIM


def test_trees_with_noise_for_three_sums_of_four_would_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: the same trees at the same price, and a quarter less noise."""
    honest = draw.calibrated

    def weaker(reach: Sensitivity, loss: Loss) -> tuple[Noise, Measurement]:
        paid, _ = honest(reach, loss)
        smaller = replace(paid, scale=paid.scale * 3 / 4)
        return smaller, sampling.laplace_of(smaller.scale)

    monkeypatch.setattr(draw, "calibrated", weaker)
    shown = seen_of_trees(tmp_path, CLAIM)
    print(f"shown of a claimed {CLAIM}: {shown:.3f}")
    assert shown > CLAIM
