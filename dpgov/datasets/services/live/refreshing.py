"""An owner declares that a live table has other rows now: the next version, declared alike.

Nothing is connected, read or counted for it, so that what becomes of it depends on no row. What it
could leak or overspend (decision 53): the limit, what was spent and every allocation, rate, quota
and permit belong to the dataset, and stay; both versions are about the same people, so that they
are no parts of a partition; a question keeps the version of which it was accepted, is answered once
and charged once, whenever a worker reads it. Which version was the newest at that moment is kept
nowhere: it would tell how long a worker had with the questions before.
"""

from dataclasses import dataclass
from uuid import uuid4

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.datasets.lineage import is_frozen
from dpgov.datasets.models import Dataset, DatasetVersion, Look
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.recording import create_live_version
from dpgov.datasets.services.turns import queue_up
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of


class RefusedRefresh(SpokenRefusal):
    """Nothing was declared; `code` is what the API calls it."""

    code = ""


class NoLiveTable(RefusedRefresh):
    """The rows are in files here, and other rows are another file."""

    code = "no_live_table"

    def __init__(self) -> None:
        super().__init__(
            said(
                "The rows of this dataset are in files here, not in a live table. Add a version "
                "with the new rows."
            )
        )


class FrozenRefresh(RefusedRefresh):
    """After a restore nobody knows which refreshes were declared since the backup."""

    code = "budget_frozen"

    def __init__(self) -> None:
        super().__init__(
            said(
                "The balance of this dataset is frozen after a restore. A compliance officer "
                "confirms it first."
            )
        )


class VersionMoved(RefusedRefresh):
    """Somebody else's version is the newest by now: the same rows are not declared twice."""

    code = "version_moved"

    def __init__(self, newest: DatasetVersion) -> None:
        super().__init__(
            said(
                "Version {number} came on {moment}. If the rows were refreshed since, declare it "
                "once more.",
                number=newest.number,
                moment=f"{newest.created_at:%Y-%m-%d %H:%M} UTC",
            )
        )


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The version that stands for the present rows; not `is_new`: it was declared before."""

    version: DatasetVersion
    is_new: bool


@transaction.atomic
def declare_refresh(*, dataset: Dataset, since: int, user: User) -> Refreshed:
    """The rows are others than when version `since` was the newest: the next version; one entry.

    The same again by the same person finds what it made. Raises NoLiveTable, FrozenRefresh,
    VersionMoved where `since` is not the newest, and Dataset.DoesNotExist where it was archived or
    held meanwhile; then nothing has changed.
    """
    if dataset.live_id is None:
        raise NoLiveTable
    queue_up(dataset.tenant)
    there = Dataset.objects.select_for_update(of=("self",), no_key=True)
    free = there.select_related("budget").filter(archived_at__isnull=True, held_at__isnull=True)
    present = free.get(pk=dataset.pk)
    newest = current_version(present)
    if (newest.refreshed_by_id, newest.number) == (user.pk, since + 1):
        return Refreshed(newest, is_new=False)
    if is_frozen(present):
        raise FrozenRefresh
    if newest.number != since:
        raise VersionMoved(newest)
    return Refreshed(_next(present, newest, user), is_new=True)


def _next(dataset: Dataset, before: DatasetVersion, user: User) -> DatasetVersion:
    # Who brought the table stays who did: by that it is decided who may see what it resembles.
    version = create_live_version(
        dataset=dataset,
        version_id=uuid4(),
        number=before.number + 1,
        schema=schema_of(before),
        added_by_id=before.added_by_id,
        refreshed_by_id=user.pk,
    )
    # The same table, whose rows nobody here keeps: there is nothing to look at.
    Look.objects.create(tenant_id=dataset.tenant_id, version=version, outcome=Look.Outcome.GOES_ON)
    detail = {"name": dataset.name, "version": version.number}
    record(dataset, actor_of(user), Action.LIVE_TABLE_REFRESHED, detail)
    return version
