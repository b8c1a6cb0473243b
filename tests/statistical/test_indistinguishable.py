"""C1: what is released about two neighbouring tables differs by no more than e^ε.

The whole way is tested as a black box: the plan, the exact integers of both tables by looking at
every row, and the noise. Groups of k rows at kε = 2 give the test its power for small ε.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpgov.privacy.blueprint import Blueprint
from dpgov.privacy.mechanisms.part import NoisyPart
from dpgov.privacy.sampling import add_laplace, laplace_of
from dpgov.privacy.schema import Neighbouring
from tests.reference import Row, exact_answer
from tests.statistical.evidence import Integers, Z, excess
from tests.unit.privacy.tables import COUNT, MEAN_AGE, SUM_AGE, blueprint_of, question, schema_of

pytestmark = pytest.mark.statistical
DRAWS = 40_000
EPSILON_OF_GROUP = 2
TOP: Row = (73, 0, 0, 0)
Noise = Callable[[NoisyPart, list[int]], list[int]]
EPSILONS = ["0.1", "0.5", "1", "2"]
HISTOGRAM = question(COUNT, group_by=[{"column": "sex", "categories": ["Male"]}])
CASES = {
    "count": (question(COUNT), Neighbouring.ADD_REMOVE),
    "sum": (question(SUM_AGE), Neighbouring.ADD_REMOVE),
    "mean": (question(MEAN_AGE), Neighbouring.ADD_REMOVE),
    "histogram": (HISTOGRAM, Neighbouring.CHANGE_ONE),
}


def honest(part: NoisyPart, values: list[int]) -> list[int]:
    return add_laplace(values, sensitivity=part.sensitivity, nano=part.nano)


def too_small(part: NoisyPart, values: list[int]) -> list[int]:
    """The negative control: a tenth less noise than is paid for."""
    noisy: list[int] = laplace_of(part.scale / 1.1)(values)
    return noisy


def neighbours(name: str, size: int) -> tuple[list[Row], list[Row]]:
    rows: list[Row] = [(20, 0, 0, 0), (50, 0, 0, 1), (None, 0, 0, 0)]
    if name == "histogram":
        return rows + [TOP] * size, rows + [(73, 0, 0, 1)] * size
    return rows, rows + [TOP] * size


def exact_parts(blueprint: Blueprint, rows: list[Row]) -> list[list[int]]:
    measures = blueprint.requests[0].measures
    cells = [
        dict(zip(measures, cell, strict=True)) for cell in exact_answer(rows, blueprint.requests[0])
    ]
    return [[part.exact(cell) for cell in cells] for part in blueprint.mechanisms[0].parts]


def released(blueprint: Blueprint, exact: list[list[int]], noise: Noise) -> Integers:
    """One row per draw, one column per part and cell."""
    drawn = [
        np.array(noise(part, values * DRAWS)).reshape(DRAWS, len(values))
        for part, values in zip(blueprint.mechanisms[0].parts, exact, strict=True)
    ]
    return np.hstack(drawn)


def evidence(name: str, epsilon: str, noise: Noise) -> list[float]:
    """The excess over e^(kε), in both directions, of the event that tells the tables apart best."""
    raw, relation = CASES[name]
    blueprint = blueprint_of({**raw, "epsilon": epsilon}, schema_of(neighbouring=relation))
    size = round(EPSILON_OF_GROUP / float(epsilon))
    exact = [exact_parts(blueprint, rows) for rows in neighbours(name, size)]
    flat = [np.array([value for part in parts for value in part]) for parts in exact]
    drawn = [released(blueprint, parts, noise) for parts in exact]
    found = []
    for this, other in ((0, 1), (1, 0)):
        side = np.sign(flat[this] - flat[other])
        events = [np.all((draws - flat[this]) * side >= 0, axis=1) for draws in drawn]
        found.append(excess(events[this], events[other], EPSILON_OF_GROUP))
    return found


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", CASES)
def test_neighbouring_tables_cannot_be_told_apart_better_than_promised(
    name: str, epsilon: str
) -> None:
    """C1: P(event) <= e^ε P(event | neighbour), false alarm 1e-6 in each direction."""
    assert max(evidence(name, epsilon, honest)) < Z


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", CASES)
def test_the_same_test_rejects_noise_that_is_a_tenth_too_small(name: str, epsilon: str) -> None:
    """C1, negative control."""
    assert max(evidence(name, epsilon, too_small)) > Z


def test_both_tables_differ_by_all_that_the_sensitivity_allows() -> None:
    """C1: otherwise the test above would be too easy to pass."""
    for name, (raw, relation) in CASES.items():
        blueprint = blueprint_of(raw, schema_of(neighbouring=relation))
        before, after = (exact_parts(blueprint, rows) for rows in neighbours(name, 1))
        for part, this, other in zip(blueprint.mechanisms[0].parts, before, after, strict=True):
            distance: Any = sum(abs(x - y) for x, y in zip(this, other, strict=True))
            assert distance == part.sensitivity
