"""Questions that an owner approved beforehand, for every analyst, with their price and quota."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from dpgov.datasets.models import Dataset
from dpgov.operation.clock import Stamp
from dpgov.privacy.accounting.loss import Currency
from dpgov.tenants.models import Tenant, User


class ReadyMade(models.Model):
    """A plan with named parameters in it, published by an owner. Never changed, only withdrawn.

    `plan` is a plan's JSON in which a value may be {"parameter": name}; `parameters` say what may
    stand there, in the form of `privacy.plan.parameters`. `per_analyst` and `altogether` are how
    often it may be asked, by each person and by all; None: as often as the budget admits.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=80)
    purpose = models.CharField(max_length=300)
    plan = models.JSONField()
    parameters = models.JSONField(default=list)
    cost_nano = models.BigIntegerField()
    per_analyst = models.PositiveIntegerField(null=True)
    altogether = models.PositiveIntegerField(null=True)
    published_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    published_at = Stamp(auto_now_add=True)
    withdrawn_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["dataset", "name"],
                condition=Q(withdrawn_at__isnull=True),
                name="queries_one_ready_made_by_a_name",
            ),
            models.CheckConstraint(
                name="queries_ready_made_has_a_price", condition=Q(cost_nano__gt=0)
            ),
            models.CheckConstraint(
                name="queries_ready_made_quota_is_positive",
                condition=(Q(per_analyst__isnull=True) | Q(per_analyst__gt=0))
                & (Q(altogether__isnull=True) | Q(altogether__gt=0)),
            ),
            models.CheckConstraint(
                name="queries_ready_made_withdrawn_by_somebody",
                condition=Q(withdrawn_at__isnull=True, withdrawn_by__isnull=True)
                | Q(withdrawn_at__isnull=False, withdrawn_by__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def currency(self) -> Currency:
        """What its price is counted in: that of its dataset's budget."""
        return self.dataset.budget.currency
