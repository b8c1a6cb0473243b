"""What happened that somebody should hear of, who was told, and how far each telling has got.

Events come from the audit log and the ledger alone, so a row here holds nothing that depends on
data. Nothing is ever told before `due_at`: the moment at which a page would show it.
"""

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.models import Dataset
from dpgov.notices.kinds import Kind
from dpgov.operation.clock import Stamp
from dpgov.tenants.models import Tenant, User


class Cursor(models.Model):
    """How far into the tenant's audit log its notices have been made; moves with them."""

    tenant = models.OneToOneField(
        Tenant, on_delete=models.PROTECT, primary_key=True, related_name="+"
    )
    sequence = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"read up to entry {self.sequence}"


class Event(models.Model):
    """Something to tell: once for each `key` of a tenant, whoever looks again.

    `detail` holds the words' parts: names and ids, a percentage of the ledger, a state. Whoever
    does not see `dataset` is not told, or not any more; None where it is about something else, as a
    person's own question is.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    detail = models.JSONField(default=dict)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, null=True, related_name="+")
    due_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "key"], name="notices_event_once"),
        ]

    def __str__(self) -> str:
        return self.key


class State(models.TextChoices):
    """How far a letter or a delivery has got."""

    WAITING = "waiting", _("Waiting")
    SENT = "sent", _("Delivered")
    GIVEN_UP = "given_up", _("Given up")


class Notice(models.Model):
    """One person told of one event, once. `letter` is empty where no e-mail is wanted."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="notices")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    in_app = models.BooleanField()
    due_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)
    letter = models.CharField(max_length=8, choices=State.choices, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["event", "person"], name="notices_told_once"),
        ]
        indexes = [
            models.Index(fields=["tenant", "person", "-due_at"]),
            models.Index(
                fields=["tenant", "person"],
                condition=Q(read_at__isnull=True, in_app=True),
                name="notices_unread",
            ),
            models.Index(
                fields=["tenant", "next_attempt_at"],
                condition=Q(letter="waiting"),
                name="notices_letters_waiting",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} for {self.person_id}"


class Choice(models.Model):
    """How one person wants to hear of one kind; without a row, as `kinds.REACHES` has it."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    in_app = models.BooleanField()
    letter = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "person", "kind"], name="notices_one_choice_per_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.in_app}, {self.letter}"


class Webhook(models.Model):
    """An address of the tenant's own that is sent its events, signed; ended, never deleted.

    The secret is not stored: it is derived from the installation's key, the id and `generation`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    url = models.CharField(max_length=500)
    kinds = models.JSONField()
    generation = models.CharField(max_length=64)
    created_at = Stamp(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One event on its way to one webhook. `status` is what its server answered last."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    webhook = models.ForeignKey(Webhook, on_delete=models.PROTECT, related_name="deliveries")
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="deliveries")
    due_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    problem = models.JSONField(default=dict)
    tried_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="notices_delivered_once"),
        ]
        indexes = [
            models.Index(fields=["webhook", "-due_at"]),
            models.Index(
                fields=["webhook", "due_at"],
                condition=Q(state="waiting"),
                name="notices_deliveries_waiting",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} to {self.webhook_id}"
