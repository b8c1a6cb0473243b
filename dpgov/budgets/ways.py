"""Which limits a question of one person would meet on each of many datasets, in a few statements.

Reads the ledger only; for pages that list datasets. What binds in the end is decided when a
question is asked.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, Value

from dpgov.budgets.charging import Limit, lifetime, limits_touched
from dpgov.budgets.models import Allocation, Budget, BudgetPart, SharedBudgetMember
from dpgov.budgets.services.line import Line
from dpgov.tenants.models import User


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which a question about all of a dataset may be charged, with every limit it meets.

    `allocation_id` is None without an allocation.
    """

    allocation_id: UUID | None
    limits: tuple[Limit, ...]


def ways_for(
    user: User | None, dataset_budgets: Collection[UUID], *, needing: Collection[UUID]
) -> dict[UUID, list[Way]]:
    """The ways on each of these budgets of datasets; none where an allocation is missing.

    A person's own one is charged unless they name another, else one of their projects'. `needing`
    are those that need an allocation. Without a user: what anybody's question meets.
    """
    shared = _shared(dataset_budgets)
    granted = {} if user is None else _granted(user, dataset_budgets)
    every = {one for budgets in (*shared.values(), *granted.values()) for one in budgets}
    found = limits_touched([Line(budget, 0, what="way") for budget in every])
    limits: dict[UUID, list[Limit]] = {}
    for limit in found:
        limits.setdefault(limit.budget_id or UUID(int=0), []).append(limit)
    ways = {}
    for budget in dataset_budgets:
        allocations: list[UUID | None] = [*granted.get(budget, [])]
        if not allocations and (user is None or budget not in needing):
            allocations = [None]
        ways[budget] = [_way(limits, allocation, shared[budget]) for allocation in allocations]
    return ways


def for_life(budgets: Iterable[Budget]) -> dict[UUID, list[Limit]]:
    """The limits of these budgets of datasets that never renew: their own, and a shared one.

    The counters of a divided budget are those of its fullest part. One statement.
    """
    found = {budget.pk: [lifetime(budget)] for budget in budgets}
    joined = SharedBudgetMember.objects.filter(dataset_budget__in=found, left_at__isnull=True)
    for member in joined.select_related("shared_budget"):
        found[member.dataset_budget_id].append(lifetime(member.shared_budget))
    return found


def _way(
    limits: Mapping[UUID, list[Limit]], allocation: UUID | None, shared: Iterable[UUID]
) -> Way:
    met = [*shared, *([allocation] if allocation else [])]
    found = (limit for budget in met for limit in limits[budget])
    return Way(allocation, tuple(sorted(found, key=lambda limit: (limit.fit_nano, limit.words))))


def _shared(dataset_budgets: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """What everybody's question on a dataset touches: itself or its parts, and shared budgets."""
    lines = BudgetPart.objects.filter(dataset_budget__in=dataset_budgets).order_by()
    joined = SharedBudgetMember.objects.filter(
        dataset_budget__in=dataset_budgets, left_at__isnull=True
    ).order_by()
    rows = lines.values_list(Value("part"), "dataset_budget", "budget").union(
        joined.values_list(Value("shared_budget"), "dataset_budget", "shared_budget"), all=True
    )
    parts: dict[UUID, list[UUID]] = {}
    shared_budgets: dict[UUID, list[UUID]] = {}
    for what, whole, budget in rows:
        (parts if what == "part" else shared_budgets).setdefault(whole, []).append(budget)
    return {
        whole: parts.get(whole, [whole]) + shared_budgets.get(whole, [])
        for whole in dataset_budgets
    }


def _granted(user: User, dataset_budgets: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """The person's own allocation alone, else all those of their projects."""
    mine = Q(user=user) | Q(project__members__user=user, project__ended_at__isnull=True)
    allocations = Allocation.objects.filter(
        mine, dataset_budget__in=dataset_budgets, budget__closed_at__isnull=True
    )
    own: dict[UUID, list[UUID]] = {}
    projects: dict[UUID, list[UUID]] = {}
    for allocation in allocations.distinct():
        kind = projects if allocation.user_id is None else own
        kind.setdefault(allocation.dataset_budget_id, []).append(allocation.pk)
    return {budget: own.get(budget) or projects.get(budget, []) for budget in dataset_budgets}
