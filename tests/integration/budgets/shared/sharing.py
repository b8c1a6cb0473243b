"""Datasets' budgets, questions on them as they are really charged, and shared budgets of them."""

from contextlib import AbstractContextManager
from uuid import UUID, uuid4

from dpgov.approvals.kinds import CarryOut
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import Decision, approve, request_change
from dpgov.audit.actor import OPERATOR
from dpgov.budgets.charging import Parts, lines_of_query
from dpgov.budgets.models import Budget
from dpgov.budgets.services import open_budget, reserve
from dpgov.budgets.services.agreed import (
    MERGE_SHARED_BUDGETS,
    SPLIT_SHARED_BUDGET,
    merge_as_agreed,
    split_as_agreed,
)
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Tenant

NANO = 10**9


def dataset_budget(tenant: Tenant, label: str, limit: int = 10 * NANO) -> Budget:
    """The budget of a dataset."""
    return open_budget(tenant=tenant, label=label, limit_nano=limit)


def shared_budget(
    tenant: Tenant,
    name: str,
    *members: Budget,
    limit: int = 10 * NANO,
    currency: Currency = PURE,
) -> Budget:
    """A shared budget with these members."""
    shared = open_shared_budget(
        tenant=tenant, name=name, limit_nano=limit, actor=OPERATOR, currency=currency
    )
    for member in members:
        join_shared_budget(shared_budget=shared, dataset_budget=member, actor=OPERATOR)
    return fresh(shared)


def charge(dataset: Budget, amount: int, query_id: UUID | None = None) -> UUID:
    """Hold what a question on this dataset costs, everywhere that it counts."""
    query_id = query_id or uuid4()
    lines = lines_of_query(
        dataset_budget_id=dataset.pk, cost_nano=amount, parts=Parts(), allocation=None
    )
    reserve(query_id=query_id, tenant_id=dataset.tenant_id, lines=lines)
    return query_id


def fresh(budget: Budget) -> Budget:
    """The budget as it is stored now."""
    return Budget.objects.get(pk=budget.pk)


def committed(budget: Budget) -> int:
    """What is spent or reserved now."""
    return fresh(budget).committed_nano


def members(budget: Budget) -> list[UUID]:
    """The dataset budgets that share this one now."""
    present = budget.members.filter(left_at__isnull=True)
    return sorted(present.values_list("dataset_budget", flat=True))


def acting(tenant: Tenant) -> AbstractContextManager[None]:
    """As a door does it: this tenant's rows, and the application's rights."""
    return acting_for(tenant.pk)


def ask_for(membership: Membership, kind: str, **payload: object) -> ChangeRequest:
    """A request as the pages make it."""
    return request_change(
        membership=membership,
        kind=kind,
        subject=f"budget:{payload.get('shared_budget') or payload.get('into')}",
        payload=payload,
        reason="the people are the same",
    )


def merging(owner: Membership, into: Budget, other: Budget) -> ChangeRequest:
    """A request for `other` to end in `into`, with the limits as they are."""
    return ask_for(
        owner,
        MERGE_SHARED_BUDGETS,
        into=str(into.pk),
        other=str(other.pk),
        into_limit_nano=fresh(into).limit_nano,
        other_limit_nano=fresh(other).limit_nano,
    )


def leaving(owner: Membership, shared: Budget, *gone: Budget, name: str = "B") -> ChangeRequest:
    """A request for these to get a shared budget of their own."""
    return ask_for(
        owner,
        SPLIT_SHARED_BUDGET,
        shared_budget=str(shared.pk),
        leaving=[str(budget.pk) for budget in gone],
        name=name,
        limit_nano=fresh(shared).limit_nano,
    )


def merged(owner: Membership, officer: Membership, into: Budget, other: Budget) -> Decision:
    """A merge that an officer approved."""
    return _approved(officer, merging(owner, into, other), merge_as_agreed)


def divided(owner: Membership, officer: Membership, shared: Budget, *gone: Budget) -> Decision:
    """A division that an officer approved."""
    return _approved(officer, leaving(owner, shared, *gone), split_as_agreed)


def _approved(officer: Membership, request: ChangeRequest, carry_out: CarryOut) -> Decision:
    with acting(officer.tenant):
        return approve(request_id=request.pk, decider=officer, reason="agreed", carry_out=carry_out)
