"""A budget that several datasets about the same people share: opened, and joined.

What people lose in one member counts in all of them (PRIVACY: composition is over the people, not
over the files). Joining only tightens, so one person may do it; leaving takes two, in
`services.dividing`. Must never forget a loss: what is already spent or reserved is carried over,
under the locks that every reservation takes, so that a question which is being submitted is
either carried over or charged to the shared budget as well.
"""

from collections.abc import Callable, Iterable
from uuid import UUID

from django.db import IntegrityError, transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.services import append
from dpgov.budgets import crossing
from dpgov.budgets.errors import BudgetClosed, BudgetFrozen, LedgerRefusal
from dpgov.budgets.models import Budget, Correction, SharedBudgetMember
from dpgov.budgets.services.corrections import correct
from dpgov.budgets.services.opening import open_budget
from dpgov.budgets.shared_budgets import takes_part
from dpgov.budgets.words import noted, noted_limit, promise_said, together_of, whose_said
from dpgov.language.said import said
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.tenants.models import Tenant


class SharedBudgetNameTaken(LedgerRefusal):
    """An open shared budget of this tenant has that name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            said(
                "There is a shared budget called “{name}” already. Choose another name.", name=name
            )
        )


class AlreadyShares(LedgerRefusal):
    """A dataset is in one shared budget at a time."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "This dataset shares a budget already. Ask for the two shared budgets to be merged."
            )
        )


class CannotShare(LedgerRefusal):
    """The budgets are of kinds or guarantees that cannot be added up; a bug, or a forged id."""

    def __init__(self) -> None:
        super().__init__(said("These budgets cannot be shared."))


class OtherCurrency(CannotShare):
    """One counts pure ε, the other ρ."""

    def __init__(self) -> None:
        LedgerRefusal.__init__(
            self,
            said(
                "One of these budgets adds up pure ε and the other ρ towards an (ε, δ): there is "
                "no common sum. Share a budget that counts in the same way."
            ),
        )


class OtherPromise(CannotShare):
    """They protect different things, so that a sum of their losses would mean nothing."""

    def __init__(self, one: str, other: str) -> None:
        LedgerRefusal.__init__(
            self,
            said(
                "One of these budgets protects “{one}” and the other “{other}”: a sum of their "
                "losses would be a promise to nobody. Share a budget that protects the same.",
                one=promise_said(one),
                other=promise_said(other),
            ),
        )


class PaidForOneEach(CannotShare):
    """What was charged before the promise was settled is one person's loss, and not a group's."""

    def __init__(self, together: int) -> None:
        LedgerRefusal.__init__(
            self,
            said(
                "A survey was charged to one of these budgets before it said whom it protects, at "
                "the price of one answer. Data that hides {number} units together cannot share it: "
                "their answers together would cost more.",
                number=together,
            ),
        )


@transaction.atomic
def open_shared_budget(
    *, tenant: Tenant, name: str, limit_nano: int, actor: Actor, currency: Currency = PURE
) -> Budget:
    """A shared budget without members; it limits nothing yet.

    `limit_nano` is the owner's limit in nano-ε; under zCDP at the δ of `currency`. Raises
    SharedBudgetNameTaken and InvalidAmount.
    """
    shared_budget = new_shared_budget(
        name=name,
        open_it=lambda: open_budget(
            tenant=tenant,
            label=name,
            limit_nano=limit_nano,
            currency=currency,
            kind=Budget.Kind.SHARED_BUDGET,
        ),
    )
    append(
        tenant_id=tenant.pk,
        actor=actor,
        action=Action.SHARED_BUDGET_OPENED,
        subject=f"budget:{shared_budget.pk}",
        detail={"name": shared_budget.label, **noted_limit(shared_budget)},
    )
    return shared_budget


@transaction.atomic
def join_shared_budget(*, shared_budget: Budget, dataset_budget: Budget, actor: Actor) -> int:
    """A dataset takes part in the shared budget from now on; what was carried over.

    Raises InsufficientBudget when what its people have lost does not fit any more, AlreadyShares,
    BudgetClosed, BudgetFrozen, and CannotShare for another organisation's that no dataset of theirs
    is in (any more): that takes an invitation and two persons. Then nothing has changed.
    """
    carried = bring_in(shared_budget=shared_budget, dataset_budget=dataset_budget)
    append(
        tenant_id=dataset_budget.tenant_id,
        actor=actor,
        action=Action.SHARED_BUDGET_JOINED,
        subject=f"budget:{shared_budget.pk}",
        dataset=dataset_budget.label,
        detail=joining_facts(shared_budget, dataset_budget, carried),
    )
    return carried


def joining_facts(shared_budget: Budget, dataset_budget: Budget, carried: int) -> dict[str, object]:
    """What the log says about a dataset that joined."""
    return {
        "shared_budget": str(shared_budget.pk),
        "name": shared_budget.label,
        "dataset_budget": str(dataset_budget.pk),
        **noted(carried, shared_budget.currency, "carried"),
    }


def bring_in(*, shared_budget: Budget, dataset_budget: Budget, invited: bool = False) -> int:
    """The part of a step that joins; the caller records it. Raises as `join_shared_budget`.

    `invited` says that two persons just used an invitation of whose budget it is; `guard_joining`
    asks for it again.
    """
    rows = locked([shared_budget.pk, dataset_budget.pk])
    shared, dataset = rows.get(shared_budget.pk), rows.get(dataset_budget.pk)
    if shared is None or dataset is None:
        raise CannotShare
    if (shared.kind, dataset.kind) != (Budget.Kind.SHARED_BUDGET, Budget.Kind.DATASET):
        raise CannotShare
    if not (invited or takes_part(shared, dataset.tenant)):
        raise CannotShare
    # What was derived is charged to the shared budgets of its parents.
    if dataset.parents.exists():
        raise CannotShare
    refuse_other_meaning(shared, dataset)
    refuse_standing_still(rows.values())
    if SharedBudgetMember.objects.filter(dataset_budget=dataset, left_at__isnull=True).exists():
        raise AlreadyShares
    carried = dataset.committed_nano
    carry_over(into=shared, source=dataset, amount_nano=carried, tenant_id=dataset.tenant_id)
    SharedBudgetMember.objects.create(
        tenant_id=dataset.tenant_id, shared_budget=shared, dataset_budget=dataset
    )
    return carried


def refuse_other_meaning(shared: Budget, other: Budget) -> None:
    """Raise what `check_meaning` does; a shared budget protects what its first member does."""
    check_meaning(shared, other)
    if other.protects and not shared.protects:
        crossing.protect(shared.pk, other.protects)


def check_meaning(shared: Budget, other: Budget) -> None:
    """Raise OtherCurrency, OtherPromise or PaidForOneEach unless losses of both can be added up."""
    if shared.mode != other.mode:
        raise OtherCurrency
    if shared.protects and other.protects and shared.protects != other.protects:
        raise OtherPromise(other.protects, shared.protects)
    _refuse_losses_of_one(shared, other)


def _refuse_losses_of_one(*budgets: Budget) -> None:
    """What a budget without a promise has committed are surveys', each at the price of one answer.

    By its balance and not by its corrections, which an owner elsewhere does not see, and of which
    a merge leaves a sum.
    """
    together = max(together_of(budget) for budget in budgets)
    if together > 1 and any(not each.protects and each.committed_nano for each in budgets):
        raise PaidForOneEach(together)


def new_shared_budget(*, name: str, open_it: Callable[[], Budget]) -> Budget:
    """Its row; raises SharedBudgetNameTaken where an open one of the tenant has the name."""
    try:
        with transaction.atomic():
            return open_it()
    except IntegrityError as twin:
        raise SharedBudgetNameTaken(name) from twin


def carry_over(*, into: Budget, source: Budget, amount_nano: int, tenant_id: UUID) -> None:
    """Book on one budget what is committed on another; nothing for nothing."""
    if amount_nano:
        correct(
            budget=into,
            kind=Correction.Kind.CARRIED_OVER,
            amount_nano=amount_nano,
            source=source,
            tenant_id=tenant_id,
        )


def locked(ids: Iterable[UUID]) -> dict[UUID, Budget]:
    """These budgets as they are now, locked in the one order of the ledger."""
    rows = Budget.objects.filter(pk__in=list(ids)).order_by("pk")
    return {row.pk: row for row in rows.select_for_update(no_key=True)}


def refuse_standing_still(budgets: Iterable[Budget]) -> None:
    """Raise BudgetFrozen or BudgetClosed: such a balance may be wrong, or is final."""
    for budget in budgets:
        if budget.frozen_at is not None:
            raise BudgetFrozen
        if budget.closed_at is not None:
            raise BudgetClosed(whose_said(budget))
