"""Allocations: what one person, or the people of one project, may take from a dataset's budget.

It is a limit of its own under the dataset's. Allocations may add up to more than the dataset has:
its own limit binds all the same, so raising one gives nobody more than the dataset's owner did.
"""

from dataclasses import dataclass

from django.db import IntegrityError, transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.services import append
from dpgov.budgets.allocated import allocations_of
from dpgov.budgets.models import Allocation, Budget
from dpgov.budgets.services.limits import move_limit
from dpgov.budgets.services.line import bookable
from dpgov.budgets.services.opening import open_budget
from dpgov.budgets.words import limit_said, noted, noted_target
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.tenants.models import Membership, Project, Role, User
from dpgov.tenants.roles import having
from dpgov.tenants.selectors import is_by


class NotAHolder(SpokenRefusal, ValueError):
    """Only an analyst or a project of the same organisation may hold an allocation."""

    def __init__(self) -> None:
        super().__init__(said("Choose an analyst of this organisation, or one of its projects."))


class AllocationEnded(SpokenRefusal, ValueError):
    """The allocation was withdrawn before."""

    def __init__(self) -> None:
        super().__init__(said("This allocation was withdrawn before. Nothing was changed."))


class OwnAllocation(SpokenRefusal, ValueError):
    """What somebody may use themselves is another owner's to grant, change and withdraw."""

    def __init__(self) -> None:
        super().__init__(
            said("You would use this allocation yourself. Another data owner has to decide it.")
        )


class AllocationNotMore(SpokenRefusal, ValueError):
    """Whoever asks for more and is granted less would lose what they have."""

    def __init__(self, limit: str) -> None:
        super().__init__(
            said(
                "They have an allocation of {limit} already. Grant more, in all, or decline.",
                limit=limit,
            )
        )


@dataclass(frozen=True, slots=True)
class _Grant:
    """What an owner grants, and whether it may be less than before."""

    limit_nano: int
    reason: str
    only_more: bool
    needed: bool

    def refuse_less(self, allocation: Allocation, locked: Budget, after_nano: int) -> None:
        """Raises AllocationNotMore; the caller holds the lock of its budget."""
        if not self.only_more or allocation.user is None or after_nano > locked.limit_nano:
            return
        present = allocations_of(allocation.user, allocation.dataset_budget_id, needed=self.needed)
        if any(one.pk == allocation.pk for one in present):
            raise AllocationNotMore(limit_said(locked))


@dataclass(frozen=True, slots=True)
class _Step:
    """An allocation as it is now, and what the log says of before."""

    allocation: Allocation
    after_nano: int
    before_nano: int = 0
    reopened: bool = False


@transaction.atomic
def allocate(
    *,
    dataset_budget: Budget,
    holder: User | Project,
    limit_nano: int,
    actor: Actor,
    reason: str,
    only_more: bool = False,
    needed: bool = False,
) -> Allocation:
    """Grant up to `limit_nano` of a dataset's budget, or change what was granted before.

    In nano-ε, as the owner says it; the allocation counts in the dataset's currency, at its δ.

    A withdrawn allocation comes back with what was spent under it. Raises NotAHolder,
    OwnAllocation where `actor` would use it, or LimitBelowCommitted below what is spent or reserved
    under it already. `only_more`: AllocationNotMore for what is none above what a person has now,
    looked at under the lock that writes; `needed` says whether the dataset is asked under an
    allocation only, where one from before somebody left does not count.
    """
    limit = bookable(limit_nano)
    _check_holder(dataset_budget, holder)
    _refuse_own(holder, actor)
    grant, found = _Grant(limit, reason, only_more, needed), _found(dataset_budget, holder)
    step = _opened(dataset_budget, holder, grant) if found is None else _changed(found, grant)
    _record(
        step.allocation,
        actor,
        Action.BUDGET_ALLOCATED,
        **noted(step.before_nano, dataset_budget.currency, "before"),
        **noted(step.after_nano, dataset_budget.currency, "after"),
        **noted_target(dataset_budget.currency.target_of(limit), dataset_budget.currency, "after"),
        reopened=step.reopened,
        reason=reason,
    )
    return step.allocation


@transaction.atomic
def withdraw(*, allocation: Allocation, actor: Actor, reason: str) -> None:
    """End an allocation: nothing new is admitted under it; what is held may still be settled.

    Raises AllocationEnded for one that was withdrawn before, and OwnAllocation.
    """
    holder = allocation.project or allocation.user
    if holder is not None:
        _refuse_own(holder, actor)
    present = Budget.objects.filter(pk=allocation.pk, closed_at__isnull=True)
    if not present.update(closed_at=clock.now()):
        raise AllocationEnded
    _record(allocation, actor, Action.ALLOCATION_WITHDRAWN, reason=reason)


def _check_holder(dataset_budget: Budget, holder: User | Project) -> None:
    if isinstance(holder, Project):
        fits = holder.tenant_id == dataset_budget.tenant_id and holder.ended_at is None
    else:
        fits = Membership.objects.filter(
            having(Role.ANALYST), tenant=dataset_budget.tenant_id, user=holder
        ).exists()
    if not fits or dataset_budget.kind != Budget.Kind.DATASET:
        raise NotAHolder


def _refuse_own(holder: User | Project, actor: Actor) -> None:
    """In every role that somebody has: who would use it is not who decides it."""
    if isinstance(holder, User):
        own = is_by(holder.pk, actor)
    else:
        own = any(is_by(person, actor) for person in holder.members.values_list("user", flat=True))
    if own:
        raise OwnAllocation


def _found(dataset_budget: Budget, holder: User | Project) -> Allocation | None:
    return Allocation.objects.filter(dataset_budget=dataset_budget, **_held_by(holder)).first()


def _held_by(holder: User | Project) -> dict[str, User | Project]:
    return {"project": holder} if isinstance(holder, Project) else {"user": holder}


def _opened(dataset_budget: Budget, holder: User | Project, grant: _Grant) -> _Step:
    try:
        with transaction.atomic():
            budget = open_budget(
                tenant=dataset_budget.tenant,
                label=f"{dataset_budget.label}: {holder}"[:200],
                limit_nano=grant.limit_nano,
                currency=dataset_budget.currency,
                kind=Budget.Kind.ALLOCATION,
                protects=dataset_budget.protects,
                reason=grant.reason,
            )
            return _Step(
                Allocation.objects.create(
                    budget=budget,
                    tenant=dataset_budget.tenant,
                    dataset_budget=dataset_budget,
                    **_held_by(holder),
                ),
                budget.limit_nano,
            )
    except IntegrityError:
        # Somebody else granted something to the same holder at this moment: change that.
        twin = _found(dataset_budget, holder)
        if twin is None:
            raise
        return _changed(twin, grant)


def _changed(allocation: Allocation, grant: _Grant) -> _Step:
    locked = Budget.objects.select_for_update().get(pk=allocation.pk)
    currency = locked.currency
    after = bookable(currency.limit_of(grant.limit_nano))
    grant.refuse_less(allocation, locked, after)
    move_limit(
        budget=locked,
        limit_nano=after,
        target_nano=currency.target_of(grant.limit_nano),
        reason=grant.reason,
    )
    reopened = locked.closed_at is not None
    if reopened:
        Budget.objects.filter(pk=locked.pk).update(closed_at=None)
    return _Step(allocation, after, locked.limit_nano, reopened)


def _record(allocation: Allocation, actor: Actor, action: Action, **detail: object) -> None:
    kind = "project" if allocation.project_id else "user"
    append(
        tenant_id=allocation.tenant_id,
        actor=actor,
        action=action,
        subject=f"budget:{allocation.pk}",
        dataset=allocation.dataset_budget.label,
        detail={
            "budget": str(allocation.dataset_budget_id),
            "holder": f"{kind}:{allocation.project_id or allocation.user_id}",
            "name": str(allocation),
            **detail,
        },
    )
