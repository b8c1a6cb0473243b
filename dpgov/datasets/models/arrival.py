"""Files that shall become a dataset or a version: asked for by a person, read by a worker."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.models.dataset import Dataset, Upload
from dpgov.operation.clock import Stamp
from dpgov.tenants.models import Tenant, User


class Arrival(models.Model):
    """An upload that shall be registered, and how far it has come. The row itself is the outbox.

    Without an upload it is a dataset that shall be derived from stored versions of two others.

    A worker holds it by lease and fencing token, and writes under `version_id`. `dataset` is the
    one that gets a version, or the new one once it is there. `declared` is what was declared, until
    the end; `outcome` what came of it, in codes and values. The numbers of what was read are true
    ones, for whoever asked, and gone at the end.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        READING = "reading", _("Being read")
        DONE = "done", _("Registered")
        REFUSED = "refused", _("Not registered")
        CANCELLED = "cancelled", _("Stopped")

    UNFINISHED = (State.WAITING, State.READING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    upload = models.ForeignKey(
        Upload, on_delete=models.CASCADE, null=True, blank=True, related_name="arrivals"
    )
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, null=True, related_name="+")
    is_version = models.BooleanField(default=False)
    declared = models.JSONField(default=dict)
    outcome = models.JSONField(default=dict)
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    fence = models.PositiveBigIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    taken_at = models.DateTimeField(null=True)
    version_id = models.UUIDField(null=True)
    rows_read = models.PositiveBigIntegerField(default=0)
    bytes_read = models.PositiveBigIntegerField(default=0)
    sends = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    asked_at = Stamp(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["upload"],
                condition=Q(state__in=["waiting", "reading"]),
                name="datasets_one_arrival_at_a_time",
            ),
            models.CheckConstraint(
                name="datasets_arrived_somewhere",
                condition=~Q(state="done") | Q(dataset__isnull=False),
            ),
            models.CheckConstraint(
                name="datasets_version_has_a_file",
                condition=Q(is_version=False) | Q(upload__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                fields=["asked_at"],
                condition=Q(state__in=["waiting", "reading"]),
                name="datasets_unfinished_arrivals",
            ),
            models.Index(fields=["tenant", "-taken_at"], name="datasets_arrivals_taken"),
            models.Index(fields=["tenant", "-ended_at"], name="datasets_arrivals_ended"),
        ]

    def __str__(self) -> str:
        return f"arrival of {self.upload_id}"

    @property
    def is_running(self) -> bool:
        """Whether it can still become something."""
        return self.state in self.UNFINISHED
