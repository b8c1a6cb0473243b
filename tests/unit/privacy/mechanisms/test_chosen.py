"""M13: what tables may be chosen among, and why not of rows that are limited by cell.

What could overspend: a marginal that moves further than the table of all columns is bounded by. One
row in each of four cells moves that table by 2 in L2, and a marginal that adds these up by 4.
"""

from dataclasses import replace

import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import PerUnit, PrivacyUnit
from tests.unit.privacy.tables import COUNT, draw_of, question, schema_of

PEOPLE = schema_of(unit=PrivacyUnit("person", 4), mode=Mode.ZCDP)
GROUPS = [{"column": "sex"}, {"column": "hours", "edges": [1, 40, 99]}]
CHOOSING = {"adaptive": {"rounds": 2, "tables": [["sex"], ["hours"]]}}


def test_rows_that_are_limited_by_cell_are_not_chosen_among() -> None:
    """By no door; and if one made such a plan, nothing would be prepared of it."""
    limited = {"per_unit": {"groups": 4, "rows_per_group": 1}}
    body = question(COUNT, group_by=GROUPS)
    (count,) = prepare(parse_plan(body | limited, PEOPLE, dataset="people"), PEOPLE).mechanisms
    taken = draw_of(count)
    assert taken is not None
    assert taken.reach.l2_squared == 4 < 4**2
    chosen = parse_plan(body | CHOOSING, PEOPLE, dataset="people", stored=True)
    prepare(chosen, PEOPLE)
    with pytest.raises(ValueError, match="limited by cell"):
        prepare(replace(chosen, per_unit=PerUnit(4, 1)), PEOPLE)
