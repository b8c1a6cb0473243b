"""Which budgets have reached 50, 80 or 100% of their limit, read from the ledger's counters.

What is reserved counts like what is spent, so a level says nothing of how a question ended. A
level is told once for each limit; of several that are reached together the highest is told.
"""

from collections.abc import Collection, Iterator
from datetime import datetime
from uuid import UUID

from django.db.models import F, QuerySet

from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset
from dpgov.notices.events.telling import Happening
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Event
from dpgov.tenants.models import Membership, ProjectMember, Role
from dpgov.tenants.roles import having

LEVELS = (50, 80, 100)
OWN = (Budget.Kind.DATASET, Budget.Kind.ALLOCATION, Budget.Kind.SHARED_BUDGET)
# Other tenants may charge these: they move while the own log stands still.
SHARED = (Budget.Kind.SHARED_BUDGET,)


def reached(tenant_id: UUID, kinds: Collection[str], now: datetime) -> Iterator[Happening]:
    """What to tell about the tenant's open budgets of these kinds."""
    budgets = list(_half_used(tenant_id, kinds))
    told = _told(tenant_id, budgets)
    for budget in budgets:
        level = _level(budget)
        keys = [_key(budget, at) for at in LEVELS if at >= level]
        if told.isdisjoint(keys):
            yield _happening(budget, level, now)


def _half_used(tenant_id: UUID, kinds: Collection[str]) -> QuerySet[Budget]:
    budgets = Budget.objects.filter(
        tenant_id=tenant_id,
        kind__in=kinds,
        closed_at__isnull=True,
        limit_nano__gt=0,
        limit_nano__lte=(F("reserved_nano") + F("spent_nano")) * 2,
    )
    return budgets.select_related(
        "allocation__dataset_budget", "allocation__user", "allocation__project"
    ).order_by("id")


def _level(budget: Budget) -> int:
    """The highest level that is reached, in whole numbers."""
    return max(at for at in LEVELS if budget.committed_nano * 100 >= at * budget.limit_nano)


def _key(budget: Budget, level: int) -> str:
    return f"budget:{budget.pk}:{budget.limit_nano}:{level}"


def _told(tenant_id: UUID, budgets: list[Budget]) -> set[str]:
    keys = [_key(budget, level) for budget in budgets for level in LEVELS]
    events = Event.objects.filter(tenant_id=tenant_id, key__in=keys)
    return set(events.values_list("key", flat=True))


def _happening(budget: Budget, level: int, now: datetime) -> Happening:
    is_allocation = budget.kind == Budget.Kind.ALLOCATION
    of = budget.allocation.dataset_budget_id if is_allocation else budget.pk
    dataset = Dataset.objects.filter(budget_id=of, archived_at__isnull=True).first()
    named, people = _allocation(budget) if is_allocation else _whole(budget)
    about = {"slug": dataset.slug, "dataset": dataset.name} if dataset else {}
    detail = {"percent": level, **named, **about}
    return Happening(
        key=_key(budget, level),
        kind=Kind.BUDGET,
        due_at=now,
        people=people,
        detail=detail,
        personal=is_allocation,
        dataset=dataset.pk if dataset else None,
    )


def _whole(budget: Budget) -> tuple[dict[str, str], frozenset[UUID]]:
    """A dataset's or a shared budget concerns owners and officers."""
    shared = budget.kind == Budget.Kind.SHARED_BUDGET
    named = {"of": "shared_budget", "shared_budget": budget.label} if shared else {"of": "dataset"}
    members = Membership.objects.filter(
        having(Role.OWNER, Role.OFFICER), tenant_id=budget.tenant_id
    )
    return named, frozenset(members.values_list("user_id", flat=True))


def _allocation(budget: Budget) -> tuple[dict[str, str], frozenset[UUID]]:
    """An allocation concerns whoever may use it, and nobody else's page shows it to them."""
    allocation = budget.allocation
    if allocation.user_id is not None:
        return {"of": "allocation"}, frozenset({allocation.user_id})
    people = ProjectMember.objects.present().filter(project__allocations=allocation)
    named = {"of": "project", "project": str(allocation.project)}
    return named, frozenset(people.values_list("user_id", flat=True))
