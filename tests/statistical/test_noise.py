"""The noise itself: its distribution, its independence, and that nothing repeats it."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from dpgov.privacy.budget import NANO
from dpgov.privacy.release import draw
from dpgov.privacy.sampling import add_laplace, laplace_of, noise_scale
from tests.reference import exact_answer
from tests.statistical.evidence import FALSE_ALARM, dependence, misfit
from tests.unit.privacy.tables import COUNT, blueprint_of, question, schema_of

pytestmark = pytest.mark.statistical
DRAWS = 100_000
PRICES = [(1, 3 * NANO), (1, NANO), (7, NANO // 2), (1000, NANO)]


def noise(sensitivity: int, nano: int, draws: int = DRAWS) -> NDArray[np.int64]:
    return np.array(add_laplace([0] * draws, sensitivity=sensitivity, nano=nano))


@pytest.mark.parametrize(("sensitivity", "nano"), PRICES)
def test_noise_follows_the_exact_discrete_distribution(sensitivity: int, nano: int) -> None:
    """C3: chi-square over 100,000 draws, against exact probabilities."""
    assert misfit(noise(sensitivity, nano), noise_scale(sensitivity, nano)) > FALSE_ALARM


@pytest.mark.parametrize(("sensitivity", "nano"), PRICES)
def test_the_same_test_rejects_noise_that_is_a_tenth_too_small(sensitivity: int, nano: int) -> None:
    """C3, negative control."""
    scale = noise_scale(sensitivity, nano)
    weak = np.array(laplace_of(scale / 1.1)([0] * DRAWS))
    assert misfit(weak, scale) < FALSE_ALARM


@pytest.mark.parametrize(("sensitivity", "nano"), PRICES[1:])
def test_the_noise_of_two_bins_is_independent(sensitivity: int, nano: int) -> None:
    """C3: neighbouring bins of one vector; the control shares a fraction of its noise."""
    first, second = noise(sensitivity, nano, 2 * DRAWS).reshape(DRAWS, 2).T
    assert dependence(first, second) > FALSE_ALARM
    shared = np.where(np.arange(DRAWS) % 20 == 0, first, second)
    assert dependence(first, shared) < FALSE_ALARM


def test_every_released_number_lies_on_a_lattice_that_neighbours_share() -> None:
    """C4: a mean of a column with step 0.25, its parts and a sum, on two neighbouring tables."""
    change = [{"statistic": name, "column": "change"} for name in ("sum", "mean")]
    blueprint = blueprint_of(question(COUNT, *change, epsilon="0.3"), schema_of())
    lattices = set()
    for rows in ([(1, 1, 5, 0)] * 9, [(1, 1, 5, 0)] * 9 + [(1, 1, 16, 0)]):
        for _ in range(200):
            body = release_of(blueprint, rows)
            for statistic in body["statistics"]:
                units = [Fraction(str(part["lattice"])) for part in statistic["parts"]]
                lattices.add(tuple(units))
                numbers = statistic["cells"][0]["parts"]
                steps = [Fraction(str(n)) / u for n, u in zip(numbers, units, strict=True)]
                assert all(step.denominator == 1 for step in steps)
    assert lattices == {(1,), (Fraction(1, 4),), (Fraction(1, 8), 1)}


def impossible_after_adding_one(outputs: NDArray[np.float64]) -> float:
    """The share of outputs that no double added to 1.0 can give: they betray f = 0."""
    return float(np.mean((outputs - 1.0) + 1.0 != outputs))


def test_no_output_is_possible_under_one_neighbour_only() -> None:
    """C5: 200,000 outputs for a count of 0 and of 1 at ε = 1."""
    for count in (0, 1):
        noisy = add_laplace([count] * 200_000, sensitivity=1, nano=NANO)
        assert all(type(number) is int for number in noisy)
        assert impossible_after_adding_one(np.array(noisy, dtype=np.float64)) == 0
        assert impossible_after_adding_one(-np.array(noisy, dtype=np.float64)) == 0


def test_the_same_detector_catches_continuous_noise_on_a_count() -> None:
    """C5, negative control: about a quarter of numpy's float outputs give the neighbour away."""
    generator = np.random.default_rng(20_261_121)
    assert impossible_after_adding_one(generator.laplace(0.0, 1.0, 200_000)) > 0.2


def wide_noise() -> str:
    return str(add_laplace([0] * 4, sensitivity=2**20, nano=NANO))


def noise_of_a_forked_child() -> str:
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writing, wide_noise().encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        printed = pipe.read()
    os.waitpid(child, 0)
    return printed


def test_forked_workers_never_draw_the_same_noise() -> None:
    """C7: the parent has drawn before, so that a copied generator would show."""
    seen = []
    for _ in range(20):
        seen += [wide_noise(), noise_of_a_forked_child(), noise_of_a_forked_child()]
    assert all(vector.startswith("[") for vector in seen)
    assert len(set(seen)) == 60


def test_restarted_workers_never_draw_the_same_noise() -> None:
    """C7: nothing is seeded with a constant."""
    program = (
        "from dpgov.privacy.sampling import add_laplace;"
        "print(add_laplace([0] * 4, sensitivity=2**20, nano=10**9))"
    )
    printed = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    assert len({result.stdout for result in printed}) == 3
    assert all(result.stdout.startswith("[") for result in printed)
