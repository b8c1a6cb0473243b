"""Budgets with their rates, read at once: what limits are made of, see `charging`.

Prepared, because every price asks one of them. A budget comes once for each of its rates, with
`rate_period` and so on, or once without any.
"""

from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.db.models.lookups import In

from dpgov.budgets.models import Budget, BudgetPart, DerivedBudget, SharedBudgetMember
from dpgov.operation.prepared import Prepared, among

OF_A_RATE = ("period", "limit_nano", "window_start", "taken_nano")


@Prepared
def budgets_of(budgets: tuple[UUID, ...]) -> QuerySet[Budget]:
    """These, which a question touches."""
    return _with_rates(Budget.objects.filter(among("pk", budgets)))


@Prepared
def budgets_within(dataset_budget_id: UUID, allocations: tuple[UUID, ...]) -> QuerySet[Budget]:
    """All that a question about everybody in a dataset could touch, and these allocations."""
    within = _within(dataset_budget_id, allocations)
    return _with_rates(Budget.objects.filter(_FoundFirst(F("pk"), within)))


class _FoundFirst(In):
    """One of these, which PostgreSQL finds before it joins anything.

    More tables than it puts in order by itself are joined here: of what is only one of them it
    reads every budget of the installation, with all that is joined.
    """

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        """As one value, which is no table."""
        own, own_values = self.process_lhs(compiler, connection)
        found, values = self.process_rhs(compiler, connection)
        return f"{own} = ANY(ARRAY{found})", (*own_values, *values)


def _within(dataset_budget_id: UUID, allocations: tuple[UUID, ...]) -> QuerySet[Any, Any]:
    """What `charged_together` has as everything, as a part of one statement: ids of budgets."""
    parents = DerivedBudget.objects.filter(budget=dataset_budget_id).order_by()
    of_parents = parents.values_list("parent")
    own = Budget.objects.filter(among("pk", (dataset_budget_id, *allocations))).order_by()
    found: list[QuerySet[Any, Any]] = [of_parents]
    for whose in (Q(dataset_budget=dataset_budget_id), Q(dataset_budget__in=of_parents)):
        joined = SharedBudgetMember.objects.filter(whose, left_at__isnull=True).order_by()
        found.append(joined.values_list("shared_budget"))
        found.append(BudgetPart.objects.filter(whose).order_by().values_list("budget"))
    within: QuerySet[Any, Any] = own.values_list("pk").union(*found, all=True)
    return within


def _with_rates(budgets: QuerySet[Budget]) -> QuerySet[Budget]:
    return budgets.select_related(
        "as_part__dataset_budget",
        "allocation__project",
        "allocation__user",
        "allocation__dataset_budget",
    ).annotate(**{f"rate_{name}": F(f"rate_limits__{name}") for name in OF_A_RATE})
