"""Which limits an analyst's next question would touch, and which of them binds.

Committed amounts only (spent and reserved together): never how far the worker is.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from dpgov.budgets.allocated import AllocationNeeded, choose_allocation
from dpgov.budgets.charging import Limit, limits_within_reach, one_part_each
from dpgov.budgets.models import Allocation, Budget
from dpgov.datasets.fitting import Fit, PersonalPolicy, all_rows, fit, policies_shown
from dpgov.datasets.lineage import allocations_for, allocations_on_parents
from dpgov.datasets.models import Dataset
from dpgov.operation import clock
from dpgov.tenants.models import Membership, User
from dpgov.tenants.permissions import Permission, may


@dataclass(frozen=True, slots=True)
class Way:
    """One way to be charged: under an allocation, or under none; its limits, tightest first."""

    allocation: Allocation | None
    name: str
    limits: tuple[Limit, ...]
    fit: Fit

    @property
    def fit_nano(self) -> int:
        """The largest count of all rows that would be accepted now."""
        return self.fit.nano

    @property
    def binding(self) -> Limit | None:
        """The limit of the ledger that admits no more; None where the policy admits less."""
        if self.fit.nano == 0 and self.limits and self.limits[0].fit_nano == 0:
            return self.limits[0]
        return self.fit.binding


def ways_to_ask(dataset: Dataset, membership: Membership) -> list[Way]:
    """What this person could charge for a question about everybody in the dataset.

    Nothing for who may not ask, and for who would need an allocation and has none (any more).
    """
    if not may(membership, Permission.SUBMIT_QUERIES):
        return []
    found = allocations_for(membership.user, dataset)
    if found.is_missing:
        return []
    allocations: list[Allocation | None] = [*found] or [None]
    charged = list(_charged(dataset, membership.user, allocations))
    reach = limits_within_reach(dataset.budget_id, {pk for _, pks in charged for pk in pks})
    policy = _policy(dataset, membership.user)
    return [_way(dataset, membership, one, pks, reach, policy) for one, pks in charged]


def lacking(dataset: Dataset, membership: Membership) -> str:
    """Where `ways_to_ask` found none: which allocation is missing, of it or of a parent; or ""."""
    if not may(membership, Permission.SUBMIT_QUERIES):
        return ""
    found = allocations_for(membership.user, dataset)
    try:
        for one in [*found] or [choose_allocation(found, wanted=None)]:
            allocations_on_parents(dataset, membership.user, one)
    except AllocationNeeded as needed:
        return str(needed)
    return ""


def _charged(
    dataset: Dataset, user: User, allocations: Sequence[Allocation | None]
) -> Iterator[tuple[Allocation | None, frozenset[UUID]]]:
    """Each allocation, and the budgets of all that are charged with it: those on parents too."""
    for allocation in allocations:
        try:
            beside = allocations_on_parents(dataset, user, allocation)
        except AllocationNeeded:
            continue
        own = [allocation] if allocation else []
        yield allocation, frozenset(one.pk for one in (*own, *beside))


def anybodys_way(dataset: Dataset) -> Way:
    """What fits for somebody without an allocation and without a permit."""
    limits = tuple(one_part_each(limits_within_reach(dataset.budget_id, [])))
    return Way(None, "", limits, fit(_policy(dataset, None), limits, all_rows(dataset)))


def _policy(dataset: Dataset, user: User | None) -> PersonalPolicy:
    today = clock.today()
    return policies_shown([dataset], user, today)[dataset.pk]


def _way(
    dataset: Dataset,
    membership: Membership,
    allocation: Allocation | None,
    charged: Collection[UUID],
    reach: Sequence[Limit],
    policy: PersonalPolicy,
) -> Way:
    touched = [
        one for one in reach if one.kind != Budget.Kind.ALLOCATION or one.budget_id in charged
    ]
    limits = tuple(one_part_each(touched))
    if allocation is None:
        name = _("Without an allocation")
    else:
        name = (
            _("Your own allocation")
            if allocation.user_id == membership.user_id
            else str(allocation)
        )
    return Way(allocation, name, limits, fit(policy, limits, all_rows(dataset)))


def usual(ways: Sequence[Way]) -> Way | None:
    """The way that is charged unless another is named: the own allocation, else the roomiest."""
    for way in ways:
        if way.allocation is not None and way.allocation.user_id is not None:
            return way
    return max(ways, key=lambda way: way.fit_nano, default=None)
