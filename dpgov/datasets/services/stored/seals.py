"""By what a version's data file is known again: another one in its place is not read.

Must never tell anything of the data but that it is the very file.
"""

import hmac
import os
from hashlib import blake2b
from uuid import UUID

from django.conf import settings

from dpgov.datasets import storage
from dpgov.datasets.models import DatasetVersion
from dpgov.datasets.services.stored.keeping import is_kept

_PIECES = 64
_PIECE = 4096


def seal_of(version_id: UUID) -> str:
    """Recorded with a version: its file's size and pieces, hashed under the installation's key.

    Without the key it tells nothing of the data. Raises OSError where the file cannot be read.
    """
    path = storage.data_path(version_id)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        digest = blake2b(str(size).encode(), key=settings.DPGOV_FINGERPRINT_KEY, digest_size=16)
        # As many pieces of a large file as of a small one: at its start, at its end, in between.
        for number in range(_PIECES + 1):
            file.seek(max(0, size - _PIECE) * number // _PIECES)
            digest.update(file.read(_PIECE))
    return digest.hexdigest()


def is_kept_as_recorded(version: DatasetVersion) -> bool:
    """Whether this machine has the version's file, or could bring it. May raise StoreAway."""
    return is_kept(version.pk) and not is_another(version)


def is_another(version: DatasetVersion) -> bool:
    """Whether a file lies in the version's place here that is not the one that was recorded.

    For everybody but workers that answer: who reads a stored file goes on where this is so as
    little as where there is none. Also where it cannot be read.
    """
    if not storage.data_path(version.pk).exists():
        return False
    try:
        return not hmac.compare_digest(seal_of(version.pk), version.file_seal)
    except OSError:
        return True
