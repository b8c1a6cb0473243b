"""How much of its claim the noise check can see of a noisy choice, computed and not drawn.

Permute and flip (McKenna and Sheldon, 2020): candidates are visited in a random order, and the
first is taken that is accepted, with the probability e^((score − best) / scale).
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dpgov.noise_check.case import DATASET, Case
from dpgov.noise_check.cases import CASES
from dpgov.noise_check.measuring import FALSE_ALARM
from dpgov.noise_check.run import TRIALS
from dpgov.noise_check.tables import Table
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.mechanisms.extremes import Extreme
from dpgov.privacy.mechanisms.grid import scores
from dpgov.privacy.mechanisms.quantiles import Quantiles
from dpgov.privacy.noise import sampling
from dpgov.privacy.plan.parsing.plans import parse_plan

Floats = NDArray[np.float64]
CHOICES = ("median", "quantile", "min", "max")
# Of the answers, those that are tested and not learned from.
TESTED = 4 / 5
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(100)


def chances(case: Case, table: Table) -> Floats:
    """Of each candidate, for this table."""
    schema = case.schema(Mode.PURE)
    plan = parse_plan(case.question({"epsilon": str(case.claim)}), schema, dataset=DATASET)
    (mechanism,) = prepare(plan, schema).mechanisms
    assert isinstance(mechanism, Quantiles | Extreme)
    rows = np.bincount([row.value for row in table], minlength=mechanism.grid.size)
    if isinstance(mechanism, Extreme):
        ordered = rows if case.name == "min" else rows[::-1]
        found, moved = scores(ordered, 0, 1, mechanism.aim), mechanism.sensitivity
    else:
        (order,) = mechanism.orders
        found = scores(rows, order.numerator, order.denominator)
        moved = mechanism.sensitivity(order)
    scale, _ = sampling.choice(moved, Loss(Mode.PURE, int(case.claim * NANO)))
    return _permute_and_flip(np.exp((found - found.max()) / scale))


def _permute_and_flip(accepted: Floats) -> Floats:
    """The integral over the share of candidates that come before."""
    at, weights = (_POINTS + 1) / 2, _WEIGHTS / 2
    passed = 1 - np.outer(at, accepted)
    found: Floats = weights @ (passed.prod(axis=1)[:, None] / passed * accepted)
    assert found.sum() == pytest.approx(1)
    return found


def both(case: Case) -> tuple[Floats, Floats]:
    plan = parse_plan(
        case.question({"epsilon": str(case.claim)}), case.schema(Mode.PURE), dataset=DATASET
    )
    beyond = prepare(plan, case.schema(Mode.PURE)).describe()["statistics"][0].get("rows_beyond", 0)
    first, second = case.pair(Mode.PURE, int(beyond))
    return chances(case, first), chances(case, second)


@pytest.mark.parametrize("name", CHOICES)
def test_some_outcome_of_the_tables_comes_near_to_the_claim_and_none_passes_it(name: str) -> None:
    """C1: the pair attains what the scores' sensitivity allows for."""
    case = CASES[name]
    first, second = both(case)
    largest = float(np.abs(np.log(first / second)).max())
    assert 0.9 * float(case.claim) < largest <= float(case.claim)


@pytest.mark.parametrize("name", CHOICES)
def test_what_is_tested_is_enough_to_see_most_of_the_claim(name: str) -> None:
    """C1: 0.85 of it, when events happen as often as they should."""
    case = CASES[name]
    trials = int(case.trials_of(TRIALS, Mode.PURE) * TESTED)
    pair = both(case)
    seen = max(_seen(own, other, trials) for own, other in (pair, pair[::-1]))
    assert 0.85 * float(case.claim) <= seen <= float(case.claim)


def _seen(own: Floats, other: Floats, trials: int) -> float:
    """By the best event: all outcomes for which the ratio is above some number."""
    order = np.argsort(other / own)[:-1]
    hits, others = (np.cumsum(some[order]) * trials for some in (own, other))
    alpha = FALSE_ALARM / 4
    low = stats.beta.ppf(alpha, hits, trials - hits + 1)
    high = stats.beta.ppf(1 - alpha, others + 1, trials - others)
    return float(np.log(low / high).max())
