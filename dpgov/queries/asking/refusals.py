"""Counting refused questions, by person, dataset, day and reason, for the officer's month.

Must never hold anything of a question but its price, never more rows than reasons in a day, and
never stand in the way of the refusal itself.
"""

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from dpgov.budgets.allocated import AllocationNeeded
from dpgov.budgets.errors import InsufficientBudget, NotAdmitted
from dpgov.datasets.models import Dataset
from dpgov.operation.clock import database_now
from dpgov.operation.tallies import count_budget_refusal
from dpgov.queries.models import Refusal
from dpgov.tenants.models import Membership

Reason = Refusal.Reason


def reason_of(refusal: Exception) -> Refusal.Reason:
    """Why it was refused; a refusal of `queries` may say so itself, as `reason`."""
    if isinstance(refusal, InsufficientBudget):
        return Reason.BUDGET
    if isinstance(refusal, NotAdmitted):
        return Reason(getattr(refusal, "reason", Reason.STOPPED))
    if isinstance(refusal, AllocationNeeded):
        return Reason.ALLOCATION
    return Reason(getattr(refusal, "reason", Reason.QUESTION))


@transaction.atomic
def count_refusal(*, membership: Membership, dataset: Dataset, refusal: Exception) -> None:
    """One more refused question of this person today, and in the metrics; no entry in the log."""
    reason = reason_of(refusal)
    if isinstance(refusal, NotAdmitted) and reason != Reason.POLICY:
        count_budget_refusal()
    nano = int(getattr(refusal, "requested_nano", 0))
    row, _ = Refusal.objects.get_or_create(
        tenant_id=dataset.tenant_id,
        dataset_id=dataset.pk,
        analyst_id=membership.user_id,
        day=database_now().date(),
        reason=reason,
    )
    Refusal.objects.filter(pk=row.pk).update(
        number=F("number") + 1, largest_nano=Greatest(F("largest_nano"), nano)
    )
