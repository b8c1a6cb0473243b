"""A plan made ready: what to read, what noise to draw, what it costs. Made without any data.

Cost, noise, the shape of the answer and every refusal are functions of the plan and the public
metadata alone.
"""

from dataclasses import dataclass
from typing import Any

from dpgov.privacy.budget import MAX_NANO, as_number, as_text
from dpgov.privacy.grouping import code_grouping, described
from dpgov.privacy.mechanisms.choice import mechanism_for
from dpgov.privacy.mechanisms.mechanism import Mechanism
from dpgov.privacy.mechanisms.part import MECHANISM
from dpgov.privacy.plan import InvalidPlan, Plan, PlanProblem
from dpgov.privacy.predicates import code_filter
from dpgov.privacy.request import ExactRequest, Measure
from dpgov.privacy.schema import LARGEST_SUM, ColumnSpec, DatasetSchema

MAX_CELLS = 10_000


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A plan with its exact request and mechanisms, one per statistic, in the plan's order."""

    plan: Plan
    schema: DatasetSchema
    request: ExactRequest
    mechanisms: tuple[Mechanism, ...]

    @property
    def cost_nano(self) -> int:
        """What is booked: the plan's whole ε, never less than what is drawn."""
        return self.plan.epsilon_nano

    def describe(self, assumed_rows: int | None = None) -> dict[str, Any]:
        """The quote: everything about the answer that can be said without any data.

        `assumed_rows`, or else the public number of rows, is spread evenly over the cells to say
        how wrong a mean may be. It is a guess of the person who asks, never the true number.
        """
        rows = self.schema.public_rows if assumed_rows is None else assumed_rows
        in_a_cell = None if rows is None else max(1, rows // self.request.cells)
        return {
            "epsilon": as_number(self.cost_nano),
            "cells": self.request.cells,
            "groups": self.groups(),
            "statistics": [
                describe_statistic(mechanism)
                | {"accuracy": mechanism.expected_accuracy(in_a_cell), "assumed_rows": rows}
                for mechanism in self.mechanisms
            ],
        }

    def groups(self) -> list[dict[str, Any]]:
        """The groupings with the names of their bins; cells are row-major, the first slowest."""
        return [described(grouping) for grouping in self.plan.group_by]


def describe_statistic(mechanism: Mechanism) -> dict[str, Any]:
    """The public facts about one statistic's noise, shared by quote and release."""
    return {
        "statistic": mechanism.statistic.kind.value,
        "column": mechanism.statistic.column,
        "epsilon": as_number(mechanism.nano),
        "mechanism": MECHANISM,
        "parts": [part.describe() for part in mechanism.parts],
    }


def prepare(plan: Plan, schema: DatasetSchema) -> Blueprint:
    """Turn a parsed plan into a blueprint.

    Raises InvalidPlan for a privacy unit that is not enforced yet, too many cells, or an ε at
    which the noise would leave the exact range; the message names the smallest ε that works.
    """
    _check_unit(schema)
    mechanisms = tuple(
        mechanism_for(statistic, plan, schema, plan.epsilon_nano // len(plan.statistics))
        for statistic in plan.statistics
    )
    request = _request(plan, schema, mechanisms)
    _check_cells(request)
    _check_noise(plan, mechanisms)
    return Blueprint(plan, schema, request, mechanisms)


def _check_unit(schema: DatasetSchema) -> None:
    if schema.unit.private_id is not None or schema.unit.max_rows_per_unit != 1:
        raise _refusal(
            "dataset",
            "This dataset protects persons with several rows each, and the limit on rows per "
            "person is not enforced yet. Ask the owner for a dataset with one row per person.",
        )


def _check_cells(request: ExactRequest) -> None:
    if request.cells > MAX_CELLS:
        raise _refusal(
            "group_by",
            f"The grouping has {request.cells} cells; at most {MAX_CELLS} are answered at once. "
            "Use fewer or wider bins.",
        )


def _check_noise(plan: Plan, mechanisms: tuple[Mechanism, ...]) -> None:
    for position, mechanism in enumerate(mechanisms):
        if any(part.sensitivity > LARGEST_SUM for part in mechanism.parts):
            raise _refusal(
                f"statistics.{position}",
                "The protected group is too large for this column's bounds to be added up exactly.",
            )
    parts = [part for mechanism in mechanisms for part in mechanism.parts]
    smallest = len(mechanisms) * max(part.smallest_statistic_nano for part in parts)
    if smallest > MAX_NANO:
        raise _refusal("statistics", "No ε is large enough for these bounds; narrow them.")
    if plan.epsilon_nano < smallest:
        raise _refusal("epsilon", f"ε must be at least {as_text(smallest)} for this question.")


def _refusal(path: str, message: str) -> InvalidPlan:
    return InvalidPlan((PlanProblem(path, message),))


def _request(plan: Plan, schema: DatasetSchema, mechanisms: tuple[Mechanism, ...]) -> ExactRequest:
    needed: dict[Measure, None] = {}
    for mechanism in mechanisms:
        for part in mechanism.parts:
            needed.update((measure, None) for measure, _ in part.weights)
    return ExactRequest(
        filters=tuple(code_filter(c, *_column(schema, c.column)) for c in plan.where),
        groupings=tuple(code_grouping(g, *_column(schema, g.column)) for g in plan.group_by),
        measures=tuple(needed),
    )


def _column(schema: DatasetSchema, name: str) -> tuple[int, ColumnSpec]:
    index = schema.index_of(name)
    if index is None:
        raise _refusal("plan", f"The column “{name}” is no longer there.")
    return index, schema.columns[index]
