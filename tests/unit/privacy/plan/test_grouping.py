"""D1: how many people have how many rows, at the price of a count of people."""

import pytest

from dpgov.privacy.plan.bins import ROWS_OF_UNIT
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import Neighbouring, PrivacyUnit
from tests.reference import exact_answer
from tests.unit.privacy.noise.test_unit_sensitivity import table_of
from tests.unit.privacy.tables import HOURS, blueprint_of, question, schema_of

NAMED = PrivacyUnit("person", 50, 7)
BY_SIZE = {"group_by": [{"column": "rows_per_unit", "edges": [1, 2, 3, 6]}]}
DISTINCT = {"statistic": "count_distinct"}
ROW = (20, 5, None, 0)


@pytest.mark.parametrize(
    ("relation", "l1"), [(Neighbouring.ADD_REMOVE, 3), (Neighbouring.CHANGE_ONE, 6)]
)
def test_a_person_is_in_one_bin_however_many_rows_may_be_used(
    relation: Neighbouring, l1: int
) -> None:
    """D1: three people together move three bins, or three and three others."""
    schema = schema_of(unit=NAMED, neighbouring=relation, group_size=3)
    (mechanism,) = blueprint_of(question(DISTINCT, **BY_SIZE), schema).mechanisms
    assert mechanism.taken.reach.l1 == l1  # type: ignore[attr-defined]


def test_all_rows_of_a_person_count_and_each_person_once() -> None:
    """D6: sizes 1, 2, 2, 5 and 9, however many rows other questions may use."""
    schema = schema_of(unit=PrivacyUnit("person", 2))
    blueprint = blueprint_of(question(DISTINCT, **BY_SIZE), schema)
    people = table_of([(key, [ROW] * size) for key, size in enumerate((1, 2, 2, 5, 9))])
    assert exact_answer(people, blueprint.requests[0]) == ((1,), (2,), (1,), (1,))
    assert blueprint.requests[0].groupings[0].column == ROWS_OF_UNIT
    assert blueprint.groups()[0]["bins"] == ["[1, 2)", "[2, 3)", "[3, 6]", "other"]


@pytest.mark.parametrize(
    "raw",
    [
        question({"statistic": "count"}, **BY_SIZE),
        question(DISTINCT, **BY_SIZE, where=[{"column": "age", "op": ">", "value": 30}]),
        question(DISTINCT, group_by=[*BY_SIZE["group_by"], {"column": "sex"}]),
        question(DISTINCT, group_by=[{"column": "rows_per_unit", "categories": ["1"]}]),
        question({"statistic": "sum", "column": "rows_per_unit"}),
        question(DISTINCT, where=[{"column": "rows_per_unit", "op": ">", "value": 3}]),
    ],
)
def test_nothing_else_can_be_asked_of_sizes(raw: dict[str, object]) -> None:
    with pytest.raises(InvalidPlan):
        blueprint_of(raw, schema_of(unit=NAMED))


def test_without_a_named_unit_there_are_no_sizes() -> None:
    with pytest.raises(InvalidPlan) as caught:
        blueprint_of(question(DISTINCT, **BY_SIZE), schema_of())
    assert caught.value.problems[0].path == "group_by.0.column"


def test_a_column_that_is_called_so_is_meant_itself() -> None:
    named = type(HOURS)("rows_per_unit", HOURS.domain, HOURS.missing, HOURS.impute_code)
    blueprint = blueprint_of(question(DISTINCT, **BY_SIZE), schema_of(named, unit=NAMED))
    assert blueprint.requests[0].groupings[0].column == 0
