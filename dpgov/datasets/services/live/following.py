"""What a live table reads may change: a view is replaced, a part attached, a name given away.

Looked at before each answer, by what the server's catalog says. What nobody else has registered is
the dataset's own from then on. What has a budget of its own holds the dataset until two persons
have decided, as when it is registered. Nothing of it depends on a row.
"""

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import WORKER
from dpgov.datasets.models import Dataset, LiveTable
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.holding import hold
from dpgov.datasets.services.live.marks import (
    Marks,
    is_anothers,
    keep_marks,
    new_among,
    one_table_at_a_time,
)
from dpgov.datasets.services.turns import queue_up
from dpgov.engines.base import DataNotOpened


class ReadsAnother(Exception):
    """The table reads what another dataset has a budget for: this one waits for two persons."""


def follow(live: LiveTable, marks: Marks) -> None:
    """Go on if what the table reads, as these marks of a moment ago say, has no other budget.

    Raises ReadsAnother where some are another dataset's, and the two share no budget: then it is
    held, with an entry. Raises DataNotOpened where it is archived, so that nobody could decide.
    """
    if not new_among(live, marks):
        return
    with transaction.atomic():
        one_table_at_a_time()
        if is_own(live, marks):
            return
        # What two persons decide about is kept, so that it is not held for it once more.
        if _held(live):
            keep_marks(live, marks)
    raise ReadsAnother(live.pk)


def is_own(live: LiveTable, marks: Marks) -> bool:
    """Whether what it reads has no other budget; under the lock of the caller's transaction.

    What nobody else has is kept as its own. What is beside it under a shared budget is not: they
    may part, and it is compared again.
    """
    if is_anothers(live, new_among(live, marks)):
        return False
    keep_marks(live, marks, own_alone=True)
    return True


def _held(live: LiveTable) -> bool:
    """Hold its dataset; False where that is held already, for something that may end by itself."""
    queue_up(live.tenant)
    dataset = Dataset.objects.select_for_update(of=("self",)).get(live=live)
    if dataset.archived_at is not None:
        raise DataNotOpened
    if dataset.held_at is not None:
        return False
    hold(dataset, Dataset.HeldReason.LIKE_EARLIER_DATA)
    record(dataset, WORKER, Action.LIVE_TABLE_HELD, {"name": dataset.name})
    return True
