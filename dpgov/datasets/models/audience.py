"""Whom an owner named for a dataset that only named people see."""

import uuid

from django.db import models

from dpgov.datasets.models.dataset import Dataset
from dpgov.operation.clock import DatabaseStamp
from dpgov.tenants.models import Membership, Tenant, User


class Viewer(models.Model):
    """An analyst who was named, by whom and when; never changed, and it ends with the membership.

    Whether it counts is for `datasets.audience` to say: it does not for who became an analyst
    later, and `Dataset.named_only` says whether anybody has to be named at all.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="viewers")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="+")
    named_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    named_at = DatabaseStamp(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "membership"], name="datasets_viewer_named_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.membership_id} sees {self.dataset_id}"
