"""Which limits an analyst's next question would touch, and which of them binds.

Committed amounts only (spent and reserved together): never how far the worker is.
"""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from dpgov.budgets.charging import (
    Limit,
    Parts,
    allocations_of,
    limits_touched,
    lines_of_query,
    one_part_each,
)
from dpgov.budgets.models import Allocation
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
    return [_way(dataset, membership, grant) for grant in grants]


def _way(dataset: Dataset, membership: Membership, grant: Allocation | None) -> Way:
    lines = lines_of_query(
        dataset_budget_id=dataset.budget_id, cost_nano=1, parts=Parts(), allocation=grant
    )
    limits = tuple(one_part_each(limits_touched(lines)))
    stopped = dataset.budget.frozen_at is not None or dataset.budget.closed_at is not None
    fit = 0 if stopped else min(limits[0].fit_nano, dataset.per_query_limit_nano)
    if grant is None:
        name = _("Without an allocation")
    else:
        name = _("Your own allocation") if grant.user_id == membership.user_id else str(grant)
    return Way(grant, name, limits, fit)
