"""M2: synthetic rows agree with released tables, come from them alone, and are bounded in work.

What could go wrong: chance or data of its own in a file that claims to be post-processing; counts
below zero or another number of rows than released; a fit that takes the memory of the machine.
"""

import math
from itertools import combinations

import numpy as np
import pytest

from dpgov.privacy.answer.fitting import (
    MAX_CELLS,
    Axis,
    ReleasedTable,
    TooManyCells,
    axes_of,
    fit,
    needs_of,
    total_of,
)
from dpgov.privacy.answer.plausible import adjusted_table
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.reuse import synthetic
from dpgov.privacy.reuse.synthetic import synthesise

AXES = tuple(
    Axis(name, tuple(f"{name}{n}" for n in range(bins)))
    for name, bins in (("a", 3), ("b", 5), ("c", 4), ("d", 6))
)


def people(seed: int, rows: int = 20_000) -> Floats:
    """Invented people whose columns depend on each other."""
    chance = np.random.default_rng(seed)
    shape = tuple(len(axis.bins) for axis in AXES)
    whole = np.zeros(shape)
    for _ in range(4):
        parts = [chance.dirichlet(np.ones(size)) for size in shape]
        whole += np.einsum("a,b,c,d->abcd", *parts)
    drawn = chance.multinomial(rows, (whole / whole.sum()).ravel()).reshape(shape)
    return drawn.astype(np.float64)


def marginal(cells: Floats, kept: tuple[int, ...]) -> Floats:
    found: Floats = cells.sum(axis=tuple(n for n in range(cells.ndim) if n not in kept))
    return found


PAIRS = list(combinations(range(len(AXES)), 2))


def tables_of(cells: Floats, scale: float, seed: int = 0) -> list[ReleasedTable]:
    chance = np.random.default_rng(seed)
    return [
        ReleasedTable(
            tuple(AXES[n] for n in pair),
            (true := marginal(cells, pair)) + chance.laplace(0, scale, true.shape),
            2 * scale**2,
        )
        for pair in PAIRS
    ]


def rmse(found: Floats, true: Floats) -> float:
    apart = [marginal(found, pair) - marginal(true, pair) for pair in PAIRS]
    squares = sum(float((one**2).sum()) for one in apart)
    return math.sqrt(squares / sum(one.size for one in apart))


def test_tables_without_noise_are_met() -> None:
    true = people(1)
    tables = tables_of(true, 1e-3)
    total = total_of(tables)
    assert total == true.sum()
    assert rmse(fit(tables, AXES, total), true) < 2


@pytest.mark.parametrize("seed", range(5))
def test_the_fit_is_nearer_to_the_truth_than_the_noisy_tables_are(seed: int) -> None:
    """M2: what several tables say of one column is put together."""
    true = people(seed)
    tables = tables_of(true, 8, seed)
    apart = [table.counts - marginal(true, p) for table, p in zip(tables, PAIRS, strict=True)]
    squares = sum(float((one**2).sum()) for one in apart)
    noisy = math.sqrt(squares / sum(one.size for one in apart))
    assert rmse(fit(tables, AXES, total_of(tables)), true) < 0.95 * noisy
    assert rmse(synthesise(tables).counts.astype(np.float64), true) < 1.02 * noisy


def test_rows_are_whole_never_negative_and_as_many_as_released() -> None:
    tables = tables_of(people(2, 300), 20)
    made = synthesise(tables)
    assert made.rows == made.stands_for == total_of(tables)
    assert made.counts.min() >= 0
    columns = {axis.column: places for axis, places in made.columns()}
    assert list(columns) == ["a", "b", "c", "d"]
    assert all(len(places) == made.rows for places in columns.values())
    counted = np.bincount(columns["b"], minlength=5)
    assert counted.tolist() == made.counts.sum(axis=(0, 2, 3)).tolist()


def test_the_same_tables_make_the_same_rows() -> None:
    """M2: no chance of its own; whoever reads the releases can make the file again."""
    tables = tables_of(people(3), 8)
    first, again = synthesise(tables), synthesise(tables)
    assert (first.counts == again.counts).all()


def test_rounding_keeps_the_sum_up_to_every_cell() -> None:
    tables = tables_of(people(4, 100), 1)
    fitted = fit(tables, AXES, total_of(tables))
    rows = synthesise(tables).counts
    off = np.abs(np.cumsum(fitted.ravel()) - np.cumsum(rows.ravel()))
    assert off.max() <= 0.5 + 1e-6


def test_one_table_is_made_plausible_as_its_answer_is() -> None:
    counts = np.array([[12.0, -3.0, 4.0], [0.0, -1.0, 7.0], [2.0, 2.0, -5.0]])
    table = ReleasedTable((*AXES[:1], Axis("e", ("x", "y", "z"))), counts, 2.0)
    fitted = fit([table], table.axes, total_of([table]))
    adjusted = np.array(adjusted_table(counts.ravel().tolist())).reshape(3, 3)
    assert np.abs(fitted - adjusted).max() < 1


def test_an_empty_table_makes_no_rows() -> None:
    empty = ReleasedTable(AXES[:2], np.full((3, 5), -2.0), 2.0)
    assert synthesise([empty]).rows == 0
    assert synthesise([empty, ReleasedTable(AXES[1:3], np.zeros((5, 4)), 2.0)]).rows == 0


def test_more_exact_tables_count_for_more() -> None:
    exact = ReleasedTable(AXES[:1], np.array([50.0, 30.0, 20.0]), 0.01)
    rough = ReleasedTable(AXES[:2], np.full((3, 5), 20.0), 1e4)
    assert total_of([exact, rough]) == 100
    found = fit([exact, rough], axes_of([exact, rough]), 100).sum(axis=1)
    assert np.abs(found - exact.counts).max() < 1


def test_too_many_cells_are_refused_before_anything_is_computed() -> None:
    """M2: memory and time are bounded by the number of cells, which is public."""
    wide = [Axis(name, tuple(map(str, range(100)))) for name in "xyz"]
    tables = [ReleasedTable((axis,), np.zeros(100), 1.0) for axis in wide]
    with pytest.raises(TooManyCells) as refused:
        synthesise(tables)
    assert refused.value.cells == 1_000_000
    assert "at most 200000" in str(refused.value)


def test_no_more_rows_than_a_file_should_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic, "MAX_ROWS", 1000)
    made = synthesise(tables_of(people(5), 1))
    assert made.rows == 1000
    assert abs(made.stands_for - 20_000) < 200


def test_what_a_fit_needs_is_told_from_the_numbers_of_cells_and_tables() -> None:
    """M2: it grows with both, is bounded, and is told of no table that is not fitted."""
    small, large = needs_of(1_000, 3), needs_of(MAX_CELLS, 20)
    assert small is not None
    assert large is not None
    assert (small.seconds, small.megabytes) == (0.1, 1)
    assert (large.seconds, large.megabytes) == (1.7, 16)
    assert needs_of(MAX_CELLS + 1, 1) is None
