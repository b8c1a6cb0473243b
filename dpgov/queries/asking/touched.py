"""The budgets that a question touches, and the largest amount that fits them for several together.

A function of the plans, the public metadata and the ledger; never of the data.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from dpgov.budgets.allocated import Allocations, choose_allocation
from dpgov.budgets.charging import Limit, Parts, lines_of_query
from dpgov.budgets.services import Line
from dpgov.datasets.fitting import PersonalPolicy, Question, largest
from dpgov.datasets.lineage import allocations_for, allocations_on_parents
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import MAX_NANO
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.answer.batch import Batch, parts_for, priced
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.plan.plan import InvalidPlan, factor_of_parts, parts_touched
from dpgov.privacy.plan.schema import DatasetSchema
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
        allocations_for(user, dataset) if own is None else own,
        wanted=allocation_id,
    )
    return lines_of_query(
        dataset_budget_id=dataset.budget_id,
        cost_nano=blueprint.cost_nano,
        parts=_parts(blueprint, dataset.partition_column),
        allocation=allocation,
        of_parents=allocations_on_parents(dataset, user, allocation),
    )


def _parts(blueprint: Blueprint, column: str) -> Parts:
    named = parts_touched(blueprint.plan, column) if column else None
    restricted = named is not None
    return Parts(named, factor_of_parts(blueprint.schema.neighbouring, restricted=restricted))


def largest_whole(
    batch: Batch,
    schema: DatasetSchema,
    lines: Sequence[Sequence[Line]],
    limits: Sequence[Limit],
    policy: PersonalPolicy,
) -> int:
    """The largest whole amount whose parts fit under every limit and keep the policy."""
    if policy.stopped:
        return 0
    parts = parts_for(batch, schema)
    most = [largest(policy, policy.most_nano, Question(plan, schema))[0] for plan in batch.plans]
    counted = _counted(lines)
    admitted = [(limit.budget_id, limit.admitted_nano) for limit in limits]

    def fits(whole: int) -> bool:
        found = parts(whole)
        return all(part <= each for part, each in zip(found, most, strict=True)) and all(
            sum(found[place] * factor for place, factor in counted[budget].items()) <= left
            for budget, left in admitted
        )

    low, high = 0, MAX_NANO + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low if _large_enough(batch, schema, low, policy) else 0


def least_whole(blueprints: Sequence[Blueprint], most_nano: int, policy: PersonalPolicy) -> int:
    """The least amount of which each question gets what it must cost; 0 where none is too cheap,
    or that is more than the most that fits.
    """
    cheapest = min(one.cost_nano for one in blueprints)
    if cheapest >= policy.least_nano:
        return 0
    whole = sum(one.cost_nano for one in blueprints)
    found = -(-whole * policy.least_nano // max(1, cheapest))
    return found if found <= most_nano else 0


def _counted(lines: Sequence[Sequence[Line]]) -> dict[UUID | None, Counter[int]]:
    """How many times each question's price counts on each budget."""
    counted: dict[UUID | None, Counter[int]] = defaultdict(Counter)
    for place, of_one in enumerate(lines):
        for line in of_one:
            counted[line.budget_id][place] += line.factor
    return counted


def _large_enough(batch: Batch, schema: DatasetSchema, whole: int, policy: PersonalPolicy) -> bool:
    """Whether each part leaves noise to draw, and is the least price at least."""
    try:
        at = replace(batch, whole=Loss(schema.mode, whole))
        return whole > 0 and all(one.cost_nano >= policy.least_nano for one in priced(at, schema))
    except InvalidPlan:
        return False
