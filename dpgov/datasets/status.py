"""How a dataset stands, in one word: what every page says of it, from its standing alone.

From declarations and the ledger; never from data, and never from how far a question is. The ledger
is every limit for life that anybody's question meets: a dataset whose shared budget is used up is
used up. A rate renews, and an allocation is one person's: neither says how a dataset stands.

The same for everybody who sees the dataset. It tells them nothing more: of a shared budget its page
says what is left, and who sees a derived dataset sees its parents.
"""

from collections.abc import Collection, Iterable
from enum import StrEnum
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from dpgov.budgets.charging import Limit, is_everybodys, limits_within_reach
from dpgov.budgets.models import Budget
from dpgov.budgets.ways import for_life
from dpgov.datasets.lineage import is_frozen, paused_by, read_parents
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

    @property
    def is_used_up(self) -> bool:
        """Whether no question about everybody fits any more: only a request for budget helps."""
        return self is Status.USED_UP


WORDS: dict[Status, Promise] = {
    Status.OPEN: pgettext_lazy("status", "Open"),
    Status.LOW: pgettext_lazy("status", "Low"),
    Status.USED_UP: pgettext_lazy("status", "Used up"),
    Status.HELD: pgettext_lazy("status", "Held"),
    Status.PAUSED: pgettext_lazy("status", "Paused"),
    Status.FROZEN: pgettext_lazy("status", "Frozen"),
}


def statuses_of(datasets: Collection[Dataset]) -> dict[UUID, Status]:
    """Of datasets that were read with their budgets and policies; as many reads for one as for all.

    One statement, four with derived ones among them.
    """
    read_parents(datasets)
    derived = [one.budget_id for one in datasets if one.is_derived]
    limits = for_life((one.budget for one in datasets), derived)
    return {one.pk: status_of(one, limits[one.budget_id]) for one in datasets}


def status_now(dataset: Dataset) -> Status:
    """Of one dataset, for a page of its own; one statement, and one more where it is derived."""
    return status_of(dataset, limits_within_reach(dataset.budget_id, []))


def status_of(dataset: Dataset, limits: Iterable[Limit]) -> Status:
    """Of one that was read with its budget and policy; lists read its parents beforehand.

    `limits` are all that a question about everybody in it meets; rates and allocations among them
    say nothing. Of several that admit as little, the one that had more.
    """
    stopped = stopped_as(dataset)
    if stopped is not None:
        return stopped
    lasting = filter(is_everybodys, limits)
    tightest = min(lasting, key=lambda limit: (limit.admitted_nano, -limit.limit_nano))
    least_nano = least_price_nano(dataset, rules_shown(dataset))
    if tightest.stopped:
        return Status.FROZEN
    return _standing(tightest.admitted_nano, tightest.limit_nano, least_nano)


def stopped_as(dataset: Dataset) -> Status | None:
    """Held, Paused or Frozen, which no limit has a say in; None where questions are taken."""
    if dataset.held_at is not None:
        is_paused = dataset.held_reason == Dataset.HeldReason.PAUSED
        return Status.PAUSED if is_paused else Status.HELD
    if paused_by(dataset) is not None:
        return Status.PAUSED
    return Status.FROZEN if is_frozen(dataset) else None


def status_of_budget(budget: Budget) -> Status:
    """Of a budget alone, for the colour of its bar."""
    if budget.frozen_at is not None:
        return Status.FROZEN
    return _standing(budget.remaining_nano, budget.limit_nano, floor_nano(budget.currency))


def _standing(left_nano: int, limit_nano: int, least_nano: int) -> Status:
    if left_nano < max(1, least_nano):
        return Status.USED_UP
    return Status.LOW if left_nano * LOW <= limit_nano else Status.OPEN
