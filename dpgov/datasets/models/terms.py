"""Terms of use that an owner sets for a dataset, and who accepted which version of them."""

import uuid

from django.db import models
from django.db.models import Q

from dpgov.datasets.models.dataset import Dataset
from dpgov.operation.clock import Stamp
from dpgov.tenants.models import Tenant, User


class TermsOfUse(models.Model):
    """One numbered version, never changed: the newest is in force.

    Without text nothing is asked of anybody: that is how terms are removed.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    set_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    set_at = Stamp(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "number"], name="datasets_terms_number"),
            models.CheckConstraint(name="datasets_terms_from_one", condition=Q(number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"terms of use of {self.dataset_id}, version {self.number}"


class Acceptance(models.Model):
    """One person accepted one version, at a moment; never changed or taken back."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    terms = models.ForeignKey(TermsOfUse, on_delete=models.PROTECT, related_name="acceptances")
    accepted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    accepted_at = Stamp(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["terms", "accepted_by"], name="datasets_terms_accepted_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.accepted_by_id} accepted {self.terms_id}"
