"""What is governed: datasets, their versions, columns, uploads and fingerprints.

Everything here is public metadata or the owner's own; the data itself is in files that only the
engines open. Fingerprints depend on the data and are shown to nobody.
"""

from dpgov.datasets.models.arrival import Arrival
from dpgov.datasets.models.audience import Viewer
from dpgov.datasets.models.dataset import Column, Dataset, DatasetVersion, Upload
from dpgov.datasets.models.derived import DerivedFrom
from dpgov.datasets.models.desk import Draft, Permit, Policy
from dpgov.datasets.models.fingerprint import (
    FingerprintMark,
    FingerprintPart,
    RecognitionKey,
    VersionFingerprint,
)
from dpgov.datasets.models.live import LiveMark, LiveTable
from dpgov.datasets.models.looks import Agreement, Checked, Handed, Look, NewDataRule
from dpgov.datasets.models.stored import StoredFile
from dpgov.datasets.models.terms import Acceptance, TermsOfUse

__all__ = [
    "Acceptance",
    "Agreement",
    "Arrival",
    "Checked",
    "Column",
    "Dataset",
    "DatasetVersion",
    "DerivedFrom",
    "Draft",
    "FingerprintMark",
    "FingerprintPart",
    "Handed",
    "LiveMark",
    "LiveTable",
    "Look",
    "NewDataRule",
    "Permit",
    "Policy",
    "RecognitionKey",
    "StoredFile",
    "TermsOfUse",
    "Upload",
    "VersionFingerprint",
    "Viewer",
]
