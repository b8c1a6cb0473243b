"""Every change to datasets and uploads, and this room's only door to files and engines.

A file is parsed by a child process, never here. Every write makes exactly one audit entry in its
own transaction.
"""

from dpgov.datasets.services.engine import DataMissing, engine_for
from dpgov.datasets.services.registration import Registered, register_dataset
from dpgov.datasets.services.upkeep import (
    LimitNotLowered,
    archive_dataset,
    describe_dataset,
    lower_limit,
)
from dpgov.datasets.services.uploads import UploadUsed, discard_upload, receive_upload
from dpgov.engines.child import RefusedFile

__all__ = [
    "DataMissing",
    "LimitNotLowered",
    "RefusedFile",
    "Registered",
    "UploadUsed",
    "archive_dataset",
    "describe_dataset",
    "discard_upload",
    "engine_for",
    "lower_limit",
    "receive_upload",
    "register_dataset",
]
