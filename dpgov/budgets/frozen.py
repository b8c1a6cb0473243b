"""Reads about budgets that are frozen after a restore."""

from uuid import UUID

from django.db.models import QuerySet

from dpgov.budgets.models import Budget


def frozen_budgets(tenant_id: UUID) -> QuerySet[Budget]:
    """The tenant's frozen datasets and shared budgets, by name."""
    return Budget.objects.filter(tenant_id=tenant_id, frozen_at__isnull=False).order_by(
        "label", "id"
    )


def get_budget(tenant_id: UUID, budget_id: UUID) -> Budget:
    """A dataset's budget or a shared one, of the tenant's own; raises Budget.DoesNotExist."""
    kinds = (Budget.Kind.DATASET, Budget.Kind.SHARED_BUDGET)
    return Budget.objects.get(pk=budget_id, tenant_id=tenant_id, kind__in=kinds)
