"""Deleting the data of an archived dataset: the files go, what people were promised stays.

Kept are the ledger, the log, every answer, the declarations, and the keyed fingerprints by which
the same people are recognised when they come back: without them their budget would begin anew. Who
was in which part of a divided budget is known from the files alone; `services.opening` ends the
discount where one of them is gone.
"""

from uuid import UUID

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.services.entries import record
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of


class QuestionsOnTheirWay(SpokenRefusal):
    """A question that was accepted is still answered, so its data is still needed."""

    def __init__(self) -> None:
        super().__init__(
            said("Questions about this data are still on their way. Try again once they ended.")
        )


@transaction.atomic
def delete_files(*, dataset: Dataset, actor: Actor) -> None:
    """Delete every data file of an archived dataset, for good; one entry in the log.

    Raises QuestionsOnTheirWay, and Dataset.DoesNotExist when it is not archived or its data was
    deleted before. The marks that are left until the files are gone let the sweeper end what a
    process began that died.
    """
    rows = Dataset.objects.select_for_update(of=("self",)).select_related("budget")
    present = rows.get(pk=dataset.pk, archived_at__isnull=False, data_deleted_at__isnull=True)
    if present.budget.reserved_nano:
        raise QuestionsOnTheirWay
    versions = list(present.versions.order_by("number").values_list("pk", flat=True))
    Dataset.objects.filter(pk=present.pk).update(data_deleted_at=clock.now())
    record(
        present,
        actor,
        Action.DATASET_DATA_DELETED,
        {"name": present.name, "versions": len(versions)},
    )
    for version_id in versions:
        storage.leaving_path(version_id).touch(mode=0o600)
    transaction.on_commit(lambda: _remove(versions))


def delete_data(*, dataset: Dataset, user: User) -> None:
    """The same by a person."""
    delete_files(dataset=dataset, actor=actor_of(user))


def finish_deletions() -> int:
    """Delete what was begun by a process that died; returns how many files were. For the sweeper.

    A mark alone deletes nothing: the database says whether the deletion was decided.
    """
    marked = {version_id for version_id, _ in storage.leaving()}
    if not marked:
        return 0
    decided: list[UUID] = []
    for tenant in tenants():
        with acting_for(tenant.id):
            found = DatasetVersion.objects.filter(
                pk__in=marked, dataset__data_deleted_at__isnull=False
            )
            decided += found.values_list("pk", flat=True)
    _remove(decided)
    return len(decided)


def _remove(versions: list[UUID]) -> None:
    for version_id in versions:
        storage.data_path(version_id).unlink(missing_ok=True)
        storage.leaving_path(version_id).unlink(missing_ok=True)
