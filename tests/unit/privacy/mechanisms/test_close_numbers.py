"""M3, M33: errors of regressions about many rows, whose noise is smaller than what integers add.

Who reads a coefficient with an error that leaves this out takes it for more exact than it is.
"""

from functools import partial

import numpy as np
import pytest

from dpgov.privacy.answer.release import draw
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.schema import MissingRule
from tests.reference import Row, exact_answer
from tests.statistical.evidence import fewest
from tests.unit.privacy.mechanisms.test_logistic import CAME
from tests.unit.privacy.mechanisms.test_logistic_errors import added
from tests.unit.privacy.mechanisms.test_regression import asked
from tests.unit.privacy.tables import blueprint_of, question, schema_of

CAME_BY_DOSE = {"statistic": "logistic_regression", "column": "came", "predictors": ["dose"]}


def test_errors_cover_what_steps_that_are_taken_together_add() -> None:
    """M3: most incomes are 0, in the coarse step of the middle 24; of a million rows the noise is
    smaller than that.
    """
    age = column_spec("age", numeric_domain("0", "100", "1"), MissingRule.REQUIRE, "")
    income = column_spec("income", numeric_domain("0", "100000", "1"), MissingRule.REQUIRE, "")
    blueprint = blueprint_of(
        question(asked("age", outcome="income"), epsilon=3), schema_of(age, income)
    )
    kinds: list[Row] = [(at, 7_001 * (at % 3) if at % 10 == 0 else 0) for at in range(20, 81)]
    table = np.array([[1.0, at or 0, earned or 0] for at, earned in kinds])
    intercept = float(np.linalg.lstsq(table[:, :2], table[:, 2], rcond=None)[0][0])
    exact = tuple(16_000 * number for number in exact_answer(kinds, blueprint.requests[0])[0])
    inside = 0
    for _ in range(40):
        (cell,) = draw(blueprint, [(exact,)])["statistics"][0]["cells"]
        (bound,) = (one["value"] for one in cell["accuracy"] if one["confidence_level"] == 0.95)
        low, high = cell["interval"]["range"]
        inside += abs(cell["value"] - intercept) <= bound and low <= intercept <= high
        assert "provided" not in cell["accuracy"][1]
        assert bound < 160
    assert inside >= fewest(40, 0.95)


@pytest.mark.parametrize(("top", "times"), [(2, 300), (100_000, 30)])
def test_errors_cover_what_the_curve_and_coarse_predictors_add(top: int, times: int) -> None:
    """M33: of so many rows the noise is smaller than what lines between places leave out."""
    dose = column_spec("dose", numeric_domain("0", str(top), "1"), MissingRule.REQUIRE, "")
    blueprint = blueprint_of(question(CAME_BY_DOSE, epsilon=100), schema_of(CAME, dose))
    kinds: dict[Row, int] = {}
    for at in range(3):
        # Log odds half way between two places of the curve, where it is furthest from its lines.
        kinds |= {(1, at * top // 2): times * 803, (0, at * top // 2): times * 197}
    truth, scan, inside = likeliest_of(kinds), partial(added, kinds), 0
    first = [scan(request) for request in blueprint.requests]
    for _ in range(40):
        cells = [one["cells"][0] for one in draw(blueprint, first, scan)["statistics"]]
        inside += all(
            abs(cell["value"] - exact) <= cell["accuracy"][1]["value"]
            for cell, exact in zip(cells, truth, strict=True)
        )
        assert all("provided" not in cell["accuracy"][1] for cell in cells)
    assert inside >= fewest(40, 0.95)


def likeliest_of(kinds: dict[Row, int]) -> list[float]:
    """The maximum likelihood, by Newton's method in floats."""
    largest = max(dose or 0 for _, dose in kinds)
    table = np.array([[1.0, (dose or 0) / largest] for _, dose in kinds])
    outcome = np.array([float(came or 0) for came, _ in kinds])
    times, theta = np.array(list(kinds.values()), dtype=float), np.zeros(2)
    for _ in range(30):
        chance = 1 / (1 + np.exp(-table @ theta))
        bend = table.T @ (table * (times * chance * (1 - chance))[:, None])
        theta -= np.linalg.solve(bend, table.T @ (times * (chance - outcome)))
    return [float(theta[0]), float(theta[1]) / largest]
