"""What somebody wants to be done, and what somebody else said to it.

A request is frozen as it is made, and a decision as it is taken: the database refuses to change
either. Written by `approvals.services` alone.
"""

import uuid

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from dpgov.tenants.models import Role, Tenant, User


class Kind(models.TextChoices):
    """What needs two persons. The value is stored and never renamed."""

    RAISE_LIMIT = "raise_limit", _("Raise a limit")
    REFUND = "refund", _("Refund a question")
    MERGE_POPULATIONS = "merge_populations", _("Merge two shared budgets")
    SPLIT_POPULATION = "split_population", _("Divide a shared budget")
    LEAVE_POPULATION = "leave_population", _("Take a dataset out of a shared budget")
    SHARE_POPULATION = "share_population", _("Share a budget with another organisation")
    ACCEPT_POPULATION = "accept_population", _("Share another organisation's budget")
    RELEASE_HELD_DATASET = "release_held_dataset", _("Release a held dataset")
    SHARE_HELD_DATASET_BUDGET = (
        "share_held_dataset_budget",
        _("Let a held dataset share an earlier budget"),
    )
    DISCARD_HELD_DATASET = "discard_held_dataset", _("Discard a held dataset")
    GIVE_ROLE = "give_role", _("Make somebody owner or officer")


class ChangeRequest(models.Model):
    """One request: WAITING, then decided once, or withdrawn by whoever made it.

    `subject` is what it is about, as in the audit log ("budget:…"); `payload` is what exactly is to
    be done, in the words of the room that does it. STALE: approved, but no longer as requested.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        APPROVED = "approved", _("Approved")
        REJECTED = "rejected", _("Rejected")
        WITHDRAWN = "withdrawn", _("Withdrawn")
        STALE = "stale", _("Out of date")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="change_requests")
    kind = models.CharField(max_length=32)
    subject = models.CharField(max_length=200)
    dataset = models.CharField(max_length=200, blank=True)
    payload = models.JSONField()
    reason = models.CharField(max_length=500)
    requested_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    requested_role = models.CharField(max_length=16, choices=Role.choices)
    requested_at = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=12, choices=State.choices, default=State.WAITING)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decision_reason = models.CharField(max_length=500, blank=True)
    outcome = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="approvals_decided_by_another_person",
                condition=Q(state="waiting", decided_by__isnull=True, decided_at__isnull=True)
                | Q(state="withdrawn", decided_by=F("requested_by"), decided_at__isnull=False)
                | (
                    Q(state__in=["approved", "rejected", "stale"], decided_at__isnull=False)
                    & Q(decided_by__isnull=False)
                    & ~Q(decided_by=F("requested_by"))
                ),
            ),
            models.UniqueConstraint(
                fields=["tenant", "kind", "subject"],
                condition=Q(state="waiting"),
                name="approvals_one_waiting_request",
            ),
        ]
        indexes = [
            models.Index(fields=["tenant", "-requested_at"]),
            models.Index(fields=["tenant"], condition=Q(state="waiting"), name="approvals_waiting"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.subject}: {self.state}"

    @property
    def title(self) -> str:
        """The kind in words."""
        return str(Kind(self.kind).label)

    @property
    def is_waiting(self) -> bool:
        """Whether nobody has decided yet."""
        return self.state == self.State.WAITING
