"""Reading plans about the people of `tables`, and what is said of those that are refused."""

import pytest

from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan, Plan
from tests.unit.privacy.tables import schema_of

SCHEMA = schema_of()


def parse(raw: object) -> Plan:
    return parse_plan(raw, SCHEMA, dataset="people")


def refused(raw: object) -> dict[str, str]:
    with pytest.raises(InvalidPlan) as refusal:
        parse(raw)
    return {problem.path: problem.message for problem in refusal.value.problems}
