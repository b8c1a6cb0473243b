"""Registrations that somebody left and comes back to: what was typed, nothing of the file.

A draft belongs to the upload's one person and ends with the upload. It changes nothing that
anybody else could see, and so makes no entry.
"""

from collections.abc import Mapping

from django.db import transaction
from django.http import QueryDict

from dpgov.datasets.models import Draft, Upload
from dpgov.datasets.services.files.uploads import ready_upload
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal

LARGEST = 2_000_000
_NOT_TYPED = frozenset({"csrfmiddlewaretoken"})


class DraftTooLarge(SpokenRefusal, ValueError):
    """More was typed than is kept."""

    def __init__(self) -> None:
        super().__init__(
            said("This is too much to keep as a draft. Shorten the lists of categories.")
        )


@transaction.atomic
def keep_draft(*, upload: Upload, typed: QueryDict) -> None:
    """Remember what stands in the form. Raises UploadUsed and DraftTooLarge."""
    ready_upload(upload.pk)
    kept = {name: typed.get(name, "") for name in typed if name not in _NOT_TYPED}
    if sum(len(name) + len(text) for name, text in kept.items()) > LARGEST:
        raise DraftTooLarge
    Draft.objects.update_or_create(
        upload_id=upload.pk, defaults={"tenant_id": upload.tenant_id, "typed": kept}
    )


def draft_of(upload: Upload) -> Mapping[str, str]:
    """What was typed before; nothing where nothing was kept."""
    kept = Draft.objects.filter(upload_id=upload.pk).values_list("typed", flat=True).first()
    return kept or {}


def drop_draft(upload: Upload) -> None:
    """After the registration: what was typed is declared now."""
    Draft.objects.filter(upload_id=upload.pk).delete()
