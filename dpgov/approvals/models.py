"""What somebody wants to be done, and what somebody else said to it.

A request is frozen as it is made, and a decision as it is taken: the database refuses to change
either. Written by `approvals.services` alone.
"""

import uuid

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from dpgov.operation.clock import DatabaseStamp
from dpgov.tenants.models import Role, Tenant, User

# In the payload of what was passed on: whose request it is, beside who stands for it.
ASKED_BY = "asked_by"


class ChangeRequest(models.Model):
    """One request: WAITING, then decided once, or withdrawn by whoever made it.

    `kind` is the value of a `kinds.ChangeKind`; `subject` is what it is about, as in the audit log
    ("budget:…"); `payload` is what exactly is to be done, in the words of the room that does it.
    STALE: approved, but no longer as requested, and `outcome` is why (`language.said.as_values`).
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
    requested_at = DatabaseStamp(auto_now_add=True)
    state = models.CharField(max_length=12, choices=State.choices, default=State.WAITING)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decision_reason = models.CharField(max_length=500, blank=True)
    outcome = models.JSONField(default=dict)

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
    def is_waiting(self) -> bool:
        """Whether nobody has decided yet."""
        return self.state == self.State.WAITING

    def is_of(self, user_id: uuid.UUID) -> bool:
        """Whether they made it, or it was passed on because they asked for it."""
        return self.requested_by_id == user_id or self.payload.get(ASKED_BY) == str(user_id)
