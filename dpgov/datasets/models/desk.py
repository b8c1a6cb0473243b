"""What an owner decides beside the budget: a policy for questions, and unfinished registrations."""

from django.db import models
from django.db.models import Q

from dpgov.datasets.models.dataset import Dataset, Upload
from dpgov.operation.clock import DatabaseStamp, Stamp
from dpgov.tenants.models import Tenant, User


class Policy(models.Model):
    """What a question about a dataset must keep, besides the budget. Public, like every limit.

    Amounts are in the dataset's currency. Nothing here gives budget back or raises a limit: a
    policy only refuses. `statistics` empty: all are allowed. `least_nano` raises the least that
    one question costs above the installation's. What costs more than `approval_above_nano` needs
    a permit or the approval of just this question: 0 is every question. `only_ready_made`: nothing
    is asked but what an owner has published to be asked.
    """

    dataset = models.OneToOneField(
        Dataset, on_delete=models.PROTECT, primary_key=True, related_name="policy"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    approval_above_nano = models.BigIntegerField(null=True, blank=True)
    statistics = models.JSONField(default=list, blank=True)
    least_nano = models.BigIntegerField(null=True, blank=True)
    least_error = models.PositiveBigIntegerField(null=True, blank=True)
    only_ready_made = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="datasets_policy_is_positive",
                condition=(Q(approval_above_nano__isnull=True) | Q(approval_above_nano__gte=0))
                & (Q(least_nano__isnull=True) | Q(least_nano__gt=0))
                & (Q(least_error__isnull=True) | Q(least_error__gt=0)),
            ),
        ]

    def __str__(self) -> str:
        return f"policy of {self.dataset_id}"


class Permit(models.Model):
    """One person may ask larger questions of a dataset, up to an amount and until a day (UTC)."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="permits")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    limit_nano = models.BigIntegerField()
    last_day = models.DateField()
    created_at = DatabaseStamp(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["dataset", "user"], name="datasets_one_permit"),
            models.CheckConstraint(
                name="datasets_permit_is_positive", condition=Q(limit_nano__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} may ask {self.limit_nano} until {self.last_day}"


class Draft(models.Model):
    """A registration that its owner left: what was typed, and nothing of the file."""

    upload = models.OneToOneField(
        Upload, on_delete=models.CASCADE, primary_key=True, related_name="draft"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    typed = models.JSONField()
    saved_at = Stamp(auto_now=True)

    def __str__(self) -> str:
        return f"draft of {self.upload_id}"
