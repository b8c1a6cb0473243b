"""The loss of an organisation's own datasets so far, each by its own accountant.

Amounts of the ledger as `promise_of` shows them to every role: never split, never from data.
"""

from dataclasses import dataclass

from dpgov.budgets.words import limit_text, together
from dpgov.datasets.selectors import datasets_of
from dpgov.tenants.models import Membership


@dataclass(frozen=True, slots=True)
class OwnLoss:
    """What one dataset's answers amount to, and what they may amount to."""

    name: str
    slug: str
    so_far: str
    limit: str


def own_losses(membership: Membership) -> list[OwnLoss]:
    """Of every dataset that this person sees, by name."""
    return [
        OwnLoss(
            dataset.name,
            dataset.slug,
            together(dataset.budget.committed_nano, dataset.budget.currency),
            limit_text(dataset.budget),
        )
        for dataset in datasets_of(membership)
    ]
