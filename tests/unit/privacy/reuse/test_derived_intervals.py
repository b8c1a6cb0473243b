"""F12: the intervals of derived answers cover what they should, and are not too wide."""

from typing import Any

import numpy as np
import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.reuse.derived import PlanReuse
from tests.statistical.evidence import fewest, most
from tests.unit.privacy.deriving import (
    AGES,
    EXACT,
    ROWS,
    SEX,
    SUM_HOURS,
    derivation,
    errors,
    released,
    values,
)
from tests.unit.privacy.tables import (
    COUNT,
    MEAN_AGE,
    SUM_AGE,
    blueprint_of,
    question,
    release_of,
    schema_of,
)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("asked", [COUNT, SUM_HOURS, SUM_AGE])
def test_intervals_of_unions_cover_and_are_not_too_wide(mode: Mode, asked: dict[str, Any]) -> None:
    """F12: 600 tables of 15 cells, each added up: 95 % within, at most 1.15 the empirical."""
    schema = schema_of(mode=mode)
    table = question(asked, group_by=[SEX, AGES], epsilon=0.8)
    stored, total = blueprint_of(table, schema), question(asked)
    found = derivation(total, table, schema=schema)
    assert found is not None
    true = values(released({**total, "epsilon": EXACT}, ROWS, schema_of()))[0]
    off, bound = _errors_of(found, stored, true)
    assert (off <= bound).sum() >= fewest(len(off), 0.95)
    assert (off <= (bound - 1) / 1.15).sum() <= most(len(off), 0.95)


def _errors_of(
    found: PlanReuse, stored: Blueprint, true: float
) -> tuple["np.ndarray[Any, np.dtype[np.float64]]", float]:
    bodies = [found.body({"0": release_of(stored, ROWS)}, []) for _ in range(600)]
    return np.array([abs(values(body)[0] - true) for body in bodies]), errors(bodies[0])[0]


def test_intervals_of_derived_means_cover() -> None:
    """F12: means over unions of cells, from the moments of each."""
    table = question(MEAN_AGE, group_by=[SEX, AGES], epsilon=2)
    stored = blueprint_of(table, schema_of())
    found = derivation(question(MEAN_AGE, group_by=[SEX]), table)
    assert found is not None
    true = values(released(question(MEAN_AGE, group_by=[SEX], epsilon=EXACT), ROWS, schema_of()))
    within = []
    for _ in range(150):
        body = found.body({"0": release_of(stored, ROWS)}, [])
        off = [abs(v - t) for v, t in zip(values(body), true, strict=True)]
        within += [o <= e for o, e in zip(off, errors(body), strict=True)]
    assert sum(within) >= fewest(len(within), 0.95)


def test_several_answers_put_together_are_better_than_the_best_of_them() -> None:
    """F12: three independent counts, weighted by their variances; the interval still covers."""
    several = [question(COUNT, group_by=[SEX], epsilon=e) for e in (0.5, 0.4, 0.3)]
    schema = schema_of()
    alone = derivation(question(COUNT), several[0])
    together = derivation(question(COUNT), *several, together=True)
    assert alone is not None
    assert together is not None
    assert together.keys == ("0", "1", "2")
    blueprints = [blueprint_of(raw, schema) for raw in several]
    off, bounds = [], set()
    for _ in range(500):
        bodies = {str(n): release_of(one, ROWS) for n, one in enumerate(blueprints)}
        body = together.body(bodies, [])
        off.append(abs(values(body)[0] - len(ROWS)))
        bounds |= set(errors(body))
    (bound,) = bounds
    assert sum(o <= bound for o in off) >= fewest(len(off), 0.95)
    expected = alone.expected(None)[0][1][1]["value"]
    assert bound == together.expected(None)[0][1][1]["value"] < 0.85 * expected
