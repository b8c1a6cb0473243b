"""The loss of an organisation's own datasets and surveys so far, by the people they are about.

Amounts of the ledger as `promise_of` shows them to every role: never split, never from data. What
is about the same people shares a budget, and its total is that budget's own: a derived dataset is
charged to its parents' people once, and is not added up here. What could leak: which datasets share
a budget, and what others took of it, to roles that may not see shared budgets; they see each
dataset by itself. Must never name another organisation, nor a dataset that this person does not
see: such a one is in the total alone, as on the page of the shared budget.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from dpgov.budgets.models import Budget, Correction
from dpgov.budgets.shared_budgets import shared_budgets_of, shared_by, surveys_by
from dpgov.budgets.words import limit_text, together
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import datasets_of
from dpgov.tenants.models import Membership, Tenant
from dpgov.tenants.permissions import Permission, may


@dataclass(frozen=True, slots=True)
class OwnLoss:
    """What one dataset's answers amount to, or one survey's, and what they may amount to."""

    name: str
    address: str
    so_far: str
    limit: str
    is_survey: bool = False


@dataclass(frozen=True, slots=True)
class People:
    """Whom one shared budget is about, with its total; without one, what stands by itself."""

    losses: Sequence[OwnLoss]
    shared_budget: Budget | None = None

    @property
    def so_far(self) -> str:
        """All that was taken of these people, by everybody who shares."""
        budget = self.shared_budget
        return together(budget.committed_nano, budget.currency) if budget else ""

    @property
    def limit(self) -> str:
        """What it may amount to."""
        return limit_text(self.shared_budget) if self.shared_budget else ""


def own_losses(membership: Membership) -> list[People]:
    """Of all that this person sees: shared budgets by name, then what shares with nothing."""
    sees_shared = may(membership, Permission.VIEW_SHARED_BUDGETS)
    shared = shared_by(membership.tenant) if sees_shared else {}
    found: dict[UUID | None, list[OwnLoss]] = {}
    for dataset in datasets_of(membership):
        budget = shared.get(dataset.budget_id)
        found.setdefault(budget.pk if budget else None, []).append(_of_dataset(dataset))
    budgets = list(shared_budgets_of(membership.tenant)) if sees_shared else []
    if may(membership, Permission.VIEW_SURVEYS):
        for group, charge in _surveys(membership.tenant, {one.pk for one in budgets}):
            found.setdefault(group, []).append(_of_survey(charge))
    groups = [People(found.pop(one.pk), one) for one in budgets if one.pk in found]
    alone_ones = [loss for losses in found.values() for loss in losses]
    return [*groups, People(alone_ones)] if alone_ones else groups


def _surveys(tenant: Tenant, groups: Collection[UUID]) -> Iterator[tuple[UUID | None, Correction]]:
    """Each survey with every group whose spending it is in, or with none.

    A merge carries it over, a division leaves it on both sides.
    """
    alone: dict[UUID, Correction] = {}
    named = set()
    for budget_id, charges in surveys_by(tenant).items():
        if budget_id in groups:
            yield from ((budget_id, one) for one in charges)
            named |= {one.pk for one in charges}
        else:
            alone |= {one.pk: one for one in charges}
    yield from ((None, one) for one in alone.values() if one.pk not in named)


def _of_dataset(dataset: Dataset) -> OwnLoss:
    budget = dataset.budget
    return OwnLoss(
        dataset.name,
        reverse("explain:understanding", args=[dataset.slug]),
        together(budget.committed_nano, budget.currency),
        limit_text(budget),
    )


def _of_survey(charge: Correction) -> OwnLoss:
    """All of it was charged at once, in the currency of what it was charged to."""
    amount = together(charge.amount_nano, charge.budget.currency)
    name = charge.reason or charge.budget.label
    address = reverse("surveys:detail", args=[charge.pk])
    return OwnLoss(name, address, amount, amount, is_survey=True)
