"""The outcome of a logistic regression: a column of two values, and which of them is meant."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpgov.language.said import Said, said
from dpgov.privacy.accounting.decimals import json_number
from dpgov.privacy.plan.plan import InvalidPlan, PlanProblem
from dpgov.privacy.plan.problems import shortened
from dpgov.privacy.plan.request import Factor
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    DateDomain,
    NumericDomain,
)

_TWO = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """`factor` is 1 where a row has what `means` says, and 0 where it has the other value."""

    factor: Factor
    means: Any


def has_two_values(spec: ColumnSpec) -> bool:
    """Whether it can be the outcome: two categories, or two numbers."""
    if isinstance(spec.domain, CategoryDomain):
        return len(spec.domain.categories) == _TWO
    return not isinstance(spec.domain, DateDomain) and spec.domain.top == 1


def not_of_two(name: str) -> Said:
    """Why a column can't be the outcome."""
    return said(
        "“{column}” is no yes or no: a logistic regression takes a column of two categories, or "
        "of the numbers 0 and 1.",
        column=shortened(name),
    )


def outcome_of(name: str, schema: DatasetSchema) -> Outcome:
    """The second of its categories, or the larger number. Raises InvalidPlan."""
    index = schema.index_of(name)
    spec = None if index is None else schema.columns[index]
    if index is None or spec is None or not has_two_values(spec):
        raise InvalidPlan((PlanProblem("statistics", not_of_two(name)),))
    if isinstance(spec.domain, CategoryDomain):
        return Outcome(Factor(index, 1, 1), spec.domain.categories[1])
    return Outcome(Factor(index), _larger(spec.domain))


def _larger(domain: NumericDomain) -> int | float:
    return json_number(Fraction(domain.upper), 12)
