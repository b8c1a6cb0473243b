"""What is known of strategies by formulas: the same as of their matrices, written out."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.mechanisms.cumulative import Cumulative
from dpgov.privacy.mechanisms.draw import calibrated
from dpgov.privacy.mechanisms.strategies import (
    BRANCHINGS,
    SQUARE_ROOT,
    Strategy,
    _of_ranges,
    _variances,
    _weights,
    strategies,
)
from dpgov.privacy.plan.plan import InvalidPlan
from tests.unit.privacy.tables import blueprint_of, question, schema_of

CDF = {"statistic": "cdf"}


def mechanism(bins: int, mode: Mode) -> Cumulative:
    """Of so many bins, of which the last is for everything else."""
    group = {"column": "age", "edges": [f"{17 + 0.05 * place:.2f}" for place in range(bins)]}
    (found,) = blueprint_of(question(CDF, group_by=[group]), schema_of(mode=mode)).mechanisms
    assert isinstance(found, Cumulative)
    return found


def written_out(strategy: Strategy) -> tuple[Any, Any]:
    """Weights and covariance of the counts by least squares, through the matrix itself."""
    sums = strategy.sums.astype(float)
    inverse = np.linalg.inv(sums.T @ sums)
    upto = np.tril(np.ones((strategy.bins, strategy.bins)))
    return upto @ inverse @ sums.T, upto @ inverse @ upto.T


def over_ranges(covariance: Any) -> float:
    """The mean variance of all ranges, one after the other; the first may begin with nothing."""
    ends = np.pad(covariance, ((1, 0), (1, 0)))
    pairs = combinations(range(len(ends)), 2)
    return float(np.mean([ends[i, i] + ends[j, j] - 2 * ends[i, j] for i, j in pairs]))


@pytest.mark.parametrize("branching", [0, *BRANCHINGS, SQUARE_ROOT])
def test_what_is_known_by_formulas_is_what_the_matrix_says(branching: int) -> None:
    """M9c: how far a row moves the sums, in exact integers; and how exact they make counts."""
    for bins in [*range(1, 40), 64, 65, 101]:
        strategy = Strategy(bins, branching)
        sums = strategy.sums
        largest = int(abs(sums).sum(axis=0).max()), int((sums**2).sum(axis=0).max())
        assert (strategy.reach.l1, strategy.reach.l2_squared) == largest
        assert strategy.width == len(sums)
        weights, covariance = written_out(strategy)
        assert np.allclose(strategy.weights, weights, rtol=0, atol=1e-9)
        assert np.allclose(strategy.variances, np.diag(covariance), rtol=1e-9)
        assert strategy.of_ranges == pytest.approx(over_ranges(covariance), rel=1e-9)


def test_the_variances_of_a_tree_are_those_of_exact_fractions() -> None:
    """Of seven bins by twos: the last sum of a level is of fewer bins."""
    sums = Strategy(7, 2).sums
    normal = [[Fraction(int(entry)) for entry in row] for row in sums.T @ sums]
    for count, variance in enumerate(Strategy(7, 2).variances, 1):
        chosen = [Fraction(int(bin_ < count)) for bin_ in range(7)]
        solved = solution(normal, chosen)
        exact = sum(one for one, is_in in zip(solved, chosen, strict=True) if is_in)
        assert variance == pytest.approx(float(exact), rel=1e-14)


def solution(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """By elimination, of a matrix whose leading parts can all be inverted."""
    rows = [[*row, end] for row, end in zip(matrix, right, strict=True)]
    for at, pivot in enumerate(rows):
        rows[at] = pivot = [entry / pivot[at] for entry in pivot]
        for other, row in enumerate(rows):
            if other != at:
                rows[other] = [a - row[at] * b for a, b in zip(row, pivot, strict=True)]
    return [row[-1] for row in rows]


@pytest.mark.parametrize("bins", [2, 16, 17, 63, 101, 256, 257, 300])
@pytest.mark.parametrize("mode", list(Mode))
def test_the_one_that_is_drawn_is_the_best_of_all_that_are_written_out(
    bins: int, mode: Mode
) -> None:
    """E4: formulas choose as the matrices would."""
    loss = Loss(mode, 10**9)
    errors = {
        one: calibrated(one.reach, loss)[0].variance * np.diag(written_out(one)[1]).mean()
        for one in strategies(bins, max_rows=1_000_000)
    }
    found = mechanism(bins, mode).strategy
    assert found == min(errors, key=lambda one: errors[one])


def test_a_quote_inverts_one_matrix_whatever_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the square root; so the most bins that can be asked for are priced at once."""
    inverted: list[int] = []
    real = np.linalg.inv

    def seen(matrix: Any) -> Any:
        inverted.append(len(matrix))
        return real(matrix)

    monkeypatch.setattr(np.linalg, "inv", seen)
    for cached in (_weights, _variances, _of_ranges):
        cached.cache_clear()
    found = mechanism(1_001, Mode.PURE)
    assert found.strategy.bins == 1_001
    assert found.expected(None)[0][1][0]["value"]
    assert inverted == [1_001]


def test_more_bins_than_that_are_refused_before_anything_is_computed() -> None:
    edges = [place / 1_000 for place in range(65_536)]
    groups = [{"column": "age", "edges": edges}]
    with pytest.raises(InvalidPlan, match="2 to 1001 entries, not 65536"):
        blueprint_of(question(CDF, group_by=groups), schema_of())
