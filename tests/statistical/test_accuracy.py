"""Stated errors hold as often as stated, and are not much wider than they must be."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from dpgov.privacy.accuracy import CONFIDENCE_LEVELS, tail_bound
from dpgov.privacy.budget import NANO
from dpgov.privacy.domains import column_spec, numeric_domain
from dpgov.privacy.mechanisms.mean import Mean
from dpgov.privacy.ratio import RatioNoise, error_bounds
from dpgov.privacy.sampling import add_laplace, noise_scale
from tests.statistical.evidence import Z
from tests.unit.privacy.tables import MEAN_AGE, blueprint_of, question, schema_of

pytestmark = pytest.mark.statistical
DRAWS = 40_000
WIDEST = 1.15

# Width of the bounds in steps, ε, rows, and where the mean lies: -1 and 1 are the bounds.
ENOUGH_ROWS = [
    (1, "1", 5_000, 0.4),
    (73, "0.1", 30_000, -0.4),
    (73, "1", 1_000, -0.4),
    (73, "2", 30_000, 0.0),
    (1000, "0.5", 2_500, 0.7),
    (99_999, "1", 3_000, -0.7),
    (5, "10", 1_000, 0.2),
]
HARD = [
    (1, "1", 30, -0.97),
    (73, "0.1", 100, -0.4),
    (73, "1", 5, 0.9),
    (99_999, "1", 3_000, -0.99),
    (1, "10", 8, 0.0),
    (5, "2", 1, 1.0),
]


class Draws:
    """Many noisy means of one table: true errors, and bounds from what was released."""

    def __init__(self, width: int, epsilon: str, rows: int, place: float) -> None:
        age = column_spec("age", numeric_domain("0", str(width), "1"), "drop", "")
        blueprint = blueprint_of(question(MEAN_AGE, epsilon=epsilon), schema_of(age))
        mechanism = blueprint.mechanisms[0]
        assert isinstance(mechanism, Mean)
        code_sum = round((place + 1) / 2 * width * rows)
        centred = 2 * code_sum - width * rows
        sums = np.array(mechanism.centred_sum.draw([centred] * DRAWS), dtype=np.float64)
        self.counts = np.array(mechanism.count.draw([rows] * DRAWS), dtype=np.float64)
        self.means = np.clip(sums / np.maximum(self.counts, 1), -width, width)
        self.errors = np.abs(self.means - centred / rows)
        self.noise = RatioNoise(mechanism.centred_sum.scale, mechanism.count.scale, width)

    def bounds(self, level: Fraction) -> NDArray[np.float64]:
        return error_bounds(self.noise, level, self.means, self.counts)


def lowest_share(level: Fraction, draws: int) -> float:
    """The least share of covered draws that is no evidence against the stated confidence."""
    return float(level) - Z * sqrt(float(level * (1 - level)) / draws)


@pytest.mark.parametrize("case", ENOUGH_ROWS + HARD, ids=str)
def test_the_error_of_a_mean_stays_within_its_bound_as_often_as_stated(
    case: tuple[int, str, int, float],
) -> None:
    """With many rows or one, in the middle or at a bound of the column."""
    drawn = Draws(*case)
    for level in CONFIDENCE_LEVELS:
        covered = np.mean(drawn.errors <= drawn.bounds(level) * (1 + 1e-9))
        assert covered >= lowest_share(level, DRAWS)


@pytest.mark.parametrize("case", ENOUGH_ROWS, ids=str)
def test_with_enough_rows_the_bound_of_a_mean_is_not_much_wider_than_its_error(
    case: tuple[int, str, int, float],
) -> None:
    """At most 1.15 times the quantile that is seen; and a bound a quarter smaller is caught."""
    drawn = Draws(*case)
    for level in CONFIDENCE_LEVELS:
        bounds = drawn.bounds(level)
        assert np.median(bounds) <= WIDEST * np.quantile(drawn.errors, float(level))
        assert np.mean(drawn.errors <= 0.75 * bounds) < lowest_share(level, DRAWS)


@pytest.mark.parametrize(("sensitivity", "nano"), [(1, NANO), (1, NANO // 10), (73, NANO // 2)])
def test_the_error_of_a_count_or_sum_stays_within_its_bound_as_often_as_stated(
    sensitivity: int, nano: int
) -> None:
    noise = np.abs(add_laplace([0] * DRAWS, sensitivity=sensitivity, nano=nano))
    for level in CONFIDENCE_LEVELS:
        bound = tail_bound(noise_scale(sensitivity, nano), level)
        assert np.mean(noise <= bound) >= lowest_share(level, DRAWS)
        assert bound <= WIDEST * max(1, np.quantile(noise, float(level)))


def test_the_published_statements_of_a_mean_are_those_bounds_in_units() -> None:
    """Through the release's own numbers: rounded values and rounded-up bounds."""
    blueprint = blueprint_of(question(MEAN_AGE, epsilon="1"), schema_of())
    (mechanism,) = blueprint.mechanisms
    exact, draws = [2 * 21_600 - 73 * 1000, 1000], 4_000
    drawn = [p.draw([n] * draws) for p, n in zip(mechanism.parts, exact, strict=True)]
    cells = list(zip(*drawn, strict=True))
    errors = np.array([abs(mechanism.value(cell) - (17 + 21.6)) for cell in cells])
    for place, level in enumerate(CONFIDENCE_LEVELS):
        bounds = np.array([s[place]["value"] for s in mechanism.accuracy(cells)])
        assert np.mean(errors <= bounds) >= lowest_share(level, draws)
        assert np.median(bounds) <= 1.25 * np.quantile(errors, float(level))
