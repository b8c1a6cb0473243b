"""How large a question of one person could be on each of many datasets, in a few statements.

Reads the ledger only; for pages that list datasets. What binds in the end is decided when a
question is asked.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, Value

from dpgov.budgets.charging import Limit, limits_touched
from dpgov.budgets.models import Allocation, PartitionLine, PopulationMember
from dpgov.budgets.services.line import Line
from dpgov.tenants.models import User


@dataclass(frozen=True, slots=True)
class Room:
    """The largest question about all of a dataset that its limits admit, in its currency.

    `tightest` is the limit that says so, in words. Without an allocation where one is needed there
    is none, and nothing fits.
    """

    fit_nano: int
    tightest: str = ""
    needs_allocation: bool = False


def rooms_for(
    user: User, dataset_budgets: Collection[UUID], *, needing: Collection[UUID]
) -> dict[UUID, Room]:
    """The room on each of these budgets of datasets; `needing` are those that need an allocation.

    Of several allocations the person's own counts, else the roomiest of their projects'.
    """
    shared, granted = _shared(dataset_budgets), _granted(user, dataset_budgets)
    every = {one for budgets in (*shared.values(), *granted.values()) for one in budgets}
    found = limits_touched([Line(budget, 0, what="room") for budget in every])
    limits: dict[UUID, list[Limit]] = {}
    for limit in found:
        limits.setdefault(limit.budget_id or UUID(int=0), []).append(limit)
    rooms = {}
    for budget in dataset_budgets:
        binding = [_tightest(limits, [one]) for one in granted[budget]]
        if not binding and budget in needing:
            rooms[budget] = Room(0, needs_allocation=True)
            continue
        roomiest = max(binding, key=lambda limit: limit.fit_nano, default=None)
        least = _tightest(limits, shared[budget])
        if roomiest is not None and roomiest.fit_nano < least.fit_nano:
            least = roomiest
        rooms[budget] = Room(least.fit_nano, least.words)
    return rooms


def _tightest(limits: Mapping[UUID, list[Limit]], budgets: Iterable[UUID]) -> Limit:
    return min(
        (limit for budget in budgets for limit in limits[budget]), key=lambda one: one.fit_nano
    )


def _shared(dataset_budgets: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """What everybody's question on a dataset touches: itself or its parts, and populations."""
    lines = PartitionLine.objects.filter(dataset_budget__in=dataset_budgets).order_by()
    joined = PopulationMember.objects.filter(
        dataset_budget__in=dataset_budgets, left_at__isnull=True
    ).order_by()
    rows = lines.values_list(Value("part"), "dataset_budget", "budget").union(
        joined.values_list(Value("population"), "dataset_budget", "population"), all=True
    )
    parts: dict[UUID, list[UUID]] = {}
    populations: dict[UUID, list[UUID]] = {}
    for what, whole, budget in rows:
        (parts if what == "part" else populations).setdefault(whole, []).append(budget)
    return {
        whole: parts.get(whole, [whole]) + populations.get(whole, []) for whole in dataset_budgets
    }


def _granted(user: User, dataset_budgets: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """The person's own allocation alone, else all those of their projects."""
    mine = Q(user=user) | Q(project__members__user=user, project__ended_at__isnull=True)
    grants = Allocation.objects.filter(
        mine, dataset_budget__in=dataset_budgets, budget__closed_at__isnull=True
    )
    own: dict[UUID, list[UUID]] = {}
    projects: dict[UUID, list[UUID]] = {}
    for grant in grants.distinct():
        kind = projects if grant.user_id is None else own
        kind.setdefault(grant.dataset_budget_id, []).append(grant.pk)
    return {budget: own.get(budget) or projects.get(budget, []) for budget in dataset_budgets}
