"""M8: the attacks of the lessons, on invented people, do what their pages say."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog

from dpgov.explain import invented
from dpgov.explain.averaging import TRUTH
from dpgov.explain.lessons.leaks import anonymised, averaging, intersection, reconstruction
from dpgov.explain.lessons.told import AGAIN_EPSILON, SECRETS


def test_invented_chance_is_the_same_for_everybody() -> None:
    """From the texts that are published in the source."""
    assert [invented.whole("secret bits", place, 2) for place in range(8)] == (
        reconstruction.secrets()[:8].tolist()
    )
    shares = [invented.share("a test", place) for place in range(2_000)]
    assert all(0 < one <= 1 for one in shares)
    assert stats.kstest(shares, "uniform").pvalue > 1e-4


def test_invented_noise_is_two_sided_geometric() -> None:
    noise = np.array([invented.steps("a test of noise", place, 2) for place in range(4_000)])
    shrink = math.exp(-0.5)
    expected = np.array([(1 - shrink) / (1 + shrink) * shrink ** abs(x) for x in range(-3, 4)])
    seen = np.array([(noise == x).mean() for x in range(-3, 4)])
    assert np.abs(seen - expected).max() < 0.03


def test_the_band_of_averaging_is_exact() -> None:
    """Of one answer by the formula, of two by every pair, of many near the normal curve."""
    shrink = math.exp(-AGAIN_EPSILON)
    one = averaging.reach(1)
    assert 1 - 2 * shrink ** (one + 1) / (1 + shrink) >= 0.95
    assert 1 - 2 * shrink**one / (1 + shrink) < 0.95
    chance = {x: (1 - shrink) / (1 + shrink) * shrink ** abs(x) for x in range(-90, 91)}
    two = averaging.reach(2)
    for reach, enough in ((two, True), (two - 1, False)):
        within = sum(chance[x] * chance[y] for x in chance for y in chance if abs(x + y) <= reach)
        assert (within >= 0.95) is enough
    deviation = math.sqrt(2 * shrink) / (1 - shrink)
    assert averaging.reach(500) == pytest.approx(1.96 * deviation * math.sqrt(500), rel=0.02)


def test_runs_differ_and_end_at_the_truth() -> None:
    ends = [averaging.means(run)[-1] for run in range(1, 13)]
    assert len(set(ends)) > 6
    width = averaging.reach(500) / 500
    assert sum(abs(end - TRUTH) <= width for end in ends) >= 10


def test_least_squares_finds_every_secret_from_nearly_exact_answers() -> None:
    """M8: errors far below sqrt(n) hide nobody; errors far above it hide most."""
    assert [reconstruction.right(error) for error in (0, 1)] == [20, 20]
    assert reconstruction.right(20) < 16
    assert reconstruction.estimates(0) == pytest.approx(
        [float(bit) for bit in reconstruction.secrets()], abs=1e-9
    )


def test_a_linear_program_finds_the_same_secrets() -> None:
    """M8: the least sum of deviations, as Dinur and Nissim's attack is usually put."""
    subsets, people = reconstruction.subsets(), SECRETS
    noise = np.array(
        [invented.whole("errors up to 1", place, 3) - 1 for place in range(len(subsets))]
    )
    answers = subsets @ reconstruction.secrets() + noise
    slack = np.eye(len(subsets))
    solved = linprog(
        np.r_[np.zeros(people), np.ones(len(subsets))],
        A_ub=np.block([[subsets, -slack], [-subsets, -slack]]),
        b_ub=np.r_[answers, -answers],
        bounds=[(0, 1)] * people + [(0, None)] * len(subsets),
    )
    assert ((solved.x[:people] >= 0.5) == (reconstruction.secrets() == 1)).all()


def test_releases_that_are_each_safe_name_somebody_together() -> None:
    assert all(len(release) >= 4 for release in intersection.RELEASES)
    assert [len(intersection.possible(count)) for count in range(5)] == [8, 6, 3, 2, 1]
    assert all(one & other for one, other in combinations(intersection.RELEASES, 2))


def test_facts_single_out_by_the_binomial() -> None:
    for facts in range(9):
        others = stats.binom(499_999, 0.1**facts)
        assert float(anonymised.others(facts)) == pytest.approx(others.mean())
        assert float(anonymised.alone(facts)) == pytest.approx(others.pmf(0), abs=1e-9)
