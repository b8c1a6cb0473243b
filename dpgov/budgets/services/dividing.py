"""Shared budgets that become one, or two: only after two persons agreed, in one change request.

Both functions are effects of an approval, which makes the one audit entry of the step; they give
back what it has to say. Must never make a shared budget forget a loss or admit more than before:
what is held or spent anywhere is carried to everywhere it may belong.
"""

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from dpgov.budgets import crossing
from dpgov.budgets.errors import LedgerRefusal
from dpgov.budgets.models import Budget, SharedBudgetMember
from dpgov.budgets.services.limits import move_limit
from dpgov.budgets.services.opening import open_like
from dpgov.budgets.services.shared_budgets import (
    CannotShare,
    carry_over,
    check_meaning,
    locked,
    new_shared_budget,
    refuse_other_meaning,
    refuse_standing_still,
)
from dpgov.budgets.words import noted, noted_limit
from dpgov.language.said import said
from dpgov.operation import clock
from dpgov.tenants.models import Tenant

Facts = dict[str, object]


class SharedWithOthers(LedgerRefusal):
    """Another organisation agreed to share this budget and no other."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "The budget that would end is shared with another organisation, which agreed to "
                "this budget only. Merge the other way round: keep this one."
            )
        )


class NotMembers(LedgerRefusal):
    """Who should leave is not (or not any more) a member of the tenant's own."""

    def __init__(self) -> None:
        super().__init__(said("One of these datasets does not share this budget any more."))


class NobodyStays(LedgerRefusal):
    """A division of one's own shared budget leaves members on both sides."""

    def __init__(self) -> None:
        super().__init__(said("At least one dataset has to stay. Choose fewer datasets."))


@transaction.atomic
def merge_shared_budgets(*, into: Budget, other: Budget, reason: str) -> Facts:
    """Every member of `other` shares `into` from now on, and `other` is closed.

    `into` takes over what is committed on `other`, held amounts included: they still settle on
    `other`. The limit becomes the smaller of the two, or exactly what is committed where that is
    more; then nothing remains. Raises SharedWithOthers, CannotShare, BudgetClosed, BudgetFrozen.
    """
    rows = locked([into.pk, other.pk])
    if len(rows) < 2:
        raise CannotShare
    kept, ended = rows[into.pk], rows[other.pk]
    check_merge(kept, ended)
    refuse_other_meaning(kept, ended)
    carried = ended.committed_nano
    before, after = kept.limit_nano, merged_limit(kept, ended)
    target = kept.currency.target_of(kept.currency.together(after))
    if after > before:
        move_limit(budget=kept, limit_nano=after, target_nano=target, reason=reason)
    carry_over(into=kept, source=ended, amount_nano=carried, tenant_id=kept.tenant_id)
    if after < before:
        move_limit(budget=kept, limit_nano=after, target_nano=target, reason=reason)
    moved = _move(SharedBudgetMember.objects.filter(shared_budget=ended), kept)
    Budget.objects.filter(pk=ended.pk).update(closed_at=clock.now())
    return {
        "into": str(kept.pk),
        "ended": str(ended.pk),
        "members": [str(budget_id) for budget_id in moved],
        **noted(carried, kept.currency, "carried"),
        **noted(before, kept.currency, "before"),
        **noted(after, kept.currency, "after"),
    }


def check_merge(into: Budget, other: Budget) -> None:
    """Raise what a merge would raise now. Changes nothing: nobody decides what cannot be done."""
    if not _alike(into, other):
        raise CannotShare
    check_meaning(into, other)
    refuse_standing_still([into, other])
    if crossing.shared_with_others(other.pk, other.tenant_id):
        raise SharedWithOthers


def merged_limit(into: Budget, other: Budget) -> int:
    """The limit after a merge: the smaller one, or what is committed where that is more."""
    committed = into.committed_nano + other.committed_nano
    return max(min(into.limit_nano, other.limit_nano), committed)


@transaction.atomic
def split_shared_budget(
    *, shared_budget: Budget, leaving: Collection[UUID], tenant: Tenant, name: str, reason: str
) -> Facts:
    """These of the tenant's own members share a new budget of their own from now on.

    It begins with the shared budget's limit and everything that is spent or reserved there: nobody
    can tell whose losses those were. Leaving alone is the same with one member. Raises NotMembers,
    NobodyStays, NameTaken, BudgetClosed, BudgetFrozen.
    """
    rows = locked([shared_budget.pk, *leaving])
    if shared_budget.pk not in rows:
        raise NotMembers
    shared = rows[shared_budget.pk]
    going = check_division(shared, leaving, tenant)
    refuse_standing_still(rows.values())
    fresh = new_shared_budget(
        name=name,
        open_it=lambda: open_like(
            shared, tenant=tenant, label=name, kind=Budget.Kind.SHARED_BUDGET, reason=reason
        ),
    )
    carried = shared.committed_nano
    carry_over(into=fresh, source=shared, amount_nano=carried, tenant_id=tenant.pk)
    moved = _move(going, fresh)
    return {
        "from": str(shared.pk),
        "opened": str(fresh.pk),
        "name": fresh.label,
        "members": [str(budget_id) for budget_id in moved],
        **noted(carried, fresh.currency, "carried"),
        **noted_limit(fresh),
    }


def check_division(
    shared: Budget, leaving: Collection[UUID], tenant: Tenant
) -> QuerySet[SharedBudgetMember]:
    """Who leaves. Raises NotMembers and NobodyStays, as a division would now; changes nothing.

    From another organisation's shared budget everybody may go, also the last: whoever was left
    alone there would be kept by a limit that is lowered elsewhere, and by one person.
    """
    members = SharedBudgetMember.objects.filter(
        shared_budget=shared, tenant=tenant, left_at__isnull=True
    )
    going = members.filter(dataset_budget__in=leaving)
    if not leaving or going.count() != len(set(leaving)):
        raise NotMembers
    foreign = shared.tenant_id != tenant.pk
    others_stay = foreign or crossing.shared_with_others(shared.pk, tenant.pk)
    if not others_stay and members.count() == len(set(leaving)):
        raise NobodyStays
    return going


def _alike(one: Budget, other: Budget) -> bool:
    kinds = {one.kind, other.kind}
    return kinds == {Budget.Kind.SHARED_BUDGET} and one.tenant_id == other.tenant_id


def _move(members: QuerySet[SharedBudgetMember], shared_budget: Budget) -> list[UUID]:
    """End these memberships and begin the same ones in another shared budget."""
    present = list(members.filter(left_at__isnull=True).order_by("dataset_budget"))
    SharedBudgetMember.objects.filter(pk__in=[member.pk for member in present]).update(
        left_at=clock.database_now()
    )
    SharedBudgetMember.objects.bulk_create(
        SharedBudgetMember(
            tenant_id=member.tenant_id,
            shared_budget=shared_budget,
            dataset_budget_id=member.dataset_budget_id,
        )
        for member in present
    )
    return [member.dataset_budget_id for member in present]
