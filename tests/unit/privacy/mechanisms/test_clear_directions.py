"""M3, M33: an error is stated without its condition only where the noise hardly moved the line.

Whether noise has lifted an eigenvalue nobody sees; where it has, coefficients are too small and so
are bounds that are made of them. Whoever reads such an error without a condition takes it for one
that holds.
"""

from functools import partial

import numpy as np
import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.release import draw
from dpgov.privacy.mechanisms import descent
from dpgov.privacy.mechanisms.design import Design, design_for
from dpgov.privacy.mechanisms.least_squares import LinearFit, Moments, noise_size, solve
from dpgov.privacy.mechanisms.logistic import Logistic
from dpgov.privacy.mechanisms.regression import Regression
from dpgov.privacy.noise.noise import Floats, Noise, NoiseKind
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.schema import MissingRule
from dpgov.privacy.plan.statistics import StatisticKind
from tests.reference import Row
from tests.unit.privacy.mechanisms.test_logistic_errors import added
from tests.unit.privacy.tables import blueprint_of, exact_vector, question, schema_of

NAMES = ("x", "z", "y")
X, Z, Y = (
    column_spec(name, numeric_domain("0", "1000", "1"), MissingRule.REQUIRE, "") for name in NAMES
)
CAME = column_spec("came", category_domain(["no", "yes"]), MissingRule.REQUIRE, "")
LINE = {"statistic": "regression", "column": "y", "predictors": ["x"]}
ODDS = {"statistic": "logistic_regression", "column": "came", "predictors": ["x"]}


def conditions_of(statistics: list[dict[str, object]]) -> set[object]:
    cells = [cell for one in statistics for cell in one["cells"]]  # type: ignore[attr-defined]
    return {stated.get("provided") for cell in cells for stated in cell["accuracy"]}


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("sizes", [1.3, 1.6, 2.0])
def test_hardly_any_error_of_a_steep_line_is_stated_without_the_condition_if_noise_alone_tells_it(
    sizes: float, mode: Mode
) -> None:
    """M3: the line leaves the bounds, and along it the rows have so many sizes of the noise."""
    blueprint = blueprint_of(question(LINE), schema_of(X, Y, mode=mode))
    (mechanism,) = blueprint.mechanisms
    assert isinstance(mechanism, Regression)
    nothing = np.zeros(len(mechanism.design.moments))
    size = noise_size(Moments(mechanism.design, nothing, mechanism.taken.noise))
    two: list[Row] = [(450, 0), (550, 1_000)]
    # Each of the two is a tenth of the way to a bound: a hundredth of a row in the square.
    exact = [round(50 * sizes * size) * one for one in exact_vector(blueprint, 0, two)]
    without = 0
    for _ in range(300):
        (column, *_) = mechanism.released([mechanism.taken.add_noise(exact)])
        without += "provided" not in column.cells[0]["accuracy"][0]
    # At two sizes Laplace noise passes the other two once in 6,000 answers.
    assert without <= 4


@pytest.mark.parametrize("mode", list(Mode))
def test_few_of_a_logistic_regression_are(mode: Mode) -> None:
    """M33: the curve bends along it by 1.4 sizes of the noise, and a clear one has two."""
    blueprint = blueprint_of(question(ODDS), schema_of(X, CAME, mode=mode))
    (mechanism,) = blueprint.mechanisms
    assert isinstance(mechanism, Logistic)
    drawn = mechanism.draws.weighted.noise
    nothing = np.zeros(len(mechanism.design.moments))
    size = descent.noise_size(Moments(mechanism.design, nothing, drawn, mechanism.lattice.weight))
    # A row at either place is a twentieth of the way to a bound.
    many = 1.4 * size / (0.43 * 0.57 * 0.05**2)
    kinds: dict[Row, int] = {
        (at, came): round(many / 2 * share)
        for at, high in ((475, 0.43), (525, 0.57))
        for came, share in ((0, 1 - high), (1, high))
    }
    scan = partial(added, kinds)
    first, found = [scan(request) for request in blueprint.requests], []
    for _ in range(60):
        body = draw(blueprint, first, scan)
        if not body["statistics"][0]["cells"][0]["fit"]["held_back"]:
            found.append(conditions_of(body["statistics"]))
    assert len(found) > 45
    # Noise passes the other 0.6 sizes in one of 20 answers.
    assert sum(None in one for one in found) <= 20


def design_of(*predictors: str) -> Design:
    statistic = Statistic(StatisticKind.REGRESSION, "y", predictors=predictors)
    return design_for(statistic, schema_of(X, Z, Y))


def line_of(design: Design, products: Floats, noise: Floats) -> LinearFit:
    """With noise that is as large as it is taken to be."""
    assert np.linalg.norm(noise[:-1], 2) == pytest.approx(1)
    drawn = Noise(NoiseKind.LAPLACE, 1_000 * design.size**2)
    nothing = Moments(design, np.zeros(len(design.moments)), drawn)
    noisy = products + noise_size(nothing) * noise
    return solve(Moments(design, np.array([noisy[pair] for pair in design.moments]), drawn))


def products_of(squares: Floats, theta: Floats, design: Design) -> Floats:
    """Of rows on this line; `squares` are in sizes of the noise."""
    drawn = Noise(NoiseKind.LAPLACE, 1_000 * design.size**2)
    size = noise_size(Moments(design, np.zeros(len(design.moments)), drawn))
    line = np.vstack([np.eye(len(theta)), theta])
    found: Floats = line @ (size * squares) @ line.T
    return found


def length_of(theta: Floats) -> float:
    return float(np.linalg.norm(np.append(theta, -1.0)))


@pytest.mark.parametrize("steep", [0.3, 1.0, 30.0])
def test_a_line_is_never_longer_than_allowed_for_where_noise_is_no_larger_than_said(
    steep: float,
) -> None:
    """M3: any line where the answer states no condition, and any within the bounds elsewhere."""
    rng, design, kinds = np.random.default_rng(3), design_of("x", "z"), set()
    for _ in range(3_000):
        turned = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        squares = turned @ np.diag([rng.uniform(0.5, 8), *rng.uniform(3, 80, 2)]) @ turned.T
        theta = rng.dirichlet(np.ones(3)) * rng.choice([-1, 1], 3) * steep
        noise = rng.normal(size=(4, 4))
        noise = noise + noise.T
        noise /= np.linalg.norm(noise[:-1], 2)
        line = line_of(design, products_of(squares, theta, design), noise)
        kinds.add(line.provided)
        if line.provided is None or steep <= 1:
            assert length_of(theta) <= line.longer * length_of(line.theta) + 1e-9
        if line.provided is None:
            assert line.longer <= 4 / 3 + 1e-9
    assert len(kinds) == 2


def test_a_steep_line_that_noise_has_shortened_is_as_long_as_allowed_for() -> None:
    """M3: all of the noise lifts the one direction along which the line goes."""
    design, theta = design_of("x"), np.array([0.0, 1_000.0])
    noise = np.zeros((3, 3))
    noise[1, 1] = 1
    line = line_of(design, products_of(np.diag([100.0, 3.5]), theta, design), noise)
    assert line.provided is None
    allowed = line.longer * length_of(line.theta)
    assert 0.999 * allowed <= length_of(theta) <= 1.001 * allowed
