"""Changes to a registered dataset. None of them gives budget back."""

from collections.abc import Iterable

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.budgets.services import change_limit
from dpgov.budgets.words import limit_said
from dpgov.datasets.lineage import derived_of
from dpgov.datasets.models import Dataset
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.pausing import PausedDataset
from dpgov.datasets.services.turns import queue_up
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation import clock
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of


class LimitNotLowered(SpokenRefusal):
    """The new limit is not below the present one; raising a limit takes two persons."""

    def __init__(self, *, limit: str) -> None:
        super().__init__(said("The limit is {limit} now. Give a lower one.", limit=limit))


@transaction.atomic
def archive(*, dataset: Dataset, actor: Actor) -> None:
    """Take it out of use for good; what was spent is kept for whenever the data comes back.

    What was derived from it goes with it, each with an entry of its own. Raises PausedDataset, and
    Dataset.DoesNotExist when somebody else was first, or it is held: two persons decide about that.
    """
    present = _locked(dataset)
    if present.held_at is not None:
        raise Dataset.DoesNotExist
    if present.paused_at is not None:
        raise PausedDataset
    for derived in derived_of(present):
        archive_with_parent(derived=derived, actor=actor)
    _archive(present, actor)


def _locked(dataset: Dataset) -> Dataset:
    there = Dataset.objects.select_for_update(of=("self",)).filter(archived_at__isnull=True)
    return there.get(pk=dataset.pk)


def _archive(present: Dataset, actor: Actor) -> None:
    Dataset.objects.filter(pk=present.pk).update(archived_at=clock.now())
    record(present, actor, Action.DATASET_ARCHIVED, {"name": present.name})


def why_not_archive(
    dataset: Dataset, derived: Iterable[Dataset]
) -> tuple[Dataset, PausedDataset] | None:
    """Which of it and of what was derived from it is paused, and what `archive` says of that."""
    if dataset.paused_at is not None:
        return dataset, PausedDataset()
    paused = (one for one in derived if one.paused_at is not None)
    return next(((one, PausedDataset(one.name)) for one in paused), None)


@transaction.atomic
def archive_with_parent(*, derived: Dataset, actor: Actor) -> None:
    """What was derived goes where its parent does, held or not.

    Raises PausedDataset, which names it.
    """
    present = _locked(derived)
    if present.paused_at is not None:
        raise PausedDataset(present.name)
    _archive(present, actor)


def archive_dataset(*, dataset: Dataset, user: User) -> None:
    """The same by a person."""
    archive(dataset=dataset, actor=actor_of(user))


@transaction.atomic
def describe_dataset(*, dataset: Dataset, description: str, user: User) -> None:
    """Replace the description; declarations stay as registered."""
    before = Dataset.objects.select_for_update().get(pk=dataset.pk).description
    Dataset.objects.filter(pk=dataset.pk).update(description=description)
    fields = {"before_description": before[:500], "after_description": description[:500]}
    record(dataset, actor_of(user), Action.DATASET_DESCRIBED, fields)


@transaction.atomic
def rename_dataset(*, dataset: Dataset, name: str, user: User) -> None:
    """Give it another name. The address stays, and so does everything that was spent."""
    before = Dataset.objects.select_for_update().get(pk=dataset.pk).name
    Dataset.objects.filter(pk=dataset.pk).update(name=name)
    record(dataset, actor_of(user), Action.DATASET_RENAMED, {"before": before, "after": name})


@transaction.atomic
def set_needs_allocation(*, dataset: Dataset, needed: bool, user: User) -> None:
    """Let only people and projects with an allocation ask, or everybody who may ask questions."""
    before = Dataset.objects.select_for_update().get(pk=dataset.pk).needs_allocation
    Dataset.objects.filter(pk=dataset.pk).update(needs_allocation=needed)
    fields = {"before_needs_allocation": before, "after_needs_allocation": needed}
    record(dataset, actor_of(user), Action.ALLOCATION_RULE_CHANGED, fields)


@transaction.atomic
def lower_limit(*, dataset: Dataset, limit_nano: int, user: User, reason: str) -> None:
    """Lower the limit of the dataset's budget, shared or not, to this ε (at δ under zCDP).

    Raises LimitNotLowered, or the ledger's LimitBelowCommitted; then nothing has changed.
    """
    queue_up(dataset.tenant)
    budget = Dataset.objects.select_related("budget").get(pk=dataset.pk).budget
    if limit_nano >= budget.limit_epsilon_nano:
        raise LimitNotLowered(limit=limit_said(budget))
    change_limit(budget=budget, limit_nano=limit_nano, actor=actor_of(user), reason=reason)
