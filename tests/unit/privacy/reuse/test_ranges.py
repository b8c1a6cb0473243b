"""M9c: counts of ranges out of a stored cumulative distribution, with intervals that hold."""

from typing import Any

import numpy as np
import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.mechanisms.cumulative import Cumulative
from dpgov.privacy.plan.schema import PrivacyUnit
from dpgov.privacy.reuse.cumulated import Ranged
from tests.statistical.evidence import fewest, most
from tests.unit.privacy.deriving import EXACT, ROWS, SEX, derivation, made
from tests.unit.privacy.tables import COUNT, blueprint_of, question, release_of, schema_of

FINE = {"column": "age", "edges": [*range(17, 90, 3), 90]}
CDF = {"statistic": "cdf"}
BETWEEN = {"column": "age", "op": "between", "value": [20, 49]}


def values(body: dict[str, Any]) -> list[int]:
    return [cell["value"] for cell in body["statistics"][0]["cells"]]


@pytest.mark.parametrize(
    "asked",
    [
        {"where": [BETWEEN]},
        {"group_by": [SEX], "where": [BETWEEN]},
        {"group_by": [{"column": "age", "edges": [17, 32, 62, 90]}]},
        {"group_by": [{"column": "age", "edges": [17, 50, 90]}, SEX]},
        {"where": [{"column": "age", "op": ">=", "value": 50}]},
        {},
    ],
)
@pytest.mark.parametrize("mode", list(Mode))
def test_every_union_of_bins_is_counted_as_if_it_had_been_asked(
    asked: dict[str, Any], mode: Mode
) -> None:
    """At almost no noise: the same numbers as of the question itself."""
    schema = schema_of(mode=mode)
    stored = question(CDF, epsilon=EXACT, group_by=[SEX, FINE])
    wanted = question(COUNT, epsilon=EXACT, **asked)
    body = made(wanted, stored, schema=schema)
    assert values(body) == values(release_of(blueprint_of(wanted, schema), ROWS))
    assert body["made_from"] == ["0"]


def test_a_range_off_the_edges_is_not_made_of_it() -> None:
    stored = question(CDF, group_by=[FINE])
    off = {"column": "age", "op": "between", "value": [21, 49]}
    assert derivation(question(COUNT, where=[off]), stored) is None
    assert derivation(question(COUNT, group_by=[SEX]), stored) is None


def test_rows_that_a_question_leaves_out_are_not_counted_for_another() -> None:
    """M9a: of each unit one row in a bin is more than one in a range."""
    schema = schema_of(unit=PrivacyUnit("person", 4))
    kept = {"per_unit": {"rows_per_group": 1}}
    stored = question(CDF, group_by=[FINE], **kept)
    assert derivation(question(COUNT, where=[BETWEEN], **kept), stored, schema=schema) is None


@pytest.mark.parametrize("mode", list(Mode))
def test_its_intervals_hold_as_often_as_stated_and_are_no_wider_than_needed(mode: Mode) -> None:
    """C3: through release and derivation, 300 times; all rows at one value."""
    schema, groups = schema_of(mode=mode), [{"column": "age", "edges": [17, 32, 62, 90]}]
    stored = question(CDF, epsilon=1, group_by=[FINE])
    wanted = question(COUNT, epsilon=1, group_by=groups)
    found = derivation(wanted, stored, schema=schema)
    assert found is not None
    blueprint, rows = blueprint_of(stored, schema), ROWS[:50]
    directly = blueprint_of(question(COUNT, epsilon=EXACT, group_by=groups), schema)
    exact = np.array(values(release_of(directly, rows)))
    bodies = [
        found.body({"0": release_of(blueprint, rows)}, blueprint_of(wanted, schema).groups())
        for _ in range(300)
    ]
    errors = np.array([values(body) for body in bodies]) - exact
    cells = bodies[0]["statistics"][0]["cells"]
    bounds = np.array([cell["accuracy"][1]["value"] for cell in cells])
    assert (np.abs(errors) <= bounds).sum(axis=0).min() >= fewest(300, 0.95)
    # Errors are whole rows: half a row of rounding, and some of the bound's own.
    assert (np.abs(errors) <= (bounds - 3) / 1.25).sum(axis=0).max() <= most(300, 0.95)
    (part,) = found.parts
    expected = part.expected(None)[0][1][1]["value"]
    assert expected == bounds.max()


def test_a_range_is_less_noisy_than_its_two_ends_apart() -> None:
    schema = schema_of(mode=Mode.ZCDP)
    stored = question(CDF, epsilon=1, group_by=[FINE])
    found = derivation(question(COUNT, epsilon=1, where=[BETWEEN]), stored, schema=schema)
    assert found is not None
    part = found.parts[0].part  # type: ignore[union-attr]
    assert isinstance(part, Ranged)
    mechanism = part.mechanism
    assert isinstance(mechanism, Cumulative)
    apart = np.sqrt(2 * mechanism.strategy.variances.mean() * mechanism.taken.noise.variance)
    assert part.deviation < 0.9 * apart
