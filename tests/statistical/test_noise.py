"""The noise itself: its distribution, its independence, and that nothing repeats it."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.noise.noise import Noise, NoiseKind
from dpgov.privacy.noise.sampling import add_noise, gaussian, gaussian_of, laplace, laplace_of
from tests.reference import Row
from tests.statistical.evidence import FALSE_ALARM, Integers, dependence, misfit
from tests.unit.privacy.tables import COUNT, blueprint_of, question, release_of, schema_of

pytestmark = pytest.mark.statistical
DRAWS = 60_000
LAPLACE, GAUSSIAN = NoiseKind.LAPLACE, NoiseKind.GAUSSIAN
PRICES = [
    (LAPLACE, 1, 3 * NANO),
    (LAPLACE, 7, NANO // 2),
    (LAPLACE, 1000, NANO),
    (GAUSSIAN, 1, NANO),
    (GAUSSIAN, 7, NANO // 8),
    (GAUSSIAN, 1000, NANO // 2),
]


def drawn(kind: NoiseKind, reach: int, nano: int, weaker: float) -> tuple[Noise, Integers]:
    """The noise that is bought, and draws of it; `weaker` divides its scale."""
    noise = laplace(reach, nano)[0] if kind is LAPLACE else gaussian(reach**2, nano)[0]
    build = laplace_of if kind is LAPLACE else gaussian_of
    return noise, np.array(add_noise([0] * DRAWS, build(noise.scale / weaker)))


@pytest.mark.parametrize(("kind", "reach", "nano"), PRICES)
def test_noise_follows_the_exact_discrete_distribution(
    kind: NoiseKind, reach: int, nano: int
) -> None:
    """C3: chi-square against exact probabilities; noise a tenth too small is caught."""
    noise, draws = drawn(kind, reach, nano, 1.0)
    assert misfit(draws, noise) > FALSE_ALARM
    assert misfit(drawn(kind, reach, nano, 1.1)[1], noise) < FALSE_ALARM


@pytest.mark.parametrize(("kind", "reach", "nano"), PRICES[1:3] + PRICES[4:])
def test_the_noise_of_two_bins_is_independent(kind: NoiseKind, reach: int, nano: int) -> None:
    """C3: neighbouring bins of one vector; the control shares a fraction of its noise."""
    first, second = drawn(kind, reach, nano, 1.0)[1].reshape(-1, 2).T
    assert dependence(first, second) > FALSE_ALARM
    shared = np.where(np.arange(len(first)) % 10 == 0, first, second)
    assert dependence(first, shared) < FALSE_ALARM


STATISTICS = [COUNT] + [
    {"statistic": name, "column": "change"}
    for name in ("sum", "mean", "variance", "standard_deviation", "median", "min", "max")
]


def on_lattice(number: float, lattice: Fraction) -> bool:
    return (Fraction(str(number)) / lattice).denominator == 1


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("alone", [False, True])
def test_every_released_number_lies_on_a_lattice_that_neighbours_share(
    alone: bool, mode: Mode
) -> None:
    """C4: a column with step 0.25, each statistic alone and together, on neighbouring tables."""
    plans = [[statistic] for statistic in STATISTICS] if alone else [STATISTICS]
    steps = {"count": Fraction(1), "sum": Fraction(1, 4)} | dict.fromkeys(
        ("median", "min", "max"), Fraction(1, 4)
    )
    one: Row = (1, 1, 5, 0)
    for plan in plans:
        blueprint = blueprint_of(question(*plan, epsilon="0.3"), schema_of(mode=mode))
        heads = set()
        for rows in ([one] * 9, [one] * 9 + [(1, 1, 16, 0)]):
            for _ in range(30):
                body = release_of(blueprint, rows)
                heads.add(str([d["readings"] for d in body["draws"]]))
                raw = [n for d in body["draws"] for cell in d["cells"] for n in cell]
                assert all(type(number) is int for number in raw)
                for statistic in body["statistics"]:
                    # Ratios are rounded to a fixed number of decimals: six more than the step's.
                    lattice = steps.get(statistic["statistic"], Fraction(1, 10**8))
                    assert on_lattice(statistic["cells"][0]["value"], lattice)
        assert len(heads) == 1


def impossible_after_adding_one(outputs: NDArray[np.float64]) -> float:
    """The share of outputs that no double added to 1.0 can give: they betray f = 0."""
    return float(np.mean((outputs - 1.0) + 1.0 != outputs))


def test_no_output_is_possible_under_one_neighbour_only() -> None:
    """C5: 200,000 outputs of each noise, for a count of 0 and of 1, at ε = 1 and ρ = 1/2."""
    for count, bought in ((0, laplace), (1, laplace), (0, gaussian), (1, gaussian)):
        nano = NANO if bought is laplace else NANO // 2
        noisy = add_noise([count] * 100_000, bought(1, nano)[1])
        assert all(type(number) is int for number in noisy)
        assert impossible_after_adding_one(np.array(noisy, dtype=np.float64)) == 0
        assert impossible_after_adding_one(-np.array(noisy, dtype=np.float64)) == 0


def test_the_same_detector_catches_continuous_noise_on_a_count() -> None:
    """C5, negative control: about a quarter of numpy's float outputs give the neighbour away."""
    generator = np.random.default_rng(20_261_121)
    assert impossible_after_adding_one(generator.laplace(0.0, 1.0, 200_000)) > 0.2


def wide_noise() -> str:
    return str([add_noise([0] * 4, bought(2**20, NANO)[1]) for bought in (laplace, gaussian)])


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
        "from dpgov.privacy.noise.sampling import add_noise, gaussian, laplace;"
        "print([add_noise([0] * 4, b(2**20, 10**9)[1]) for b in (laplace, gaussian)])"
    )
    printed = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    assert len({result.stdout for result in printed}) == 3
    assert all(result.stdout.startswith("[") for result in printed)
