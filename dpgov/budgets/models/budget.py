"""A limit, what has been taken from it, who may take from it and how fast."""

import uuid
from decimal import Decimal
from functools import lru_cache

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from dpgov.operation.clock import Stamp
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.tenants.models import Tenant


@lru_cache(maxsize=64)
def _currency(mode: str, delta: str) -> Currency:
    """A value of two texts: pages of many budgets ask for it thousands of times."""
    return Currency(Mode(mode), Decimal(delta) if delta else None)


class Budget(models.Model):
    """A limit and what has been taken from it: reserved + spent never passes limit.

    `kind` says whose limit it is: the dataset's own, or another one that the same query touches.
    A dataset's budget with parts is never charged itself: its counters are those of its
    largest part. Once `undivided_at` is set every question is charged to each of its parts, for
    good, as a unit may lie in several parts. `counted_on` is the latest local day on which anything
    was counted here: a trigger sees to it that it never goes back, whatever a clock does, and the
    windows of the rates are those of that day. A frozen budget admits nothing until an officer
    confirms it; a closed one never.

    Every amount of a budget, and of its entries, is in its own currency: nano-ε when pure, nano-ρ
    under zCDP, where `target_nano` is the ε at `delta` that the limit keeps. Neither mode nor δ
    ever changes; a trigger sees to it. `protects` is what one unit of loss is about
    (`words.promise_of`): what is charged together has the same.
    """

    class Kind(models.TextChoices):
        DATASET = "dataset", _("Dataset")
        ALLOCATION = "allocation", _("Allocation")
        PARTITION = "partition", _("Part of a budget")
        SHARED_BUDGET = "shared_budget", _("Shared budget")
        SURVEY = "survey", _("Survey")

    class Mode(models.TextChoices):
        PURE = Mode.PURE.value, _("Pure ε")
        ZCDP = Mode.ZCDP.value, _("(ε, δ) through zCDP")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="budgets")
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.DATASET)
    label = models.CharField(max_length=200)
    mode = models.CharField(max_length=8, choices=Mode.choices, default=Mode.PURE)
    delta = models.CharField(max_length=50, blank=True, default="")
    target_nano = models.BigIntegerField(null=True, blank=True)
    protects = models.CharField(max_length=100, blank=True, default="")
    limit_nano = models.BigIntegerField()
    reserved_nano = models.BigIntegerField(default=0)
    spent_nano = models.BigIntegerField(default=0)
    created_at = Stamp(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, blank=True)
    frozen_reason = models.JSONField(default=dict, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    undivided_at = models.DateTimeField(null=True, blank=True)
    counted_on = models.DateField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="budgets_never_overspent",
                condition=Q(reserved_nano__gte=0)
                & Q(spent_nano__gte=0)
                & Q(limit_nano__gte=F("reserved_nano") + F("spent_nano")),
            ),
            models.CheckConstraint(
                name="budgets_one_currency",
                condition=Q(mode="pure", delta="", target_nano__isnull=True)
                | Q(mode="zcdp", target_nano__isnull=False, target_nano__gt=0) & ~Q(delta=""),
            ),
            models.UniqueConstraint(
                fields=["tenant", "label"],
                condition=Q(kind="shared_budget", closed_at__isnull=True),
                name="budgets_shared_budget_name",
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def currency(self) -> Currency:
        """What its amounts are counted in."""
        return _currency(self.mode, self.delta)

    @property
    def limit_epsilon_nano(self) -> int:
        """The limit as its owner set it: ε, at δ under zCDP."""
        return self.limit_nano if self.target_nano is None else self.target_nano

    @property
    def committed_nano(self) -> int:
        """What is spent or reserved."""
        return self.reserved_nano + self.spent_nano

    @property
    def remaining_nano(self) -> int:
        """What may still be reserved; never negative."""
        return self.limit_nano - self.committed_nano


class BudgetAccess(models.Model):
    """Whose queries may charge a budget: the own tenant's, and of those who came to share it.

    Ledger entries refer to this row, so that nobody can book on a budget that is not theirs.
    """

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="access")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    created_at = Stamp(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["budget", "tenant"], name="budgets_one_access"),
        ]

    def __str__(self) -> str:
        return f"{self.tenant_id} may charge {self.budget_id}"


class RateLimit(models.Model):
    """A limit for each calendar day, week or month, under the budget's lifetime limit.

    `taken_nano` counts what was reserved in the window that began on `window_start`, less what
    was given back. A new window starts from zero and gives nothing back to the budget. Windows are
    those of the budget's `counted_on`, and so none comes a second time.
    """

    class Period(models.TextChoices):
        DAY = "day", _("a day")
        WEEK = "week", _("a week")
        MONTH = "month", _("a month")

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="rate_limits")
    period = models.CharField(max_length=8, choices=Period.choices)
    limit_nano = models.BigIntegerField()
    window_start = models.DateField()
    taken_nano = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["budget", "period"], name="budgets_one_rate"),
            models.CheckConstraint(
                name="budgets_rate_counts", condition=Q(taken_nano__gte=0) & Q(limit_nano__gt=0)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.limit_nano} nε {self.get_period_display()}"
