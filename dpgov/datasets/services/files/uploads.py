"""Files on their way in: streamed to disk, looked at by a child process, the uploader's alone."""

from collections.abc import Iterable
from uuid import UUID

from django.conf import settings
from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.datasets import storage
from dpgov.datasets.models import Arrival, Upload
from dpgov.datasets.services.files.limits import looking_limits
from dpgov.datasets.services.files.slots import reader_slot
from dpgov.engines import child
from dpgov.engines.child import RefusedFile
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.selectors import actor_of

_LONGEST_NAME = 200
_PATIENCE = 20.0


class UploadBusy(Exception):
    """The upload is being registered at present."""


class UploadUsed(Exception):
    """The upload was registered or discarded before; it is used once."""


def receive_upload(*, tenant: Tenant, uploader: User, name: str, chunks: Iterable[bytes]) -> Upload:
    """Take a file, streaming it to disk; see `take_upload`. Raises NoRoom too."""
    spool = storage.Spool(largest=settings.DPGOV_UPLOAD_MAX_BYTES)
    try:
        for chunk in chunks:
            spool.write(chunk)
        return take_upload(tenant=tenant, uploader=uploader, name=name, spool=spool)
    except storage.TooLarge as problem:
        raise RefusedFile(problem.args[0]) from problem
    finally:
        spool.discard()


def take_upload(*, tenant: Tenant, uploader: User, name: str, spool: storage.Spool) -> Upload:
    """Keep a file that has arrived; `name` is only remembered, never used as a path.

    Its beginning is looked at, which is quick; a worker reads the rest. Raises RefusedFile, keeping
    nothing, for a file that is not CSV or Parquet, and Busy when too many arrive at once.
    """
    path = spool.keep()
    try:
        with reader_slot("looking", patience=_PATIENCE):
            found = child.inspect(path, limits=looking_limits())
        with transaction.atomic():
            upload = Upload.objects.create(
                id=spool.id,
                tenant=tenant,
                uploader=uploader,
                original_name=name[-_LONGEST_NAME:],
                format=found.format,
                byte_size=spool.size,
                headers=list(found.headers),
            )
            _record(upload, uploader, Action.FILE_UPLOADED)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return upload


def discard_upload(*, upload: Upload, user: User) -> None:
    """Delete an upload and its file; raises UploadUsed when it is registered already.

    Raises UploadBusy while it waits to be read, or is read.
    """
    with transaction.atomic():
        locked = ready_upload(upload.id)
        if locked.arrivals.filter(state__in=Arrival.UNFINISHED).exists():
            raise UploadBusy(upload.id)
        _record(locked, user, Action.UPLOAD_DISCARDED)
        locked.delete()
    storage.upload_path(upload.id).unlink(missing_ok=True)


def ready_upload(upload_id: UUID) -> Upload:
    """The locked row of a file that can still be used; raises UploadUsed."""
    upload = Upload.objects.select_for_update().filter(pk=upload_id).first()
    if upload is None or upload.state != Upload.State.READY:
        raise UploadUsed(upload_id)
    return upload


def _record(upload: Upload, user: User, action: Action) -> None:
    """Neither the file's name nor its size: an upload is its uploader's alone."""
    append(
        tenant_id=upload.tenant_id,
        actor=actor_of(user),
        action=action,
        subject=f"upload:{upload.id}",
        detail={"format": upload.format},
    )
