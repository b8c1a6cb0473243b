"""M3, M33: errors of regressions about many rows, whose noise is smaller than what integers add.

Who reads a coefficient with an error that leaves this out takes it for more exact than it is.
"""

import numpy as np

from dpgov.privacy.answer.release import draw
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.schema import MissingRule
from tests.reference import Row, exact_answer
from tests.statistical.evidence import fewest
from tests.unit.privacy.mechanisms.test_regression import asked
from tests.unit.privacy.tables import blueprint_of, question, schema_of


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
