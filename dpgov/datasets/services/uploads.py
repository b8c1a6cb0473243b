"""Files on their way in: streamed to disk, looked at by a child process, the uploader's alone."""

from collections.abc import Iterable
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.datasets import storage
from dpgov.datasets.models import Upload
from dpgov.datasets.services.limits import child_limits
from dpgov.engines import child
from dpgov.engines.child import RefusedFile
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.selectors import actor_of

_LONGEST_NAME = 200


class UploadUsed(Exception):
    """The upload was registered or discarded before; it is used once."""


def receive_upload(*, tenant: Tenant, uploader: User, name: str, chunks: Iterable[bytes]) -> Upload:
    """Take a file, streaming it to disk; `name` is only remembered, never used as a path.

    Raises RefusedFile, keeping nothing, for a file that is too large or not clean CSV or Parquet.
    """
    upload_id = uuid4()
    path = storage.upload_path(upload_id)
    try:
        size = storage.write(path, chunks, largest=settings.DPGOV_UPLOAD_MAX_BYTES)
    except storage.TooLarge as problem:
        raise RefusedFile(problem.args[0]) from problem
    try:
        found = child.inspect(path, limits=child_limits())
        with transaction.atomic():
            upload = Upload.objects.create(
                id=upload_id,
                tenant=tenant,
                uploader=uploader,
                original_name=name[-_LONGEST_NAME:],
                format=found.format,
                byte_size=size,
                headers=list(found.headers),
            )
            _record(upload, uploader, Action.FILE_UPLOADED)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return upload


def discard_upload(*, upload: Upload, user: User) -> None:
    """Delete an upload and its file; raises UploadUsed when it is registered already."""
    with transaction.atomic():
        locked = ready_upload(upload.id)
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
