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
    is_known,
    keep_marks,
    new_among,
    one_table_at_a_time,
)
from dpgov.datasets.services.turns import queue_up
from dpgov.engines.base import DataNotOpened


class ReadsAnother(Exception):
    """The table reads what another dataset has a budget for: this one waits for two persons."""


def follow(live: LiveTable, marks: Marks) -> None:
    """The dataset keeps these marks, beside those that it has; its table was just looked at.

    Raises ReadsAnother where some are another dataset's under another budget: then it is held, with
    an entry. Raises DataNotOpened where it is archived, so that nobody can decide any more.
    """
    if not new_among(live, marks):
        return
    with transaction.atomic():
        one_table_at_a_time()
        reads_another = is_known(live, new_among(live, marks))
        # Those that two persons decide about are kept, so that it is not held for them once more.
        if not reads_another or _held(live):
            keep_marks(live, marks)
    if reads_another:
        raise ReadsAnother(live.pk)


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
