"""Which allocation of a person a question is charged to: on the dataset, and on its parents.

A derived dataset takes of both parents' budgets, so that what its analyst takes counts on their
allocations there as if they had asked the parents: on their own, else on that of the project whose
allocation on the derived dataset is charged, else on the only one of their projects.
"""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _

from dpgov.budgets.models import Allocation
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.tenants.models import User

Allocations = Sequence[Allocation]


class AllocationNeeded(SpokenRefusal):
    """The dataset may be asked only under an allocation, and this person has none."""

    def __init__(self) -> None:
        super().__init__(
            said("Questions about this dataset need an allocation. Ask its owner to grant you one.")
        )


class ChooseAllocation(SpokenRefusal):
    """The person may charge several allocations and has to say which."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        super().__init__(said("Choose what to charge: {names}.", names=", ".join(names)))


def allocations_of(user: User, dataset_budget_id: UUID) -> list[Allocation]:
    """What this person may charge on a dataset's budget: their own, then their projects'."""
    mine = Q(user=user) | Q(project__members__user=user, project__ended_at__isnull=True)
    found = Allocation.objects.filter(
        mine, dataset_budget=dataset_budget_id, budget__closed_at__isnull=True
    )
    return sorted(
        found.select_related("budget", "project", "user").distinct(),
        key=lambda one: (one.project_id is not None, str(one)),
    )


def named_allocations(user: User, dataset_budget_id: UUID) -> list[tuple[str, str]]:
    """The ids of the same, and what to call them before the person who may charge them."""
    return names_of_allocations(allocations_of(user, dataset_budget_id))


def names_of_allocations(allocations: Iterable[Allocation]) -> list[tuple[str, str]]:
    """Ids and names of what somebody may charge, for themselves to choose from."""
    return [(str(one.pk), _in_words(one)) for one in allocations]


def _in_words(allocation: Allocation) -> str:
    if allocation.project is None:
        return _("Your own allocation")
    return _("{name} (project)").format(name=allocation)


def choose_allocation(
    allocations: Sequence[Allocation], *, wanted: UUID | None, needed: bool
) -> Allocation | None:
    """The allocation to charge: the wanted one, the person's own, or the only project's.

    None where the dataset asks for none and nobody granted one. Raises AllocationNeeded and
    ChooseAllocation.
    """
    if wanted is not None:
        for allocation in allocations:
            if allocation.pk == wanted:
                return allocation
        raise AllocationNeeded
    if not allocations:
        if needed:
            raise AllocationNeeded
        return None
    if len(allocations) > 1 and allocations[0].user_id is None:
        raise ChooseAllocation([str(allocation) for allocation in allocations])
    return allocations[0]


def charged_on_parent(
    found: Sequence[Allocation], *, beside: Allocation | None, needed: bool
) -> Allocation | None:
    """Which of these, which somebody may charge on a parent, a question on the derived one takes.

    `beside` is what is charged on the derived one itself. None where the parent asks for none and
    nobody granted one. Raises AllocationNeeded and ChooseAllocation.
    """
    if beside is not None and beside.project_id is not None:
        same = [one for one in found if one.project_id == beside.project_id]
        if same and not any(one.user_id for one in found):
            return same[0]
    return choose_allocation(found, wanted=None, needed=needed)
