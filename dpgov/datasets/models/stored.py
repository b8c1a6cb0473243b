"""What files are called in storage that several machines share."""

from django.db import models

from dpgov.tenants.models import Tenant


class StoredFile(models.Model):
    """The file of a version or of an upload, whose id it has; several versions may share one.

    No line where files lie in the state folder. Only `removed_at` ever changes: from then on the
    file may go, and nobody brings it any more.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=64, db_index=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name
