"""Cumulative distributions: exact sums of bins, the best of several strategies, honest errors."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.answer.plausible import adjusted_rising, adjusted_table
from dpgov.privacy.mechanisms.cumulative import Cumulative, statements_of_weights
from dpgov.privacy.mechanisms.draw import calibrated
from dpgov.privacy.mechanisms.mechanism import ROWS
from dpgov.privacy.mechanisms.strategies import (
    BRANCHINGS,
    OF_MANY,
    ROOTED,
    SQUARE_ROOT,
    Strategy,
    best_of,
    strategies,
)
from dpgov.privacy.noise.noise import Noise, NoiseKind
from dpgov.privacy.noise.sensitivity import Sensitivity
from dpgov.privacy.noise.spread.sums import bounds_of_many
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit
from tests.reference import Row
from tests.unit.privacy.tables import (
    blueprint_of,
    question,
    release_of,
    rows_of,
    schema_of,
)

CDF = {"statistic": "cdf"}
BY_AGE = {"column": "age", "edges": [17, 20, 40, 60, 91]}
NEARLY_EXACT = 1000


def answer(rows: list[Row], **more: Any) -> Any:
    raw = question(CDF, epsilon=NEARLY_EXACT, group_by=[{"column": "sex"}, BY_AGE], **more)
    return release_of(blueprint_of(raw, schema_of()), rows)["statistics"][0]


@settings(deadline=None)
@given(rows=st.lists(rows_of(), max_size=12))
def test_with_almost_no_noise_each_count_is_of_all_rows_up_to_its_bin(rows: list[Row]) -> None:
    """D7: within each cell of the other groups; the last count is of all rows."""
    expected = []
    for sex in (0, 1, None):
        inside = [age for age, _, _, code, *_ in rows if (code if code in (0, 1) else None) == sex]
        upto = (sum(age is not None and age < below for age in inside) for below in (3, 23, 43, 74))
        expected += [*upto, len(inside)]
    cells = answer(rows)["cells"]
    assert [cell["value"] for cell in cells] == expected
    assert answer(rows)["adjusted"]["values"] == expected


def test_a_cumulative_distribution_needs_edges_in_its_last_group() -> None:
    for groups in ([], [{"column": "sex"}], [BY_AGE, {"column": "sex"}]):
        with pytest.raises(InvalidPlan, match="last group"):
            blueprint_of(question(CDF, group_by=groups), schema_of())


def mechanism(bins: int, schema: DatasetSchema, **more: Any) -> Cumulative:
    """Of so many bins and the one for everything else."""
    edges = [Fraction(17) + Fraction(73 * n, bins) for n in range(bins + 1)]
    group = {"column": "age", "edges": [f"{float(edge):.6f}" for edge in edges]}
    (found,) = blueprint_of(question(CDF, group_by=[group], **more), schema).mechanisms
    assert isinstance(found, Cumulative)
    return found


def single(found: Cumulative) -> Strategy:
    """Its strategy, which is of one column."""
    assert isinstance(found.strategy, Strategy)
    return found.strategy


@pytest.mark.parametrize("mode", list(Mode))
def test_many_bins_are_drawn_in_a_tree_or_by_the_square_root(mode: Mode) -> None:
    """E4, M9c: by the mode and the number of bins alone."""
    assert single(mechanism(1, schema_of())).branching == 0
    many = single(mechanism(500, schema_of(mode=mode)))
    assert many.branching in (OF_MANY if mode is Mode.PURE else (SQUARE_ROOT,))
    alone = Strategy(many.bins, 0)
    loss = Loss(mode, 10**9)

    def error(strategy: Strategy) -> float:
        return calibrated(strategy.reach, loss)[0].variance * float(strategy.variances.mean())

    assert error(many) < 0.5 * error(alone)


@pytest.mark.parametrize("branching", [0, *BRANCHINGS, SQUARE_ROOT])
@pytest.mark.parametrize("bins", [2, 5, 17, 100])
def test_every_strategy_gives_back_the_exact_counts(bins: int, branching: int) -> None:
    """Whatever is drawn, least squares of exact sums are the exact cumulative counts."""
    strategy = Strategy(bins, branching)
    rows = np.arange(bins) ** 2 % 13
    made = strategy.weights @ (strategy.sums @ rows)
    assert np.allclose(made, np.cumsum(rows))
    assert np.allclose((strategy.weights**2).sum(axis=1), strategy.variances)
    if branching != SQUARE_ROOT:
        levels = int(strategy.sums.sum(axis=0).max())
        assert strategy.reach == Sensitivity(levels, levels)


def test_the_square_root_is_a_matrix_of_integers_of_nearly_equal_columns() -> None:
    """M9c: what is drawn has exactly its own sensitivity, whatever rounding did to it."""
    sums = Strategy(300, SQUARE_ROOT).sums
    assert sums.dtype == np.int64
    assert (sums >= 0).all()
    lengths = (sums**2).sum(axis=0)
    assert Strategy(300, SQUARE_ROOT).reach.l2_squared == lengths.max()
    assert lengths.min() > 0.998 * ROOTED**2
    assert lengths.max() < 1.002 * ROOTED**2


@pytest.mark.parametrize("bins", [3, 17, 101, 300])
def test_its_error_is_near_the_least_that_any_strategy_can_have(bins: int) -> None:
    """M9c: (sum of singular values)² / bins² is a lower bound (Li and Miklau, 2013)."""
    least = np.linalg.svd(np.tril(np.ones((bins, bins))), compute_uv=False).sum() ** 2 / bins**2
    found = {
        one.name: one.reach.l2_squared * float(one.variances.mean())
        for one in strategies(bins, max_rows=1_000)
    }
    assert min(found, key=lambda name: found[name]) == "square root"
    assert least <= found["square root"] < 1.11 * least


def test_more_rows_than_floats_can_tell_are_left_to_trees() -> None:
    """D2, M9c: a public number decides it."""
    names = {one.name for one in strategies(50, max_rows=2**32)}
    assert "square root" not in names
    assert "tree of 2" in names


def test_an_amount_that_is_enough_for_the_bins_is_never_refused() -> None:
    """C8: other sums need a little more."""
    schema = schema_of(mode=Mode.ZCDP)
    paid = mechanism(100, schema)
    least = paid.smallest_nano
    assert least == calibrated_least(schema)
    unit = PrivacyUnit("person", 10**9)
    crowded = schema_of(unit=unit)
    smallest = mechanism(100, crowded).smallest_nano
    at_least = mechanism(100, crowded, epsilon=smallest / 10**9)
    assert single(at_least).branching == 0
    assert single(mechanism(100, crowded)).branching > SQUARE_ROOT


def calibrated_least(schema: DatasetSchema) -> int:
    """Of a count by group, which is what bins are."""
    edges = [17, 30, 50, 90]
    asked = question({"statistic": "count"}, group_by=[{"column": "age", "edges": edges}])
    return blueprint_of(asked, schema).mechanisms[0].smallest_nano


@pytest.mark.parametrize("relation", list(Neighbouring))
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("rows", [{}, {"per_unit": {"rows_per_group": 1}}])
def test_a_unit_of_two_rows_stays_within_the_reach_in_all_small_tables(
    relation: Neighbouring, mode: Mode, rows: dict[str, Any]
) -> None:
    """D1, M9c: every place of its rows, before and after."""
    schema = schema_of(neighbouring=relation, mode=mode, unit=PrivacyUnit("person", 2))
    found = mechanism(7, schema, **rows)
    columns = found.strategy.sums.T
    held = [*combinations_with_replacement(range(8), 2), *((bin_,) for bin_ in range(8)), ()]
    if rows:
        held = [places for places in held if len(set(places)) == len(places)]
    vectors = [columns[list(places)].sum(axis=0) for places in held]
    before = vectors if relation is Neighbouring.CHANGE_ONE else [0 * vectors[0]]
    moved = np.array([one - other for one in vectors for other in before])
    assert np.abs(moved).sum(axis=1).max() <= found.taken.reach.l1
    assert (moved**2).sum(axis=1).max() <= found.taken.reach.l2_squared


def test_counts_by_the_square_root_are_as_wrong_as_they_say() -> None:
    """C3, M9c: through the mechanism; the mean squared error and how often bounds hold."""
    found = mechanism(40, schema_of(mode=Mode.ZCDP))
    assert single(found).branching == SQUARE_ROOT
    rows = [{ROWS: bin_ * 7 % 11} for bin_ in range(41)]
    exact = np.cumsum([one[ROWS] for one in rows])
    draws = [found.run(rows).columns[0].cells for _ in range(400)]
    errors = np.array([[cell["value"] for cell in cells] for cells in draws]) - exact
    expected = found.strategy.variances * found.taken.noise.variance
    assert np.mean(errors**2 / (expected + 1 / 12)) == pytest.approx(1, abs=0.12)
    bounds = [cell["accuracy"][1]["value"] for cell in draws[0]]
    assert np.mean(np.abs(errors) <= bounds) > 0.92


def test_a_sum_of_many_is_bounded_where_those_looked_at_are_of_one_draw() -> None:
    """At 90% one Laplace has 1.628 deviations, and the sum of a hundred 1.645 like a normal one."""
    noise = Noise(NoiseKind.LAPLACE, 1000.0)
    weights = np.zeros((5, 100))
    weights[:4, 0] = weights[4, :] = 1.0
    told = statements_of_weights(weights, noise)[4]
    exact = bounds_of_many(noise, weights[4], CONFIDENCE_LEVELS)
    assert all(one["value"] >= bound for one, bound in zip(told, exact, strict=True))


def test_the_best_strategy_is_chosen_from_the_number_of_bins_and_the_noise_alone() -> None:
    """E4: the same each time."""
    first, second = (
        best_of(strategies(200, max_rows=1_000), lambda one: one.reach.l1**2.0) for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("relation", list(Neighbouring))
@pytest.mark.parametrize("bins", [3, 60])
@pytest.mark.parametrize("mode", list(Mode))
def test_a_row_that_comes_goes_or_moves_stays_within_the_reach(
    relation: Neighbouring, bins: int, mode: Mode
) -> None:
    """D1: L1 and L2 of everything that is drawn, for every two bins."""
    found = mechanism(bins, schema_of(neighbouring=relation, mode=mode))
    sums, reach = found.strategy.sums, found.taken.reach
    moved = sums.T
    if relation is Neighbouring.CHANGE_ONE:
        moved = (sums.T[:, None, :] - sums.T[None, :, :]).reshape(-1, len(sums))
    assert np.abs(moved).sum(axis=1).max() <= reach.l1
    assert (moved**2).sum(axis=1).max() <= reach.l2_squared


@pytest.mark.parametrize("scale", [0.7, 3.0, 50.0])
@pytest.mark.parametrize("terms", [2, 9, 400])
def test_sums_of_many_noises_are_bounded_as_often_as_stated(scale: float, terms: int) -> None:
    """C3: simulated with numpy here, where nothing is protected."""
    generator = np.random.default_rng(20_261_121)
    ratio = np.exp(-1 / scale)
    weights = generator.uniform(0.05, 1.0, terms)
    draws = 40_000 if terms < 100 else 10_000
    sums = np.zeros(draws)
    for weight in weights:
        sums += weight * (
            generator.geometric(1 - ratio, draws) - generator.geometric(1 - ratio, draws)
        )
    noise = Noise(NoiseKind.LAPLACE, scale)
    for level in (Fraction(9, 10), Fraction(95, 100), Fraction(99, 100)):
        (bound,) = bounds_of_many(noise, weights, (level,))
        least = float(level) - 4.8 * sqrt(float(level * (1 - level)) / draws)
        assert np.mean(np.abs(sums) <= bound) >= least
        assert bound <= 1.15 * np.quantile(np.abs(sums), float(level)) + weights.max() / 2


def test_as_many_terms_are_the_same_as_one_term_so_many_times() -> None:
    noise = Noise(NoiseKind.LAPLACE, 5.0)
    levels = (Fraction(95, 100),)
    once = bounds_of_many(noise, np.array([1.0]), levels, times=np.array([50.0]))
    assert once == pytest.approx(bounds_of_many(noise, np.ones(50), levels))


@given(st.lists(st.integers(-50, 200), min_size=1, max_size=30))
def test_an_adjusted_table_is_never_negative_and_keeps_its_total(counts: list[int]) -> None:
    adjusted = adjusted_table(counts)
    assert all(value >= 0 for value in adjusted)
    assert sum(adjusted) == max(0, sum(counts))
    assert adjusted_table(adjusted) == adjusted


@given(st.lists(st.integers(-50, 200), min_size=1, max_size=30))
def test_adjusted_cumulative_counts_never_fall(counts: list[int]) -> None:
    adjusted = adjusted_rising(counts)
    assert adjusted == sorted(adjusted)
    assert adjusted[0] >= 0
    assert adjusted_rising(adjusted) == adjusted


def test_adjusting_takes_away_error_from_a_table_with_many_empty_cells() -> None:
    generator = np.random.default_rng(3)
    exact = np.where(np.arange(300) % 10 == 0, 50, 0)
    raw, better = [], []
    for _ in range(50):
        noisy = exact + np.rint(generator.laplace(0, 10, 300)).astype(int)
        raw.append(np.mean((noisy - exact) ** 2))
        better.append(np.mean((np.array(adjusted_table(noisy.tolist())) - exact) ** 2))
    assert np.mean(better) < 0.5 * np.mean(raw)
