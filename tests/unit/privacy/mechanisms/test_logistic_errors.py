"""M33: errors of logistic regressions cover what they say, or are not stated.

A fit that is pulled towards zero, or that was held within reach, is far from the one that the rows
have; who reads its error takes it for the truth.
"""

import math
from functools import partial

import numpy as np
import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.release import draw
from dpgov.privacy.plan.domains import category_domain, column_spec
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest
from dpgov.privacy.plan.schema import MissingRule
from tests.reference import Row, exact_answer
from tests.statistical.evidence import fewest, most
from tests.unit.privacy.mechanisms.test_logistic import CAME, asked, prepared
from tests.unit.privacy.tables import blueprint_of, question, schema_of

UNKNOWN = {"confidence_level", "value", "message"}


def table_of(rows: int) -> list[Row]:
    """Rows of known odds."""
    rng = np.random.default_rng(7)
    found: list[Row] = []
    for dose, kind in rng.integers(0, 3, (rows, 2)).tolist():
        odds = -0.6 + 0.5 * (dose - 1) + 0.8 * (kind == 2)
        found.append((int(rng.random() < 1 / (1 + math.exp(-odds))), dose, kind, 0))
    return found


def likeliest(rows: list[Row]) -> list[float]:
    """The maximum likelihood, by Newton's method in floats."""
    table = np.array(
        [[1.0, 2.0 * (r[1] or 0) - 4, r[2] == 1, r[2] == 2] for r in rows], dtype=float
    )
    outcome, theta = np.array([float(r[0] or 0) for r in rows]), np.zeros(4)
    for _ in range(30):
        chance = 1 / (1 + np.exp(-table @ theta))
        bend = table.T @ (table * (chance * (1 - chance))[:, None])
        theta -= np.linalg.solve(bend, table.T @ (chance - outcome))
    return [float(number) for number in theta]


@pytest.mark.parametrize("mode", list(Mode))
def test_errors_cover_what_they_say_and_are_hardly_wider(mode: Mode) -> None:
    """M33: of 200 answers about fixed rows, against the maximum likelihood of those rows."""
    blueprint, _ = prepared("dose", "kind", mode=mode)
    rows = table_of(4_000)
    truth, exact = likeliest(rows), counted(rows)

    def engine(request: ExactRequest) -> ExactAnswer:
        return added(exact, request)

    errors, bounds = np.zeros((200, 4)), np.zeros((200, 4))
    for trial in range(200):
        body = draw(blueprint, [engine(request) for request in blueprint.requests], engine)
        for place, (statistic, value) in enumerate(zip(body["statistics"], truth, strict=True)):
            (cell,) = statistic["cells"]
            errors[trial, place] = abs(cell["value"] - value)
            bounds[trial, place] = cell["accuracy"][1]["value"]
    assert (errors <= bounds).sum(axis=0).min() >= fewest(200, 0.95)
    # Under pure ε the last step is long: what the weights may change along it counts in full, and
    # how much longer it may have been.
    widest = 2.8 if mode is Mode.PURE else 1.35
    assert (errors <= bounds / widest).sum(axis=0).max() <= most(200, 0.95)


def counted(rows: list[Row]) -> dict[Row, int]:
    """How often each row is there: a scan of the kinds alone is a scan of all."""
    return {row: rows.count(row) for row in set(rows)}


def added(kinds: dict[Row, int], request: ExactRequest) -> ExactAnswer:
    cells = [(exact_answer([row], request)[0], times) for row, times in kinds.items()]
    return (tuple(sum(int(c[p]) * n for c, n in cells) for p in range(len(request.measures))),)


def test_no_error_is_stated_of_coefficients_that_were_held_within_reach() -> None:
    """M33: the minimum lies beyond, as several levels act strongly together; no draw tells how far,
    and any bound on the noise would cover none of these coefficients.
    """
    levels = category_domain(list("abcdefgh"))
    many = column_spec("many", levels, MissingRule.REQUIRE, "")
    asking = question(asked("many"), epsilon=1)
    blueprint = blueprint_of(asking, schema_of(CAME, many, mode=Mode.ZCDP))
    kinds: dict[Row, int] = {(0, 0): 1_900, (1, 0): 100}
    kinds |= {(came, level): 10 + 30 * came for came in (0, 1) for level in range(1, 8)}
    for _ in range(20):
        (first,) = blueprint.requests
        body = draw(blueprint, [added(kinds, first)], partial(added, kinds))
        assert body["statistics"][0]["cells"][0]["fit"]["held_back"]
        for statistic in body["statistics"]:
            (cell,) = statistic["cells"]
            assert "interval" not in cell
            assert [set(one) for one in cell["accuracy"]] == 3 * [UNKNOWN]
            assert [one["value"] for one in cell["accuracy"]] == [None, None, None]


def test_errors_cover_levels_that_the_ridge_hides_as_far_as_they_may_lie() -> None:
    """M33: all but the first likely, which is unlikely, each of so few rows that nothing is left of
    it; the noise around them moves the intercept, which many rows tell.
    """
    names = [str(level) for level in range(16)]
    many = column_spec("many", category_domain(names), MissingRule.REQUIRE, "")
    blueprint = blueprint_of(question(asked("many"), epsilon=1), schema_of(CAME, many))
    kinds: dict[Row, int] = {(0, 0): 1_000, (1, 0): 20}
    kinds |= {(came, level): 1 + 14 * came for came in (0, 1) for level in range(1, 16)}
    scan, intercept, stated, inside = partial(added, kinds), math.log(20 / 1_000), 0, 0
    first = [scan(request) for request in blueprint.requests]
    for _ in range(100):
        body = draw(blueprint, first, scan)
        (cell,) = body["statistics"][0]["cells"]
        bound = cell["accuracy"][1]["value"]
        stated += bound is not None
        inside += bound is None or abs(cell["value"] - intercept) <= bound
    assert stated > 50
    assert inside >= fewest(100, 0.95)
