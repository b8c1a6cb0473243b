"""Files that were there before storage was declared: where they are, and what is in them."""

from pathlib import Path
from uuid import UUID

from django.core.management import call_command

from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, DatasetVersion, Upload
from dpgov.datasets.services.stored import keeping


def paths() -> dict[UUID, Path]:
    """Where each file would be in the folder of the machine that we are on."""
    data = {pk: storage.data_path(pk) for pk in versions()}
    ready = Upload.objects.filter(state=Upload.State.READY)
    return data | {one.pk: storage.upload_path(one.pk) for one in ready}


def versions() -> list[UUID]:
    return list(DatasetVersion.objects.order_by("number").values_list("pk", flat=True))


def contents() -> dict[UUID, bytes]:
    """Of every file that is here, or can be brought."""
    found: dict[UUID, bytes] = {}
    for dataset in Dataset.objects.all():
        with keeping.at_hand(dataset.tenant_id, versions()):
            found |= {pk: storage.data_path(pk).read_bytes() for pk in versions()}
    for upload in Upload.objects.filter(state=Upload.State.READY):
        with keeping.raw_at_hand(upload.tenant_id, upload.pk) as path:
            found[upload.pk] = path.read_bytes()
    return found


def here() -> set[UUID]:
    return {which for which, path in paths().items() if path.exists()}


def move(to: str) -> None:
    call_command("move_files", to=to)
