"""M42: what is said of a total of several organisations is true of all their rows.

What could mislead: an interval cut to what one organisation's dataset can hold, which the true
total is far outside of, and a warning that measures its error by that.
"""

from dataclasses import replace
from typing import Any

import pytest

from dpgov.audit.entry import canonical_json
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.answer.body import read_body
from dpgov.privacy.joint.total import Joint, joint_of
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.queries.wording.numbers import readable
from dpgov.queries.wording.presentation import read_answer
from tests.unit.privacy.tables import schema_of

_MAX_ROWS = 1_000
_TRUE_TOTAL = 3 * 900
_COUNT: dict[str, Any] = {"dataset": "visits", "statistics": [{"statistic": "count"}], "rho": 0.05}


def _joint(max_rows: int = _MAX_ROWS) -> Joint:
    """Of three organisations, whose datasets have so many rows at most."""
    schema = replace(schema_of(mode=Mode.ZCDP), max_rows=max_rows)
    plan = parse_plan(_COUNT, schema, dataset="visits")
    return joint_of(prepare(plan, schema), parties=3, colluders=1)


def _as_once_stored(body: dict[str, Any]) -> str:
    """As bodies were stored that had what one organisation declared."""
    statistics = [
        one | {"range": [0, _MAX_ROWS], "warning_code": "error_as_wide_as_range"}
        for one in body["statistics"]
    ]
    return canonical_json(body | {"statistics": statistics})


@pytest.mark.parametrize("store", [canonical_json, _as_once_stored])
def test_an_interval_of_a_total_is_not_cut_to_what_one_organisation_can_have(store: Any) -> None:
    """M42: three times 900 rows of at most 1,000 each; before, "between 1,000 and 1,000"."""
    body = read_body(store(_joint().release([_TRUE_TOTAL], question="q")))
    (cell,) = read_answer(body).statistics[0].cells
    (error,) = (
        one["value"]
        for one in body["statistics"][0]["cells"][0]["accuracy"]
        if one["confidence_level"] == 0.95
    )
    ends = [readable(end, error) for end in (_TRUE_TOTAL - error, _TRUE_TOTAL + error)]
    assert all(end in cell.interval for end in ends)


@pytest.mark.parametrize("store", [canonical_json, _as_once_stored])
def test_a_total_is_not_said_to_say_nothing_by_one_organisations_rows(store: Any) -> None:
    """M42: its error is as wide as what one of them can have, and not as what all of them can."""
    body = read_body(store(_joint(max_rows=5).release([14], question="q")))
    assert read_answer(body).statistics[0].warning == ""
    assert body["statistics"][0]["warning_code"] is None


def test_a_release_of_a_total_does_not_say_what_one_dataset_can_have() -> None:
    """M42: parties may have declared different sizes, and all get the same numbers."""
    (statistic,) = _joint().release([_TRUE_TOTAL], question="q")["statistics"]
    assert "range" not in statistic
    assert statistic["warning_code"] is None
