"""Where this ledger lives: a copy that wakes up elsewhere knows that it is a copy."""

from django.db import models

from dpgov.tenants.models import Tenant


class DatabaseMark(models.Model):
    """One row: the identity of the database in which the ledger was last at home."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    identity = models.CharField(max_length=100)

    class Meta:
        constraints = [models.CheckConstraint(name="budgets_one_mark", condition=models.Q(id=1))]

    def __str__(self) -> str:
        return self.identity


class RestoreMark(models.Model):
    """The checkpoint outside the database for which a tenant was frozen last.

    By its root too: a log that went on after a restore is soon as long as the lost one again.
    """

    tenant = models.OneToOneField(
        Tenant, on_delete=models.PROTECT, primary_key=True, related_name="+"
    )
    outside_size = models.PositiveBigIntegerField()
    outside_root = models.BinaryField(max_length=32, default=b"", db_default=b"")

    def __str__(self) -> str:
        return f"{self.tenant_id} frozen for {self.outside_size}"
