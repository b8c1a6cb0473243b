"""A derived dataset and its two parents: whatever closes, narrows or hides a parent does so there.

A dataset that is not derived has no parents, and finding that out takes no statement.
"""

from collections.abc import Collection, Iterable
from uuid import UUID

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, prefetch_related_objects

from dpgov.budgets.allocated import Allocations, OnParent, allocations_of, charged_on_parent
from dpgov.budgets.meaning import Protected
from dpgov.budgets.models import Allocation, SharedBudgetMember
from dpgov.datasets.models import Dataset, DerivedFrom
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.tenants.models import User

_KEPT = "origins_kept"


def origins_of(dataset: Dataset) -> tuple[DerivedFrom, ...]:
    """Its parents in their order, each with its budget and policy; none where it is not derived."""
    if not dataset.is_derived:
        return ()
    kept: list[DerivedFrom] | None = getattr(dataset, _KEPT, None)
    return tuple(_whole().filter(dataset=dataset.pk) if kept is None else kept)


def read_parents(datasets: Iterable[Dataset]) -> None:
    """Keep with each what `origins_of` gives, for a page, which asks for it at many places.

    One statement for all of them; none where none is derived, or where they were read before.
    What decides reads its own dataset: what a page has kept may be old.
    """
    derived = [one for one in datasets if one.is_derived]
    prefetch_related_objects(derived, Prefetch("derived_from", _whole(), to_attr=_KEPT))


def _whole() -> QuerySet[DerivedFrom]:
    return DerivedFrom.objects.select_related("parent__budget", "parent__policy", "version")


def governing(dataset: Dataset) -> tuple[Dataset, ...]:
    """The dataset and its parents: those whose rules a question about it keeps."""
    return (dataset, *(one.parent for one in origins_of(dataset)))


def paused_by(dataset: Dataset) -> Dataset | None:
    """The dataset, or else the first parent, whose owners paused all questions; for pages."""
    read_parents([dataset])
    return next((one for one in governing(dataset) if one.paused_at is not None), None)


def is_frozen(dataset: Dataset) -> bool:
    """Whether, after a restore, an officer has yet to confirm its balance or a parent's; for pages.

    Of budgets that were read with the datasets; what decides asks the database (`lease.is_frozen`).
    """
    read_parents([dataset])
    return any(one.budget.frozen_at is not None for one in governing(dataset))


def derived_of(dataset: Dataset) -> list[Dataset]:
    """What was derived from it and is not archived, by name."""
    there = Dataset.objects.filter(derived_from__parent=dataset.pk, archived_at__isnull=True)
    return list(there.order_by("name", "slug"))


def paid_by(budget_id: UUID) -> Q:
    """Datasets whose questions this budget of a dataset pays for: all that have it, and those that
    were derived from one of them. May find one twice.
    """
    return Q(budget=budget_id) | Q(derived_from__parent__budget=budget_id)


def protected_by(budget_id: UUID) -> Protected:
    """What a budget, of a dataset or shared by some, promises about somebody in its data.

    Of several datasets the least; a budget of none is of people who may join.
    """
    sharing = SharedBudgetMember.objects.filter(shared_budget=budget_id, left_at__isnull=True)
    its = Dataset.objects.filter(
        Q(budget=budget_id) | Q(budget__in=sharing.values("dataset_budget"))
    )
    found = set(its.values_list("private_id", "neighbouring"))
    if not found:
        return Protected()
    relations = {Neighbouring(relation) for _, relation in found}
    return Protected(
        is_of_rows={name for name, _ in found} == {""},
        presence=relations == {Neighbouring.ADD_REMOVE},
        by_presence=Neighbouring.ADD_REMOVE in relations,
    )


def with_its_budget(dataset: Dataset) -> QuerySet[Dataset]:
    """The other datasets whose questions its budget pays for, by name: derived ones, and those
    that have the same budget. On behalf of who governs.
    """
    there = Dataset.objects.filter(
        paid_by(dataset.budget_id),
        tenant=dataset.tenant_id,
        archived_at__isnull=True,
        held_at__isnull=True,
    )
    return there.exclude(pk=dataset.pk).distinct().order_by("name", "slug")


def without_parent(dataset: str, **standing: object) -> Q:
    """Which datasets have no parent that stands so, by the path to them: with a condition on it."""
    such = {f"parent__{name}": value for name, value in standing.items()}
    found = DerivedFrom.objects.filter(dataset=OuterRef(f"{dataset}pk"), **such)
    return Q(**{f"{dataset}is_derived": False}) | ~Q(Exists(found))


def needs_allocation(dataset: Dataset) -> bool:
    """Whether nobody asks about it without an allocation, of its own or of a parent; for pages."""
    read_parents([dataset])
    return any(one.needs_allocation for one in governing(dataset))


def needing_allocations(datasets: Collection[Dataset]) -> set[UUID]:
    """The budgets of these datasets, and of their parents, that nobody asks without an allocation.

    One statement more where one of them is derived.
    """
    needing = {one.budget_id for one in datasets if one.needs_allocation}
    derived = [one.pk for one in datasets if one.is_derived]
    if derived:
        of_parents = Dataset.objects.filter(derived__dataset__in=derived, needs_allocation=True)
        needing |= set(of_parents.values_list("budget_id", flat=True))
    return needing


def allocations_for(user: User, dataset: Dataset) -> Allocations:
    """What this person may charge a question about this dataset to; one statement."""
    return allocations_of(user, dataset.budget_id, needed=dataset.needs_allocation)


def allocations_on_parents(
    dataset: Dataset, user: User, beside: Allocation | None
) -> list[Allocation]:
    """This person's allocations on the budgets of its parents that a question is charged to.

    `beside` is what is charged on its own budget. Raises AllocationNeeded.
    """
    found = (
        charged_on_parent(
            allocations_for(user, parent),
            beside=beside,
            parent=OnParent(parent.budget_id, parent.name),
        )
        for parent in (origin.parent for origin in origins_of(dataset))
    )
    return [one for one in found if one is not None]
