"""Out of which versions of which datasets the rows of a derived dataset were put together."""

from django.db import models
from django.db.models import Q

from dpgov.datasets.models.dataset import Dataset, DatasetVersion
from dpgov.tenants.models import Tenant


class DerivedFrom(models.Model):
    """One of the two parents of a derived dataset; never changed.

    `version` is the one whose rows were used, at most `rows_of_unit` of each unit, and `columns`
    are the names there of what was taken; in the derived dataset they stand after `prefix`.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="derived_from")
    position = models.PositiveSmallIntegerField()
    parent = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="derived")
    version = models.ForeignKey(DatasetVersion, on_delete=models.PROTECT, related_name="derived")
    rows_of_unit = models.PositiveIntegerField()
    prefix = models.CharField(max_length=40, blank=True)
    columns = models.JSONField(default=list)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "position"], name="datasets_parent_in_its_place"
            ),
            models.UniqueConstraint(fields=["dataset", "parent"], name="datasets_parent_once"),
            models.CheckConstraint(
                name="datasets_parent_has_rows", condition=Q(rows_of_unit__gte=1)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dataset_id} of {self.version_id}"
