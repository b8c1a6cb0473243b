"""What the database asks for before some rows change, made for tests, and a way past it."""

from collections.abc import Collection
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from dpgov.approvals.giving import GIVE_ROLE
from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actor import OPERATOR
from dpgov.budgets.models import Budget
from dpgov.budgets.services import open_budget
from dpgov.budgets.services.agreed import MERGE_SHARED_BUDGETS, SPLIT_SHARED_BUDGET
from dpgov.budgets.services.dividing import Facts, merge_shared_budgets, split_shared_budget
from dpgov.budgets.services.limits import move_limit
from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.budgets.services.shared_budgets import join_shared_budget
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership, Role, Tenant, User
from dpgov.tenants.services import give_role
from tests.cast import join
from tests.small_dataset import register_small_dataset
from tests.triggers import GUARDED, without_triggers


def agree(tenant: Tenant, kind: str, **payload: Any) -> ChangeRequest:
    """Two persons of the tenant, an owner and an officer, agreed to just this."""
    asks, decides = (_person(tenant, role) for role in (Role.OWNER, Role.OFFICER))
    request = ChangeRequest.objects.create(
        tenant=tenant,
        kind=kind,
        subject=f"test:{uuid4()}",
        payload=payload,
        reason="for a test",
        requested_by=asks,
        requested_role=Role.OWNER,
    )
    decided = {"state": ChangeRequest.State.APPROVED, "decided_at": timezone.now()}
    ChangeRequest.objects.filter(pk=request.pk).update(decided_by=decides, **decided)
    return request


def join_in_two_roles(tenant: Tenant, first: Role, name: str) -> Membership:
    """A new person who is an analyst too, once two persons have agreed to it."""
    member, after = join(tenant, first, name), f"{first}+analyst"
    known = {"member": str(member.user_id), "email": member.user.email}
    asked = agree(tenant, GIVE_ROLE, **known, before=first.value, role=after)
    return give_role(
        tenant=tenant,
        user_id=member.user_id,
        before=first.value,
        after=after,
        asked_at=asked.requested_at,
    )


def _person(tenant: Tenant, role: Role) -> User:
    found = Membership.objects.filter(tenant=tenant, role=role).first()
    if found is None:
        user = User.objects.create_user(f"{role}-{uuid4().hex}@agreed.example.org", name=role)
        found = Membership.objects.create(tenant=tenant, user=user, role=role)
    return found.user


def given_a_budget_of_its_own(dataset: Dataset, *, label: str, limit_nano: int) -> Budget:
    """Tables of tests hold the same people, who would share one budget; for a test they do not."""
    budget = open_budget(tenant=dataset.tenant, label=label, limit_nano=limit_nano)
    with without_triggers(*GUARDED):
        Dataset.objects.filter(pk=dataset.pk).update(budget=budget)
    dataset.budget = budget
    return budget


def who_stays(owner: Membership, shared_budget: Budget) -> Dataset:
    """A dataset beside another member, so that this one may leave."""
    register = register_small_dataset(owner, name="Register")
    own = given_a_budget_of_its_own(register, label=register.slug, limit_nano=10 * NANO)
    join_shared_budget(shared_budget=shared_budget, dataset_budget=own, actor=OPERATOR)
    return register


def merge_as_two(*, into: Budget, other: Budget, reason: str) -> Facts:
    """Merge two shared budgets, once two persons have agreed to it."""
    agree(into.tenant, MERGE_SHARED_BUDGETS, into=str(into.pk), other=str(other.pk))
    return merge_shared_budgets(into=into, other=other, reason=reason)


def split_as_two(
    *, shared_budget: Budget, leaving: Collection[UUID], tenant: Tenant, name: str, reason: str
) -> Facts:
    """Divide a shared budget, once two persons of the tenant have agreed to it."""
    going = [str(budget_id) for budget_id in leaving]
    agree(tenant, SPLIT_SHARED_BUDGET, shared_budget=str(shared_budget.pk), leaving=going)
    return split_shared_budget(
        shared_budget=shared_budget, leaving=leaving, tenant=tenant, name=name, reason=reason
    )


def move_as_two(*, budget: Budget, limit_nano: int, reason: str) -> None:
    """Move a limit; where it goes up, once two persons have agreed to it."""
    if limit_nano > budget.limit_nano:
        agree(
            budget.tenant,
            RAISE_LIMIT,
            budget=str(budget.pk),
            before_nano=budget.limit_nano,
            after_nano=limit_nano,
        )
    move_limit(budget=budget, limit_nano=limit_nano, reason=reason)
