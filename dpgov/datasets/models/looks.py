"""Officers look at new data: which versions were looked at, by whom, and what the tenant decided.

Whether data resembles other people's is found when an officer looks, and stored nowhere.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.models.dataset import DatasetVersion
from dpgov.operation.clock import Stamp
from dpgov.tenants.models import Tenant, User


class Look(models.Model):
    """An officer looked at one version; `by` is None where only a bound on rows is another one."""

    class Outcome(models.TextChoices):
        GOES_ON = "goes_on", _("It may be asked about")
        PAUSED = "paused", _("Paused")
        DECIDED = "decided", _("Decided by two persons")

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    version = models.OneToOneField(DatasetVersion, on_delete=models.PROTECT, related_name="look")
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    at = Stamp(auto_now_add=True)

    def __str__(self) -> str:
        return f"look at {self.version_id}: {self.outcome}"


class NewDataRule(models.Model):
    """Whether new data of a tenant waits for an officer's look before anybody can ask about it."""

    tenant = models.OneToOneField(
        Tenant, on_delete=models.PROTECT, primary_key=True, related_name="+"
    )
    waits = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"new data of {self.tenant_id} {'waits' if self.waits else 'begins'}"


class Agreement(models.Model):
    """A tenant's officers agree that its data is compared with that of `other`, a tenant's slug.

    It holds while `other` agrees as well, through another person. A slug and no reference: whether
    there is such a tenant is not to be learned here.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    other = models.SlugField(max_length=60)
    given_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    given_at = Stamp(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "other"],
                condition=Q(ended_at__isnull=True),
                name="datasets_agreed_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tenant_id} agrees with {self.other}"


class Checked(models.Model):
    """How often a person had an uploaded file checked on a day (UTC); of what came of it, nothing.

    Outlives the upload, so that deleting gives nothing back.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    upload = models.UUIDField()
    day = models.DateField()
    times = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["upload", "day"], name="datasets_checked_once_a_day"),
        ]
        indexes = [models.Index(fields=["tenant", "day", "user"])]

    def __str__(self) -> str:
        return f"{self.upload} checked {self.times} times on {self.day}"


class Handed(models.Model):
    """A file that somebody handed in for registration on a day (UTC), taken or refused.

    Outlives the upload, so that deleting gives nothing back. Of a dataset that was to be derived
    `upload` is its arrival.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    upload = models.UUIDField(unique=True)
    day = models.DateField()

    class Meta:
        indexes = [models.Index(fields=["tenant", "day", "user"])]

    def __str__(self) -> str:
        return f"{self.upload} on {self.day}"
