"""What budgets are used for: the purposes that allocations were granted for.

A question carries no purpose of its own; the allocation that it was charged to does: what the
request for it was for, or what its owner said when it was granted first. For owners and officers,
who may see every allocation.
"""

from typing import Any
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy

from dpgov.budgets.models import Allocation, LimitChange, Reservation
from dpgov.queries.models import BudgetRequest, Query

# In an address; the reasons that people type are longer.
UNSTATED = "-"
_NEWEST = 300
NONE_STATED = gettext_lazy("No stated purpose")


def purpose() -> Coalesce:
    """The purpose of an allocation, for an annotation."""
    asked = BudgetRequest.objects.filter(
        dataset__budget=OuterRef("dataset_budget"),
        asked_by=OuterRef("user"),
        about=BudgetRequest.About.ALLOCATION,
        state=BudgetRequest.State.GRANTED,
    ).order_by("answered_at")
    granted = LimitChange.objects.filter(budget=OuterRef("budget")).order_by("id")
    return Coalesce(Subquery(asked.values("reason")[:1]), Subquery(granted.values("reason")[:1]))


def purposes_of(tenant_id: UUID) -> list[str]:
    """What allocations that were lately granted or changed are for, in order. One statement.

    An organisation may have granted thousands, each for another reason: older ones are found from
    the budget that they are of.
    """
    steps = LimitChange.objects.filter(tenant=tenant_id, budget__allocation__isnull=False)
    newest = steps.order_by("-id").values("budget")[:_NEWEST]
    granted = Allocation.objects.filter(tenant=tenant_id, pk__in=newest).order_by()
    found = granted.annotate(purpose=purpose()).values_list("purpose", flat=True)
    return sorted(set(found), key=str.casefold)


def charged_for(queries: QuerySet[Query], tenant_id: UUID, wanted: str) -> QuerySet[Query]:
    """Those questions that were charged to an allocation of this purpose, or to none at all."""
    granted = Allocation.objects.filter(tenant=tenant_id).order_by()
    if wanted != UNSTATED:
        granted = granted.annotate(purpose=purpose()).filter(purpose=wanted)
    held: Any = Reservation.objects.filter(budget__in=granted.values("budget")).order_by()
    under = held.values("query_id")
    return queries.exclude(pk__in=under) if wanted == UNSTATED else queries.filter(pk__in=under)
