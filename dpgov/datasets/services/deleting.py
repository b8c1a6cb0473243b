"""Deleting the data of an archived dataset or of an old version: what people were promised stays.

Kept are the ledger, the log, every answer, the declarations, and the keyed fingerprints by which
the same people are recognised when they come back: without them their budget would begin anew. Who
was in which part of a divided budget is known from the files alone; `services.parts` ends the
discount where one of them is gone.
"""

import os
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.budgets.standing import holds_from_before, holds_something
from dpgov.datasets import storage
from dpgov.datasets.discarded import discarded
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import present as seen_by_everybody
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.live.connecting import forget_password
from dpgov.datasets.services.stored.keeping import finish_leaving, let_go
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of

# Longer than anybody is between choosing the version that a question is asked of and the hold.
_ACCEPTING = timedelta(hours=1)


class QuestionsOnTheirWay(SpokenRefusal):
    """A question that was accepted is still answered, so its data is still needed."""

    def __init__(self) -> None:
        super().__init__(
            said("Questions about this data are still on their way. Try again once they ended.")
        )


class SameRowsAsNewest(SpokenRefusal):
    """Deleted or not, its rows would stay: they are those of the newest version."""

    def __init__(self, newest: int) -> None:
        super().__init__(
            said(
                "Version {number}, which questions are asked of, has the same rows in the same "
                "file. Add a version with other rows first.",
                number=newest,
            )
        )


class RowsInDerived(SpokenRefusal):
    """Deleted here, its rows would stay in what was derived from them."""

    def __init__(self, name: str) -> None:
        super().__init__(
            said(
                "“{name}” was derived from this version and holds rows of it. Archive it and "
                "delete its data first.",
                name=name,
            )
        )


class NoFile(SpokenRefusal):
    """The rows of a live table are its owner's, in their own server."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "The rows of a live table are in its owner's server, and none are kept here. What "
                "the version declared stays."
            )
        )


@transaction.atomic
def delete_files(*, dataset: Dataset, actor: Actor) -> None:
    """Delete every data file of an archived dataset, for good; one entry in the log.

    What was derived from it holds rows of it, and is deleted with it, by an entry of its own.
    Raises QuestionsOnTheirWay, and Dataset.DoesNotExist when it is not archived or its data was
    deleted before. The marks that are left until the files are gone let the sweeper end what a
    process began that died.
    """
    rows = Dataset.objects.select_for_update(of=("self",)).select_related("budget")
    present = rows.get(pk=dataset.pk, archived_at__isnull=False, data_deleted_at__isnull=True)
    if holds_something(present.budget):
        raise QuestionsOnTheirWay
    for derived in holding_rows_of(present):
        delete_files(dataset=derived, actor=actor)
    kept = present.versions.filter(data_deleted_at__isnull=True)
    versions = list(kept.order_by("number").values_list("pk", flat=True))
    Dataset.objects.filter(pk=present.pk).update(data_deleted_at=clock.now())
    if present.live_id is not None:
        forget_password(present.live_id)
    record(
        present,
        actor,
        Action.DATASET_DATA_DELETED,
        {"name": present.name, "versions": len(versions)},
    )
    leave(versions)


def holding_rows_of(dataset: Dataset) -> list[Dataset]:
    """What was derived from it and was archived with it, in the order of their ids.

    Its data is deleted with that of the dataset.
    """
    archived = Dataset.objects.filter(archived_at__isnull=False, data_deleted_at__isnull=True)
    return list(archived.filter(derived_from__parent=dataset.pk).order_by("pk"))


def same_rows(version: DatasetVersion) -> list[DatasetVersion]:
    """The dataset's versions with this one's very file, this one among them, oldest first.

    Other limits for a person make a version over the same file, under a second name.
    """
    of_one_dataset = DatasetVersion.objects.filter(dataset=version.dataset_id)
    whole = Q(pk=version.pk) | Q(
        file_seal=version.file_seal,
        fingerprint__whole__in=of_one_dataset.filter(pk=version.pk).values("fingerprint__whole"),
    )
    return list(of_one_dataset.filter(whole).order_by("number"))


@transaction.atomic
def delete_version_data(*, version: DatasetVersion, user: User) -> None:
    """Delete the file of a version that is not the newest, and the same under other names.

    One entry. Raises NoFile, SameRowsAsNewest, RowsInDerived, QuestionsOnTheirWay, and
    DatasetVersion.DoesNotExist when it is the newest, was deleted before, or its dataset is held or
    archived; nothing is changed.
    """
    datasets = Dataset.objects.select_for_update(of=("self",)).select_related("budget")
    dataset = datasets.filter(seen_by_everybody(), pk=version.dataset_id).first()
    of_it = DatasetVersion.objects.filter(dataset=version.dataset_id).order_by("-number")
    newest = of_it[:1].get()
    if newest.file_seal == DatasetVersion.LIVE:
        raise NoFile
    kept = of_it.filter(data_deleted_at__isnull=True).exclude(pk=newest.pk)
    present = kept.get(pk=version.pk)
    if dataset is None:
        raise DatasetVersion.DoesNotExist
    same = same_rows(present)
    _check_nobody_needs(same, newest, dataset)
    versions = [each.pk for each in same if each.data_deleted_at is None]
    DatasetVersion.objects.filter(pk__in=versions).update(data_deleted_at=clock.now())
    others = [each.number for each in same if each != present]
    record(
        dataset,
        actor_of(user),
        Action.VERSION_DATA_DELETED,
        {"name": dataset.name, "version": present.number, "same_rows": others},
    )
    leave(versions)


def _check_nobody_needs(
    same: list[DatasetVersion], newest: DatasetVersion, dataset: Dataset
) -> None:
    """Questions keep the version that was the newest when they were asked."""
    if newest in same:
        raise SameRowsAsNewest(newest.number)
    derived = Dataset.objects.filter(
        ~discarded(),
        derived_from__version__in=[each.pk for each in same],
        data_deleted_at__isnull=True,
    )
    if (first := derived.order_by("name").first()) is not None:
        raise RowsInDerived(first.name)
    later = DatasetVersion.objects.filter(dataset=dataset, number__gt=same[-1].number)
    followed_at = later.order_by("number")[:1].get().created_at
    if holds_from_before(dataset.budget, followed_at + _ACCEPTING):
        raise QuestionsOnTheirWay


def delete_data(*, dataset: Dataset, user: User) -> None:
    """The same by a person."""
    delete_files(dataset=dataset, actor=actor_of(user))


def finish_deletions() -> int:
    """Delete what was begun by a process that died; returns how many files were. For the sweeper.

    A mark alone deletes nothing: the database says whether the deletion was decided.
    """
    finished = finish_leaving()
    marked = {version_id for version_id, _ in storage.leaving()}
    if not marked:
        return finished
    decided: list[UUID] = []
    for tenant in tenants():
        with acting_for(tenant.id):
            gone = Q(data_deleted_at__isnull=False) | Q(dataset__data_deleted_at__isnull=False)
            found = DatasetVersion.objects.filter(gone | discarded("dataset__"), pk__in=marked)
            decided += found.values_list("pk", flat=True)
    _remove(decided)
    return finished + len(decided)


def leave(versions: list[UUID]) -> None:
    """Mark the files, and remove them once the decision is there for everybody.

    In the transaction that makes one which `finish_deletions` finds again.
    """
    let_go(versions)
    for version_id in versions:
        storage.leaving_path(version_id).touch(mode=0o600)
    transaction.on_commit(lambda: _remove(versions))


def _remove(versions: list[UUID]) -> None:
    for version_id in versions:
        _empty(storage.data_path(version_id))
        storage.data_path(version_id).unlink(missing_ok=True)
        storage.leaving_path(version_id).unlink(missing_ok=True)


def _empty(path: Path) -> None:
    """Take the content from a worker that has the file open: a removed name alone would not.

    Not where another version has the same file under a name of its own.
    """
    if path.exists() and path.stat().st_nlink == 1:
        os.truncate(path, 0)
