"""Questions that a person keeps under a name: their own notes, seen by nobody else.

Saving spends nothing and shows nothing, so that the audit log says nothing of it. A removed
question can be put back.
"""

from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from dpgov.datasets.audience import seen
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import present
from dpgov.operation import clock
from dpgov.queries.models import SavedQuestion
from dpgov.tenants.models import Membership

MOST_SAVED = 200
LONGEST_NAME = 80


class SavedNameTaken(ValueError):
    """One name stands for one question on a dataset."""

    def __init__(self, name: str) -> None:
        refusal = _("You have a question called “{name}” already. Choose another name.")
        super().__init__(refusal.format(name=name))


class TooManySaved(ValueError):
    """A list that nobody reads to its end helps nobody."""

    def __init__(self) -> None:
        refusal = _("You have saved {number} questions. Remove one first.")
        super().__init__(refusal.format(number=MOST_SAVED))


def saved_questions(membership: Membership) -> QuerySet[SavedQuestion]:
    """This person's own in this organisation, newest first; of datasets that can be asked."""
    return (
        _own(membership)
        .filter(present("dataset__"), seen(membership, "dataset__"), removed_at__isnull=True)
        .select_related("dataset__budget")
        .order_by("-saved_at", "-id")
    )


def get_saved(membership: Membership, saved_id: UUID) -> SavedQuestion:
    """One of this person's own, removed or not; SavedQuestion.DoesNotExist for all others.

    Among them are those about a dataset that this person does not see any more.
    """
    mine = _own(membership).filter(seen(membership, "dataset__"))
    return mine.select_related("dataset").get(pk=saved_id)


@transaction.atomic
def save_question(
    *, membership: Membership, dataset: Dataset, name: str, plan: dict[str, Any]
) -> SavedQuestion:
    """Keep a plan under a name of 1 to LONGEST_NAME characters.

    Raises SavedNameTaken and TooManySaved.
    """
    if saved_questions(membership).count() >= MOST_SAVED:
        raise TooManySaved
    try:
        with transaction.atomic():
            return SavedQuestion.objects.create(
                tenant_id=membership.tenant_id,
                analyst_id=membership.user_id,
                dataset=dataset,
                name=name,
                plan=plan,
            )
    except IntegrityError as taken:
        raise SavedNameTaken(name) from taken


def remove_saved(*, membership: Membership, saved_id: UUID) -> None:
    """Hide it; twice is once. Raises SavedQuestion.DoesNotExist."""
    saved = get_saved(membership, saved_id)
    SavedQuestion.objects.filter(pk=saved.pk, removed_at__isnull=True).update(
        removed_at=clock.now()
    )


def put_back(*, membership: Membership, saved_id: UUID) -> None:
    """Undo the removal; raises SavedNameTaken where its name has been given anew since."""
    saved = get_saved(membership, saved_id)
    try:
        with transaction.atomic():
            SavedQuestion.objects.filter(pk=saved.pk).update(removed_at=None)
    except IntegrityError as taken:
        raise SavedNameTaken(saved.name) from taken


def _own(membership: Membership) -> QuerySet[SavedQuestion]:
    return SavedQuestion.objects.filter(
        tenant_id=membership.tenant_id, analyst_id=membership.user_id
    )
