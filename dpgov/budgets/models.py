"""The ledger. Knows nothing of datasets or queries, only of ids and integer nano-units.

Every amount is an integer count of nano-ε (10⁻⁹ ε). Written by `budgets.services` alone.
"""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from dpgov.tenants.models import Tenant


class Budget(models.Model):
    """A limit and what has been taken from it: reserved + spent never passes limit.

    `kind` says whose limit it is: the dataset's own, or another one that the same query touches.
    """

    class Kind(models.TextChoices):
        DATASET = "dataset", "Dataset"
        ALLOCATION = "allocation", "Allocation"
        PARTITION = "partition", "Partition line"
        POPULATION = "population", "Population"

    class Mode(models.TextChoices):
        PURE = "pure", "Pure ε"
        ZCDP = "zcdp", "(ε, δ) through zCDP"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="budgets")
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.DATASET)
    label = models.CharField(max_length=200)
    mode = models.CharField(max_length=8, choices=Mode.choices, default=Mode.PURE)
    limit_nano = models.BigIntegerField()
    reserved_nano = models.BigIntegerField(default=0)
    spent_nano = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="budgets_never_overspent",
                condition=Q(reserved_nano__gte=0)
                & Q(spent_nano__gte=0)
                & Q(limit_nano__gte=F("reserved_nano") + F("spent_nano")),
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def remaining_nano(self) -> int:
        """What may still be reserved; never negative."""
        return self.limit_nano - self.reserved_nano - self.spent_nano


class Reservation(models.Model):
    """A hold on one budget for one query: HELD, then SETTLED, VOIDED or EXPIRED, once."""

    class State(models.TextChoices):
        HELD = "held", "Held"
        SETTLED = "settled", "Settled"
        VOIDED = "voided", "Voided"
        EXPIRED = "expired", "Expired"

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="reservations")
    query_id = models.UUIDField()
    amount_nano = models.BigIntegerField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.HELD)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["query_id", "budget"], name="budgets_one_hold_per_query"
            ),
            models.CheckConstraint(name="budgets_hold_is_positive", condition=Q(amount_nano__gt=0)),
        ]
        indexes = [models.Index(fields=["budget", "state"])]

    def __str__(self) -> str:
        return f"{self.amount_nano} nε {self.state}"


class AppendOnly(models.Model):
    """Rows that are booked once and never changed; a trigger refuses the rest."""

    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class Charge(AppendOnly):
    """What one query took from one budget, for good. Corrections are new rows."""

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="charges")
    query_id = models.UUIDField()
    amount_nano = models.BigIntegerField()

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


class LimitChange(AppendOnly):
    """A step in the history of a budget's limit; the first one opens it."""

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="limit_changes")
    before_nano = models.BigIntegerField()
    after_nano = models.BigIntegerField()
    reason = models.CharField(max_length=500)

    def __str__(self) -> str:
        return f"{self.before_nano} to {self.after_nano} nε"
