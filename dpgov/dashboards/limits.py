"""Which limits an analyst's next question would touch, and which of them binds.

Committed amounts only (spent and reserved together): never how far the worker is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dpgov.budgets.charging import Limit, allocations_of, limits_within_reach, one_part_each
from dpgov.budgets.models import Allocation, Budget
from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may


@dataclass(frozen=True, slots=True)
class Way:
    """One way to be charged: under an allocation, or under none; its limits, tightest first."""

    allocation: Allocation | None
    name: str
    limits: tuple[Limit, ...]
    fit_nano: int

    @property
    def binding(self) -> Limit | None:
        """The limit that admits least; None where one question's own limit is smaller."""
        return self.limits[0] if self.limits and self.limits[0].fit_nano == self.fit_nano else None


def ways_to_ask(dataset: Dataset, membership: Membership) -> list[Way]:
    """What this person could charge for a question about everybody in the dataset.

    Nothing for who may not ask, and for who would need an allocation and has none.
    """
    if not may(membership, Permission.SUBMIT_QUERIES):
        return []
    grants: list[Allocation | None] = [*allocations_of(membership.user, dataset.budget_id)]
    if not grants and not dataset.needs_allocation:
        grants = [None]
    if not grants:
        return []
    reach = limits_within_reach(dataset.budget_id, [grant.pk for grant in grants if grant])
    return [_way(dataset, membership, grant, reach) for grant in grants]


def _way(
    dataset: Dataset, membership: Membership, grant: Allocation | None, reach: Sequence[Limit]
) -> Way:
    own = grant.pk if grant else None
    touched = [one for one in reach if one.kind != Budget.Kind.ALLOCATION or one.budget_id == own]
    limits = tuple(one_part_each(touched))
    stopped = dataset.budget.frozen_at is not None or dataset.budget.closed_at is not None
    fit = 0 if stopped else min(limits[0].fit_nano, dataset.per_query_limit_nano)
    if grant is None:
        name = _("Without an allocation")
    else:
        name = _("Your own allocation") if grant.user_id == membership.user_id else str(grant)
    return Way(grant, name, limits, fit)
