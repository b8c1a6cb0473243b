"""Where the files of datasets are kept: in the state folder, or in storage that machines share.

A file is made and opened in the state folder, in both. With shared storage what is there is a copy
that may go at any time and is brought again; see `copies`.
"""

from functools import lru_cache

from django.conf import settings

from dpgov.datasets.store.base import Store
from dpgov.datasets.store.folder import InFolder
from dpgov.datasets.store.objects import Bucket, InObjects

__all__ = ["Store", "store"]


def store() -> Store:
    """The one that the operator declared."""
    return (
        InFolder() if settings.DPGOV_STORE is None else _in_objects(Bucket(**settings.DPGOV_STORE))
    )


@lru_cache(maxsize=4)
def _in_objects(place: Bucket) -> Store:
    return InObjects(place)
