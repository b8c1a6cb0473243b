"""Registrations that somebody left and comes back to: what was typed, nothing of the file.

A draft belongs to the upload's one person and ends with the upload. It changes nothing that
anybody else could see, and so makes no entry.
"""

from collections.abc import Mapping

from django.db import transaction

from dpgov.datasets.models import Draft, Upload
from dpgov.datasets.services.files.uploads import ready_upload
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.web.texts import storable

LARGEST = 2_000_000
# What a form sends beside what was typed into it.
_NOT_TYPED = frozenset({"csrfmiddlewaretoken", "draft_seen", "fill", "pasted", "copy_from"})


class DraftTooLarge(SpokenRefusal, ValueError):
    """More was typed than is kept."""

    def __init__(self) -> None:
        super().__init__(
            said("This is too much to keep as a draft. Shorten the lists of categories.")
        )


class DraftMoved(SpokenRefusal, ValueError):
    """It was kept by another window since this one last saw it."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "This registration was changed in another window. Nothing is saved from here any "
                "more: reload the page to go on."
            )
        )


@transaction.atomic
def keep_draft(*, upload: Upload, typed: Mapping[str, str], seen: str | None = None) -> str:
    """Remember what stands in the form; what `draft_seen` says from now on.

    Raises UploadUsed, DraftTooLarge and, where `seen` is given and is not the latest, DraftMoved.
    """
    ready_upload(upload.pk)
    if seen is not None and seen != draft_seen(upload):
        raise DraftMoved
    kept = typed_in(typed)
    if sum(len(name) + len(text) for name, text in kept.items()) > LARGEST:
        raise DraftTooLarge
    draft, _ = Draft.objects.update_or_create(
        upload_id=upload.pk, defaults={"tenant_id": upload.tenant_id, "typed": kept}
    )
    return draft.saved_at.isoformat()


def typed_in(sent: Mapping[str, str]) -> dict[str, str]:
    """What a person typed, of all that their form sent, as it can be kept."""
    typed = {name: sent.get(name, "") for name in sent if name not in _NOT_TYPED}
    return {storable(name): storable(text) for name, text in typed.items()}


def draft_seen(upload: Upload) -> str:
    """Which state of the draft is the latest; empty where nothing was kept."""
    saved = Draft.objects.filter(upload_id=upload.pk).values_list("saved_at", flat=True).first()
    return "" if saved is None else saved.isoformat()


def draft_of(upload: Upload) -> Mapping[str, str]:
    """What was typed before; nothing where nothing was kept."""
    kept = Draft.objects.filter(upload_id=upload.pk).values_list("typed", flat=True).first()
    return kept or {}


def drop_draft(upload: Upload) -> None:
    """After the registration: what was typed is declared now."""
    Draft.objects.filter(upload_id=upload.pk).delete()
