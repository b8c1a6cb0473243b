"""How a dataset stands, in one word: what every page says of it, from its standing alone.

From declarations and the ledger; never from data, and never from how far a question is.
"""

from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from dpgov.budgets.models import Budget
from dpgov.datasets.lineage import is_frozen, paused_by
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import floor_nano, least_price_nano, rules_shown

# A budget is low once no more than a tenth of it is left.
LOW = 10


class Status(StrEnum):
    """What a person needs to know before they ask, or before they grant."""

    OPEN = "open"
    LOW = "low"
    USED_UP = "used-up"
    HELD = "held"
    PAUSED = "paused"
    FROZEN = "frozen"


WORDS: dict[Status, Promise] = {
    Status.OPEN: pgettext_lazy("status", "Open"),
    Status.LOW: pgettext_lazy("status", "Low"),
    Status.USED_UP: pgettext_lazy("status", "Used up"),
    Status.HELD: pgettext_lazy("status", "Held"),
    Status.PAUSED: pgettext_lazy("status", "Paused"),
    Status.FROZEN: pgettext_lazy("status", "Frozen"),
}


def status_of(dataset: Dataset, left_nano: int | None = None) -> Status:
    """Of a dataset that was read with its budget and policy; lists read its parents beforehand.

    `left_nano` is what remains under all of its limits for life, where a page knows a tighter one
    than the dataset's own.
    """
    if dataset.held_at is not None:
        is_paused = dataset.held_reason == Dataset.HeldReason.PAUSED
        return Status.PAUSED if is_paused else Status.HELD
    if paused_by(dataset) is not None:
        return Status.PAUSED
    if is_frozen(dataset):
        return Status.FROZEN
    budget = dataset.budget
    left = budget.remaining_nano if left_nano is None else left_nano
    return _standing(budget, left, least_price_nano(dataset, rules_shown(dataset)))


def status_of_budget(budget: Budget) -> Status:
    """Of a budget alone, for the colour of its bar."""
    return _standing(budget, budget.remaining_nano, floor_nano(budget.currency))


def _standing(budget: Budget, left_nano: int, least_nano: int) -> Status:
    if budget.frozen_at is not None:
        return Status.FROZEN
    if left_nano < max(1, least_nano):
        return Status.USED_UP
    return Status.LOW if left_nano * LOW <= budget.limit_nano else Status.OPEN
