"""The last day on which a dataset's data is kept: then nobody asks any more, and the files go.

The day is declared, so nothing about it depends on data. The ledger, the log, every answer and the
fingerprints stay, as with a deletion by hand (`deleting`). Begun by the sweeper, which may be late
and never early: a question that was accepted is answered first, and a paused dataset waits for its
owners, because questions wait for it.
"""

from datetime import date, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from dpgov.audit.actions import Action
from dpgov.audit.actor import SWEEPER
from dpgov.datasets.models import Dataset
from dpgov.datasets.services.deleting import QuestionsOnTheirWay, delete_files
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.pausing import PausedDataset
from dpgov.datasets.services.upkeep import archive
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of

# A slip of the pen deletes nothing before anybody has read the page again.
SHORTEST = timedelta(days=7)


class TooSoon(SpokenRefusal):
    """The day is in the past or so near that a mistake could not be mended."""

    def __init__(self, first: date) -> None:
        super().__init__(
            said("Choose {day} or a later day. To delete sooner, archive the dataset.", day=first)
        )


@transaction.atomic
def keep_until(*, dataset: Dataset, last_day: date | None, user: User) -> None:
    """Keep its data to the end of this day (UTC), or until someone deletes it; one entry.

    Raises TooSoon, and Dataset.DoesNotExist for what is archived or held; nothing is changed.
    """
    if last_day is not None and last_day < (first := clock.today() + SHORTEST):
        raise TooSoon(first)
    rows = Dataset.objects.select_for_update(of=("self",))
    present = rows.get(pk=dataset.pk, archived_at__isnull=True, held_at__isnull=True)
    before = present.kept_until
    Dataset.objects.filter(pk=present.pk).update(kept_until=last_day)
    record(
        present,
        actor_of(user),
        Action.RETENTION_CHANGED,
        {
            "name": present.name,
            "before": before.isoformat() if before else "",
            "after": last_day.isoformat() if last_day else "",
        },
    )


def end_retention() -> int:
    """Archive what is kept no longer and delete its files; how many were. For the sweeper.

    One that cannot go yet stands in no other's way: it is looked at again in the next round.
    """
    ended = 0
    for tenant in tenants():
        with acting_for(tenant.id):
            for dataset in list(_over().filter(tenant_id=tenant.id)):
                ended += _end(dataset)
    return ended


def _over() -> QuerySet[Dataset]:
    return Dataset.objects.filter(
        # A decision about what is held, or paused, is awaited; about what is archived none is left.
        Q(archived_at__isnull=False) | Q(held_at__isnull=True, paused_at__isnull=True),
        # Of the database: a machine whose clock is ahead deletes nothing too early.
        kept_until__lt=clock.database_now().date(),
        data_deleted_at__isnull=True,
    )


def _end(dataset: Dataset) -> bool:
    """Two steps and two entries: whoever is answered in between is answered from the files."""
    try:
        if dataset.archived_at is None:
            archive(dataset=dataset, actor=SWEEPER)
        delete_files(dataset=dataset, actor=SWEEPER)
    except (Dataset.DoesNotExist, QuestionsOnTheirWay, PausedDataset):
        return False
    return True
