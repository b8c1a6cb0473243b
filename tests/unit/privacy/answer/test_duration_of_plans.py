"""L4: how long a question may take is told from its plan and from what was declared alone."""

from dataclasses import replace
from typing import Any

import pytest

from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.duration import expected_microseconds, longest_microseconds
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit

SCHEMA = DatasetSchema(
    columns=(
        column_spec("age", numeric_domain("0", "999", "1"), MissingRule.DROP, ""),
        column_spec("sex", category_domain(("Female", "Male")), MissingRule.DROP, ""),
    ),
    unit=PrivacyUnit("person", 3, 2),
    neighbouring=Neighbouring.ADD_REMOVE,
    group_size=1,
    max_rows=10_000_000,
    public_rows=100_000,
)
COUNT: dict[str, Any] = {"statistics": [{"statistic": "count"}], "epsilon": 1}
PERSONS: dict[str, Any] = {"statistics": [{"statistic": "count_distinct"}], "epsilon": 1}
BY_SEX = {"group_by": [{"column": "sex"}]}


def of(plan: dict[str, Any], **declared: Any) -> Blueprint:
    schema = replace(SCHEMA, **declared)
    return prepare(parse_plan(plan, schema, dataset="x"), schema)


def test_twice_the_declared_rows_are_reckoned_with_and_never_more_than_there_may_be() -> None:
    """L4: without a figure a million, so that a bound that nobody reaches makes nobody wait."""
    assert expected_microseconds(of(COUNT)) == longest_microseconds(of(COUNT, max_rows=200_000))
    unknown = of(COUNT, public_rows=None)
    assert expected_microseconds(unknown) == longest_microseconds(of(COUNT, max_rows=1_000_000))
    small = of(COUNT, max_rows=1_000, public_rows=None)
    assert expected_microseconds(small) == longest_microseconds(small)
    assert expected_microseconds(of(COUNT)) < longest_microseconds(of(COUNT))


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (COUNT, COUNT | {"where": [{"column": "age", "op": ">=", "value": 5}]}),
        (COUNT, COUNT | BY_SEX),
        (COUNT, PERSONS),
        (PERSONS, PERSONS | BY_SEX),
        (COUNT, COUNT | {"statistics": [{"statistic": "median", "column": "age"}]}),
        (
            COUNT | {"group_by": [{"column": "age", "edges": list(range(0, 1_001, 10))}]},
            COUNT | {"group_by": [{"column": "age", "edges": [0, 11, *range(20, 1_001, 10)]}]},
        ),
    ],
    ids=["a filter", "a group", "persons", "groups of persons", "a choice", "uneven bins"],
)
def test_what_takes_longer_is_given_longer(less: dict[str, Any], more: dict[str, Any]) -> None:
    """L4: `bench/duration.py` says by how much."""
    assert expected_microseconds(of(less)) < expected_microseconds(of(more))
