"""The entries of the ledger: holds, and what is booked once and never changed."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from dpgov.budgets.models.budget import Budget
from dpgov.operation.clock import DatabaseStamp, Stamp
from dpgov.tenants.models import Tenant


class Reservation(models.Model):
    """A hold on one budget for one query: HELD, then SETTLED, VOIDED or EXPIRED, once.

    `tenant` is whose query it is. `factor` is how many times the query's cost this budget takes:
    2 for one part of a partition under change_one, else 1. `counted_on` is the day in whose windows
    of rates it counts: the day on which it was made, or a later one if a clock was ahead before.
    """

    class State(models.TextChoices):
        HELD = "held", "Held"
        SETTLED = "settled", "Settled"
        VOIDED = "voided", "Voided"
        EXPIRED = "expired", "Expired"

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="reservations")
    query_id = models.UUIDField()
    amount_nano = models.BigIntegerField()
    factor = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=8, choices=State.choices, default=State.HELD)
    created_at = Stamp(auto_now_add=True)
    counted_on = models.DateField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["query_id", "budget"], name="budgets_one_hold_per_query"
            ),
            models.CheckConstraint(name="budgets_hold_is_positive", condition=Q(amount_nano__gt=0)),
            models.CheckConstraint(name="budgets_factor_is_positive", condition=Q(factor__gte=1)),
        ]
        indexes = [
            models.Index(fields=["budget", "created_at"]),
            models.Index(
                fields=["budget"], condition=Q(state="held"), name="budgets_held_of_budget"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount_nano} nε {self.state}"


class AppendOnly(models.Model):
    """Rows that are booked once and never changed; a trigger refuses the rest."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    created_at = Stamp(auto_now_add=True)

    class Meta:
        abstract = True


class Charge(AppendOnly):
    """What one query took from one budget, for good. Corrections are new rows.

    `spent_after_nano` is the budget's spending with this charge: a running balance, so that a
    moment of a long history is found without adding it up.
    """

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="charges")
    query_id = models.UUIDField()
    amount_nano = models.BigIntegerField()
    spent_after_nano = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["query_id", "budget"], name="budgets_one_charge_per_query"
            ),
            models.CheckConstraint(
                name="budgets_charge_is_positive", condition=Q(amount_nano__gt=0)
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["budget", "created_at"])]

    def __str__(self) -> str:
        return f"{self.amount_nano} nε"


class Correction(AppendOnly):
    """An amount that no query's release charged; `amount_nano` below zero gives back.

    Carried over: what people had spent elsewhere when their budgets were joined or divided.
    Refund: of one query whose data was never opened. After restore: what a backup had forgotten.
    Survey: what each respondent of a local survey loses; the row has the survey's id.
    """

    class Kind(models.TextChoices):
        CARRIED_OVER = "carried_over", "Carried over"
        REFUND = "refund", "Refund"
        AFTER_RESTORE = "after_restore", "Booked after a restore"
        SURVEY = "survey", "Survey opened"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="corrections")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    amount_nano = models.BigIntegerField()
    spent_after_nano = models.BigIntegerField()
    query_id = models.UUIDField(null=True)
    source = models.ForeignKey(Budget, on_delete=models.PROTECT, null=True, related_name="+")
    reason = models.CharField(max_length=500)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["query_id", "budget"],
                condition=Q(query_id__isnull=False),
                name="budgets_one_refund_per_query",
            ),
            models.CheckConstraint(
                name="budgets_correction_has_a_sign",
                condition=Q(kind="refund", amount_nano__lt=0, query_id__isnull=False)
                | (~Q(kind="refund") & Q(amount_nano__gt=0, query_id__isnull=True)),
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["budget", "created_at"])]

    def __str__(self) -> str:
        return f"{self.amount_nano:+} nε {self.kind}"


class LimitChange(AppendOnly):
    """A step in the history of a budget's limit; the first one opens it."""

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="limit_changes")
    before_nano = models.BigIntegerField()
    after_nano = models.BigIntegerField()
    reason = models.CharField(max_length=500)
    # Compared with the moment at which the holder of an allocation became an analyst.
    created_at = DatabaseStamp(auto_now_add=True)

    class Meta:
        indexes: ClassVar = [models.Index(F("budget"), F("id").desc(), name="budgets_limit_now")]

    def __str__(self) -> str:
        return f"{self.before_nano} to {self.after_nano} nε"
