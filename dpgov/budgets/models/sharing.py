"""Which further budgets a query on a dataset's budget touches."""

import uuid

from django.db import models
from django.db.models import Q

from dpgov.budgets.models.budget import Budget
from dpgov.operation.clock import Stamp
from dpgov.tenants.models import Project, Tenant, User


class BudgetPart(models.Model):
    """One part of a dataset's partition column; charged instead of the dataset."""

    budget = models.OneToOneField(
        Budget, on_delete=models.PROTECT, primary_key=True, related_name="as_part"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset_budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="parts")
    position = models.PositiveIntegerField()
    part = models.CharField(max_length=200)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["dataset_budget", "part"], name="budgets_one_part"),
        ]

    def __str__(self) -> str:
        return self.part


class DerivedBudget(models.Model):
    """A budget of a dataset that was derived from another dataset, and that one's budget.

    Every question charged to `budget` is charged to `parent` as well, or to all parts of it, and to
    what that shares: the ledger asks for it. Never changed, and never taken back.
    """

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="parents")
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    parent = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="derived")
    created_at = Stamp(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["budget", "parent"], name="budgets_one_parent"),
            models.CheckConstraint(
                name="budgets_parent_is_another", condition=~Q(budget=models.F("parent"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.budget_id} of {self.parent_id}"


class Allocation(models.Model):
    """What one person or one project may take from a dataset's budget; allocations may overlap."""

    budget = models.OneToOneField(
        Budget, on_delete=models.PROTECT, primary_key=True, related_name="allocation"
    )
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    dataset_budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="allocations")
    user = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="allocations")
    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, null=True, related_name="allocations"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="budgets_allocation_has_one_holder",
                condition=Q(user__isnull=False, project__isnull=True)
                | Q(user__isnull=True, project__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["dataset_budget", "user"],
                condition=Q(user__isnull=False),
                name="budgets_one_allocation_per_user",
            ),
            models.UniqueConstraint(
                fields=["dataset_budget", "project"],
                condition=Q(project__isnull=False),
                name="budgets_one_allocation_per_project",
            ),
        ]

    def __str__(self) -> str:
        return str(self.user or self.project)


class SharedBudgetMember(models.Model):
    """A dataset's budget that takes part in a shared budget; in one at a time.

    `tenant` is the dataset's; the shared budget may be another tenant's that agreed to share it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    shared_budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="members")
    dataset_budget = models.ForeignKey(
        Budget, on_delete=models.PROTECT, related_name="shared_budgets"
    )
    joined_at = Stamp(auto_now_add=True)
    left_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset_budget"],
                condition=Q(left_at__isnull=True),
                name="budgets_one_shared_budget",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dataset_budget_id} in {self.shared_budget_id}"


class SharedBudgetInvitation(models.Model):
    """An invitation of another tenant to share; whoever holds the code may accept it, once.

    Only a hash of the code is stored. `tenant` is the shared budget's own; `accepted_by` the one
    that entered the code, whose two persons then decide.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+")
    shared_budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="invitations")
    code_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(Tenant, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = Stamp(auto_now_add=True)

    def __str__(self) -> str:
        return f"invitation to {self.shared_budget_id}"
