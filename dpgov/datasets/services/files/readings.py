"""How an uploaded file is read: what its owner says about it instead of what was understood.

It changes nothing that anybody else could see, and so makes no entry, like a draft.
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from dpgov.datasets.models import Arrival, Draft, Upload
from dpgov.datasets.services.files.joins import own_headers
from dpgov.datasets.services.files.uploads import (
    UploadBusy,
    looked_at,
    looking,
    looking_limits,
    ready_upload,
)
from dpgov.engines import child

_OF_COLUMNS = "column-"


def read_differently(*, upload: Upload, wanted: Mapping[str, Any]) -> Upload:
    """Look at the file again, read this way; what is not said stays.

    Where the columns have other names now, what was typed for them is dropped. Raises RefusedFile,
    UploadUsed, UploadBusy and Busy; then nothing has changed.
    """
    with looked_at(upload) as path, looking():
        found = child.inspect(path, limits=looking_limits(), wanted={**upload.reading, **wanted})
    return _keep(upload, found)


@transaction.atomic
def _keep(upload: Upload, found: child.Inspection) -> Upload:
    locked = ready_upload(upload.pk)
    if locked.arrivals.filter(state__in=Arrival.UNFINISHED).exists():
        raise UploadBusy(upload.pk)
    if own_headers(locked) != list(found.headers):
        # What is joined hangs on a column by its name.
        _forget_columns(locked)
        locked.headers, locked.joined = list(found.headers), {}
    locked.reading = found.reading
    locked.save(update_fields=["headers", "reading", "joined"])
    return locked


def _forget_columns(upload: Upload) -> None:
    draft = Draft.objects.filter(upload_id=upload.pk).first()
    if draft is not None:
        draft.typed = {n: v for n, v in draft.typed.items() if not n.startswith(_OF_COLUMNS)}
        draft.save(update_fields=["typed"])
