"""L4: how long a question may take is made of its plan and of public declarations, all of them."""

from dataclasses import replace
from typing import Any

import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.answer.duration import expected_microseconds, rows_taken
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit
from dpgov.queries.answering.moments import class_ms_of

SCHEMA = DatasetSchema(
    columns=(
        column_spec("age", numeric_domain("0", "110", "1"), MissingRule.DROP, ""),
        column_spec("sex", category_domain(("Female", "Male")), MissingRule.DROP, ""),
    ),
    unit=PrivacyUnit(),
    neighbouring=Neighbouring.ADD_REMOVE,
    group_size=1,
    max_rows=50_000_000,
)
COUNT, MEDIAN = {"statistic": "count"}, {"statistic": "median", "column": "age"}


def lasting(statistic: dict[str, str], schema: DatasetSchema = SCHEMA) -> int:
    plan = parse_plan({"statistics": [statistic], "epsilon": "1"}, schema, dataset="x")
    return expected_microseconds(prepare(plan, schema))


@pytest.mark.parametrize(
    ("declared", "bound", "taken"),
    [(None, 50, 50), (None, 10**9, 10**6), (40, 50, 50), (20, 50, 40)],
)
def test_rows_are_reckoned_from_what_is_declared_and_never_above_the_bound(
    declared: int | None, bound: int, taken: int
) -> None:
    """L4"""
    assert rows_taken(replace(SCHEMA, public_rows=declared, max_rows=bound)) == taken


def test_what_is_drawn_takes_time_of_its_own() -> None:
    """L4"""
    small = replace(SCHEMA, max_rows=1)
    assert lasting(MEDIAN, small) - lasting(COUNT, small) > 1_000, "111 values may be chosen"


@pytest.mark.parametrize(("mode", "amount"), [(Mode.PURE, "epsilon"), (Mode.ZCDP, "rho")])
def test_a_million_cells_have_a_class_of_half_a_minute_whatever_is_in_them(
    mode: Mode, amount: str
) -> None:
    """L4: by the cells that the plan declares; a table of one row or of none takes as long."""
    named = tuple(str(place) for place in range(99))
    columns = [column_spec(n, category_domain(named), MissingRule.DROP, "") for n in "abc"]
    schema = replace(SCHEMA, columns=tuple(columns), public_rows=1_000_000, mode=mode)
    groups = [{"column": name, "categories": list(named)} for name in "abc"]
    raw = {"statistics": [COUNT], "group_by": groups, amount: "1"}
    asked = prepare(parse_plan(raw, schema, dataset="x"), schema)
    assert asked.cells == 1_000_000
    assert class_ms_of(asked) == 32_000


def test_a_question_over_more_declared_rows_may_have_a_longer_class() -> None:
    """L4: so that work does not tell, by a doubling, how many rows there truly are."""
    plan = parse_plan({"statistics": [COUNT], "epsilon": "1"}, SCHEMA, dataset="x")
    few, many = (replace(SCHEMA, public_rows=rows) for rows in (10, 20_000_000))
    assert class_ms_of(prepare(plan, many)) > class_ms_of(prepare(plan, few))


def test_what_cubes_answer_has_a_class_of_its_own_whatever_rows_are_declared() -> None:
    """L4: less than a slot for a table that is drawn in it; nothing else is shorter."""
    wide = column_spec("age", numeric_domain("0", "9999", "1"), MissingRule.DROP, "")
    many = replace(SCHEMA, columns=(wide,), public_rows=20_000_000)
    count, median = (
        prepare(parse_plan({"statistics": [each], "epsilon": "1"}, many, dataset="x"), many)
        for each in (COUNT, MEDIAN)
    )
    assert class_ms_of(count, cubed=True) == 80
    assert class_ms_of(count) > 500
    assert class_ms_of(median, cubed=True) == class_ms_of(median)


def test_what_is_chosen_or_takes_longer_to_draw_has_the_later_early_class() -> None:
    """L4: a choice takes longer where many candidates are nearly the best, a sum does not."""
    by_age = {"group_by": [{"column": "age", "edges": list(range(111))}]}
    asked = ({"statistics": [MEDIAN]}, {"statistics": [COUNT], **by_age}, {"statistics": [COUNT]})
    plans = [parse_plan({"epsilon": "1", **each}, SCHEMA, dataset="x") for each in asked]
    classes = [class_ms_of(prepare(plan, SCHEMA), cubed=True) for plan in plans]
    assert classes == [100, 100, 80]


def test_a_slower_machine_or_a_short_slot_has_no_class_before_the_first(settings: Any) -> None:
    """L4: what cannot be done in time is not promised."""
    plan = parse_plan({"statistics": [COUNT], "epsilon": "1"}, SCHEMA, dataset="x")
    settings.DPGOV_DURATION_FACTOR = 2
    assert class_ms_of(prepare(plan, SCHEMA), cubed=True) >= 500
    settings.DPGOV_DURATION_FACTOR, settings.DPGOV_ANSWER_SLOT_MS = 1, 100
    small = replace(SCHEMA, max_rows=1)
    assert class_ms_of(prepare(plan, small), cubed=True) == class_ms_of(prepare(plan, small))
