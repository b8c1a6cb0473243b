"""Which limits an analyst's next question would touch, and which of them binds.

Committed amounts only (spent and reserved together): never how far the worker is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dpgov.budgets.charging import Limit, allocations_of, limits_within_reach, one_part_each
from dpgov.budgets.models import Allocation, Budget
from dpgov.datasets.fitting import Fit, Terms, all_rows, fit, terms_shown
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

    Nothing for who may not ask, and for who would need an allocation and has none.
    """
    if not may(membership, Permission.SUBMIT_QUERIES):
        return []
    allocations: list[Allocation | None] = [*allocations_of(membership.user, dataset.budget_id)]
    if not allocations and not dataset.needs_allocation:
        allocations = [None]
    if not allocations:
        return []
    reach = limits_within_reach(
        dataset.budget_id, [allocation.pk for allocation in allocations if allocation]
    )
    terms = _terms(dataset, membership.user)
    return [_way(dataset, membership, allocation, reach, terms) for allocation in allocations]


def anybodys_way(dataset: Dataset) -> Way:
    """What fits for somebody without an allocation and without a permit."""
    limits = tuple(one_part_each(limits_within_reach(dataset.budget_id, [])))
    return Way(None, "", limits, fit(_terms(dataset, None), limits, all_rows(dataset)))


def _terms(dataset: Dataset, user: User | None) -> Terms:
    today = clock.today()
    return terms_shown([dataset], user, today)[dataset.pk]


def _way(
    dataset: Dataset,
    membership: Membership,
    allocation: Allocation | None,
    reach: Sequence[Limit],
    terms: Terms,
) -> Way:
    own = allocation.pk if allocation else None
    touched = [one for one in reach if one.kind != Budget.Kind.ALLOCATION or one.budget_id == own]
    limits = tuple(one_part_each(touched))
    if allocation is None:
        name = _("Without an allocation")
    else:
        name = (
            _("Your own allocation")
            if allocation.user_id == membership.user_id
            else str(allocation)
        )
    return Way(allocation, name, limits, fit(terms, limits, all_rows(dataset)))


def usual(ways: Sequence[Way]) -> Way | None:
    """The way that is charged unless another is named: the own allocation, else the roomiest."""
    for way in ways:
        if way.allocation is not None and way.allocation.user_id is not None:
            return way
    return max(ways, key=lambda way: way.fit_nano, default=None)
