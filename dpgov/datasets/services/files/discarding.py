"""Uploads that become no dataset: their uploader discards them, or nobody is left who could.

An upload is its uploader's alone: no page shows it to anybody else. Whoever is no member any more
leaves none behind, neither a file nor the password of a live table.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from dpgov.audit.actions import Action
from dpgov.audit.actor import SWEEPER, Actor
from dpgov.datasets import storage
from dpgov.datasets.models import Arrival, LiveTable, Upload
from dpgov.datasets.services.files.uploads import (
    UploadBusy,
    UploadUsed,
    ready_upload,
    record_upload,
)
from dpgov.datasets.services.stored import keeping
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import Membership, User
from dpgov.tenants.selectors import actor_of


def discard_upload(*, upload: Upload, user: User) -> None:
    """Delete an upload and its file; raises UploadUsed when it is registered already.

    Raises UploadBusy while it waits to be read, or is read.
    """
    _discard(upload, actor_of(user))


def discard_abandoned() -> int:
    """Delete what people left who are members no more; how many were. For the sweeper.

    What is being read stands in no other's way: it is looked at again in the next round.
    """
    discarded = 0
    for tenant in tenants():
        with acting_for(tenant.id):
            for upload in list(_abandoned().filter(tenant_id=tenant.id)):
                discarded += _discarded(upload)
    return discarded


def _abandoned() -> QuerySet[Upload]:
    members = Membership.objects.filter(tenant=OuterRef("tenant"), user=OuterRef("uploader"))
    return Upload.objects.filter(
        ~Exists(members), state=Upload.State.READY, public_for__isnull=True
    )


def _discarded(upload: Upload) -> bool:
    try:
        _discard(upload, SWEEPER)
    except (UploadUsed, UploadBusy):
        return False
    return True


def _discard(upload: Upload, actor: Actor) -> None:
    with transaction.atomic():
        locked = ready_upload(upload.id)
        if locked.arrivals.filter(state__in=Arrival.UNFINISHED).exists():
            raise UploadBusy(upload.id)
        record_upload(locked, actor, Action.UPLOAD_DISCARDED)
        _forget(locked)
        files = [locked.id, *locked.public_tables.values_list("pk", flat=True)]
        keeping.let_go(files)
        locked.delete()
    for file in files:
        storage.upload_path(file).unlink(missing_ok=True)


def _forget(upload: Upload) -> None:
    """The password of a live table that became no dataset; another one keeps its own."""
    if upload.live_id is not None:
        never = LiveTable.objects.filter(pk=upload.live_id, dataset__isnull=True)
        never.update(sealed="")
