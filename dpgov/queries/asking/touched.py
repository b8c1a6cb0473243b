"""The budgets that a question touches, from its plan and the dataset's declarations."""

from uuid import UUID

from dpgov.budgets.charging import (
    Allocations,
    Parts,
    allocations_of,
    choose_allocation,
    lines_of_query,
)
from dpgov.budgets.services import Line
from dpgov.datasets.models import Dataset
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.plan.plan import factor_of_parts, parts_touched
from dpgov.tenants.models import User


def lines_of(
    blueprint: Blueprint,
    *,
    dataset: Dataset,
    user: User,
    allocation_id: UUID | None = None,
    own: Allocations | None = None,
) -> list[Line]:
    """Every budget that this question of this person would be charged to, and how much.

    `own` are the person's allocations on this dataset, where they were read already. Raises
    AllocationNeeded and ChooseAllocation.
    """
    allocation = choose_allocation(
        allocations_of(user, dataset.budget_id) if own is None else own,
        wanted=allocation_id,
        needed=dataset.needs_allocation,
    )
    return lines_of_query(
        dataset_budget_id=dataset.budget_id,
        cost_nano=blueprint.cost_nano,
        parts=_parts(blueprint, dataset.partition_column),
        allocation=allocation,
    )


def _parts(blueprint: Blueprint, column: str) -> Parts:
    named = parts_touched(blueprint.plan, column) if column else None
    restricted = named is not None
    return Parts(named, factor_of_parts(blueprint.schema.neighbouring, restricted=restricted))
