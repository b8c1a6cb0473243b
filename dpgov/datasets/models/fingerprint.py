"""What is kept of each version's content to recognise its people again.

Keyed with a secret of the installation; shown to nobody, not even to the data's owner. Compared at
once with data of the same person, and with all other data when an officer looks, see
`services.likeness`.
"""

from django.db import models

from dpgov.datasets.models.dataset import DatasetVersion
from dpgov.tenants.models import Tenant, User


class VersionFingerprint(models.Model):
    """The fingerprint of one version. `key_id` names the secret without telling it.

    `file` is the keyed hash of the bytes that the version was read from, of those that were added
    where it adds rows; empty where none were, and of versions from before it was kept.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    version = models.OneToOneField(
        DatasetVersion, on_delete=models.PROTECT, related_name="fingerprint"
    )
    key_id = models.CharField(max_length=16)
    whole = models.CharField(max_length=32, db_index=True)
    file = models.CharField(max_length=32, blank=True, default="", db_index=True)

    def __str__(self) -> str:
        return f"fingerprint of {self.version}"


class FingerprintPart(models.Model):
    """The rows or one column of a version; see `engines.fingerprint.MultisetFingerprint`."""

    class Kind(models.TextChoices):
        ROWS = "rows", "Rows"
        COLUMN = "column", "Column"
        # Of the rows alone that a version added to those of the one before.
        ADDED_ROWS = "new_rows", "Added rows"
        ADDED_COLUMN = "new_col", "Column of added rows"

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    fingerprint = models.ForeignKey(
        VersionFingerprint, on_delete=models.PROTECT, related_name="parts"
    )
    kind = models.CharField(max_length=8, choices=Kind.choices)
    total = models.BigIntegerField()
    digest = models.CharField(max_length=32)
    span = models.BigIntegerField()
    sketch = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.kind} of {self.fingerprint}"


class FingerprintMark(models.Model):
    """One of the smallest hashes of a part: parts without a common one have nothing in common.

    Found by whose it is first, so that looking for one's own never touches anybody else's.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    part = models.ForeignKey(FingerprintPart, on_delete=models.PROTECT, related_name="marks")
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    mark = models.BigIntegerField(db_index=True)

    class Meta:
        indexes = [
            models.Index(fields=["tenant", "added_by", "mark"], name="datasets_marks_of_one"),
        ]

    def __str__(self) -> str:
        return f"mark of {self.part}"


class RecognitionKey(models.Model):
    """Which secret this installation recognises data by, from the first time on; one row.

    `name` tells it from others without telling it. No tenant has another one.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    name = models.CharField(max_length=16)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(id=1), name="datasets_one_recognition_key"),
        ]

    def __str__(self) -> str:
        return self.name
