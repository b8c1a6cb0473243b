"""Reads about shared budgets, as one tenant may see them: its own datasets, and one total.

Must never tell one organisation about another more than that a dataset of it shares the budget:
no names, no numbers of datasets or questions, no moments of theirs.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from dpgov.budgets.crossing import shared_with_others
from dpgov.budgets.models import Budget, Correction, DerivedBudget, LimitChange, SharedBudgetMember
from dpgov.tenants.models import Tenant


@dataclass(frozen=True, slots=True)
class Sharing:
    """With whom a dataset's budget shares: the shared budget, own budgets beside it, and others."""

    shared_budget: Budget
    own_budgets: tuple[UUID, ...]
    others: bool


@dataclass(frozen=True, slots=True)
class SharedBudgetEvent:
    """Something that happened to a shared budget, by or for this tenant."""

    at: datetime
    kind: str
    budget: Budget | None = None
    nano: int | None = None
    before_nano: int | None = None
    reason: str = ""


def shared_budgets_of(tenant: Tenant) -> QuerySet[Budget]:
    """The open shared budgets that are the tenant's, or that its datasets are in; by name."""
    joined = SharedBudgetMember.objects.filter(tenant=tenant, left_at__isnull=True)
    return _visible(tenant, joined).filter(closed_at__isnull=True)


def get_shared_budget(tenant: Tenant, shared_budget_id: UUID) -> Budget:
    """One that is or was shared; Budget.DoesNotExist for foreign and missing ones alike."""
    return _visible(tenant, SharedBudgetMember.objects.filter(tenant=tenant)).get(
        pk=shared_budget_id
    )


def takes_part(shared_budget: Budget, tenant: Tenant) -> bool:
    """Whether it is the tenant's own, or a dataset of the tenant's is in it now.

    Who has left keeps its access to the row, for what is still held and given back there, and
    neither sees its balance nor comes back without a new invitation.
    """
    return shared_budget.tenant_id == tenant.pk or members_of(shared_budget, tenant).exists()


def _visible(tenant: Tenant, joined: QuerySet[SharedBudgetMember]) -> QuerySet[Budget]:
    mine = Q(tenant=tenant) | Q(pk__in=joined.order_by().values("shared_budget"))
    return Budget.objects.filter(mine, kind=Budget.Kind.SHARED_BUDGET).order_by("label", "id")


def members_of(shared_budget: Budget, tenant: Tenant) -> QuerySet[SharedBudgetMember]:
    """The tenant's own members now, with their budgets, in the order in which they joined."""
    present = SharedBudgetMember.objects.filter(
        shared_budget=shared_budget, tenant=tenant, left_at__isnull=True
    )
    return present.select_related("dataset_budget").order_by("joined_at", "id")


def sharing_of(dataset_budget_id: UUID, tenant: Tenant) -> Sharing | None:
    """With what a dataset's budget is shared now; None when with nothing."""
    member = (
        SharedBudgetMember.objects.filter(
            dataset_budget=dataset_budget_id, tenant=tenant, left_at__isnull=True
        )
        .select_related("shared_budget")
        .first()
    )
    if member is None:
        return None
    beside = members_of(member.shared_budget, tenant).exclude(dataset_budget=dataset_budget_id)
    own = tuple(beside.values_list("dataset_budget", flat=True))
    return Sharing(
        member.shared_budget, own, shared_with_others(member.shared_budget_id, tenant.pk)
    )


def shared_by(tenant: Tenant) -> dict[UUID, Budget]:
    """The open shared budget of each dataset's budget of the tenant's; of a derived dataset's, that
    of its parents. Those that share with nothing are left out.
    """
    present = SharedBudgetMember.objects.filter(
        tenant=tenant, left_at__isnull=True, shared_budget__closed_at__isnull=True
    )
    found = {one.dataset_budget_id: one.shared_budget for one in _with_shared(present)}
    derived = DerivedBudget.objects.filter(tenant=tenant).order_by("created_at", "id")
    for budget_id, parent_id in derived.values_list("budget", "parent"):
        if parent_id in found:
            found[budget_id] = found[parent_id]
    return found


def surveys_by(tenant: Tenant) -> dict[UUID, list[Correction]]:
    """The tenant's surveys in the spending of each budget, with what each took when it opened:
    charged to it, or to a shared budget whose spending was carried over to it afterwards, by a
    merge or a division. One statement.
    """
    found: dict[UUID, list[Correction]] = {}
    for step in _survey_steps(tenant):
        here = found.setdefault(step.budget_id, [])
        there = found.get(step.source.pk, []) if step.source else [step]
        here += [one for one in there if one not in here]
    return found


def _survey_steps(tenant: Tenant) -> QuerySet[Correction]:
    """Charges of surveys, and what was carried between shared budgets, in order."""
    survey = Q(kind=Correction.Kind.SURVEY)
    carried = Q(kind=Correction.Kind.CARRIED_OVER, source__kind=Budget.Kind.SHARED_BUDGET)
    rows = Correction.objects.filter(survey | carried, tenant=tenant)
    return rows.select_related("budget", "source").order_by("created_at", "id")


def _with_shared(members: QuerySet[SharedBudgetMember]) -> QuerySet[SharedBudgetMember]:
    return members.select_related("shared_budget")


def without_shared(tenant: Tenant, rows: QuerySet[Any, Any], budget: str) -> QuerySet[Any, Any]:
    """Those of the rows whose dataset budget shares nothing, by itself or by its parents.

    `budget` is the field in which they have it.
    """
    present = SharedBudgetMember.objects.filter(tenant=tenant, left_at__isnull=True)
    derived = DerivedBudget.objects.filter(tenant=tenant)
    of_row = OuterRef(budget)
    return rows.filter(
        ~Exists(present.filter(dataset_budget=of_row)), ~Exists(derived.filter(budget=of_row))
    )


def events_of(shared_budget: Budget, tenant: Tenant) -> list[SharedBudgetEvent]:
    """What this tenant did to the shared budget and with its own datasets, newest first."""
    members = SharedBudgetMember.objects.filter(shared_budget=shared_budget, tenant=tenant)
    ever = list(_with_budget(members))
    found = [SharedBudgetEvent(m.joined_at, "joined", m.dataset_budget) for m in ever]
    found += [SharedBudgetEvent(m.left_at, "left", m.dataset_budget) for m in ever if m.left_at]
    carried = Correction.objects.filter(budget=shared_budget, tenant=tenant).select_related(
        "source"
    )
    found += [
        SharedBudgetEvent(c.created_at, c.kind, c.source, c.amount_nano, reason=c.reason)
        for c in carried
    ]
    limits = LimitChange.objects.filter(budget=shared_budget, tenant=tenant)
    found += [
        SharedBudgetEvent(c.created_at, "limit", None, c.after_nano, c.before_nano, c.reason)
        for c in limits
    ]
    return sorted(found, key=lambda event: event.at, reverse=True)


def _with_budget(members: QuerySet[SharedBudgetMember]) -> QuerySet[SharedBudgetMember]:
    return members.select_related("dataset_budget")
