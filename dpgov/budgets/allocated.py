"""Which allocation of a person a question is charged to: on the dataset, and on its parents.

A derived dataset takes of both parents' budgets, so that what its analyst takes counts on their
allocations there as if they had asked the parents: on their own, else on that of the project whose
allocation on the derived dataset is charged, else on the only one of their projects.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from dpgov.budgets.models import Allocation, LimitChange
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal
from dpgov.operation.prepared import Prepared, among
from dpgov.tenants.models import Membership, ProjectMember, Role, User
from dpgov.tenants.roles import having_since


@dataclass(frozen=True, slots=True)
class OnParent:
    """The budget of a dataset that another one was derived from, and what that dataset is called.

    Whoever sees a derived dataset sees its parents, and may be told their names.
    """

    budget_id: UUID
    name: str = ""


class AllocationNeeded(SpokenRefusal):
    """The dataset may be asked only under an allocation, and this person has none.

    Of a derived dataset it may be a parent's that is missing: that is named, and is where to ask.
    """

    _words = said(
        "Questions about this dataset need an allocation. Ask its owner to grant you one."
    )

    def __init__(self, parent: OnParent | None = None) -> None:
        self.parent = parent
        super().__init__(self._words if parent is None else self._on(parent.name))

    def _on(self, name: str) -> str:
        return said(
            "Questions about this dataset need an allocation of “{name}”, which it was derived "
            "from. Ask the owner of “{name}” to grant you one.",
            name=name,
        )


class AllocationGone(AllocationNeeded):
    """The one that this person had was withdrawn, its project has ended, or they left it."""

    _words = said(
        "Your allocation of this dataset was withdrawn, its project has ended, or you do not work "
        "on it any more. Ask its owner to grant you one."
    )

    def _on(self, name: str) -> str:
        return said(
            "Your allocation of “{name}”, which this dataset was derived from, was withdrawn, its "
            "project has ended, or you do not work on it any more. Ask the owner of “{name}” to "
            "grant you one.",
            name=name,
        )


class AllocationUnknown(AllocationNeeded):
    """Named was one that is not theirs (any more), while another one can be charged."""

    _words = said("That allocation has ended or was never yours. Choose another one.")


class SeveralOnAParent(AllocationNeeded):
    """Several projects could be charged on a parent, and nothing here says which."""

    def __init__(self, names: Sequence[str], parent: OnParent) -> None:
        self.parent = parent
        SpokenRefusal.__init__(
            self,
            said(
                "On “{name}”, which this dataset was derived from, the question could be charged "
                "to several of your projects: {names}. Ask for an allocation of your own there, or "
                "of one of these projects here.",
                name=parent.name,
                names=", ".join(names),
            ),
        )


class ChooseAllocation(SpokenRefusal):
    """The person may charge several allocations and has to say which."""

    parent: OnParent | None = None

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        super().__init__(said("Choose what to charge: {names}.", names=", ".join(names)))


class Allocations(list[Allocation]):
    """What a person may charge on a dataset's budget: their own, then their projects'.

    `needed`: the dataset is asked under one only. `had_one`: one was withdrawn from them, or from a
    project of theirs, or that has ended, or they work there no longer. Whoever ends an allocation,
    or somebody's part in it, ends what is asked under it, and would lift its limit if the rest of
    the budget were open then; so another one is needed.
    """

    def __init__(
        self, found: Iterable[Allocation] = (), *, needed: bool = False, had_one: bool = False
    ) -> None:
        super().__init__(found)
        self.needed, self.had_one = needed, had_one

    @property
    def is_missing(self) -> bool:
        """Whether nothing may be asked, because there is none to charge."""
        return not self and (self.needed or self.had_one)


def allocations_of(user: User, dataset_budget_id: UUID, *, needed: bool) -> Allocations:
    """What this person may charge on the budget of a dataset that needs an allocation, or does not.

    One statement.
    """
    needing = [dataset_budget_id] if needed else []
    return allocations_on(user, [dataset_budget_id], needing=needing)[dataset_budget_id]


def allocations_on(
    user: User, dataset_budgets: Collection[UUID], *, needing: Collection[UUID]
) -> dict[UUID, Allocations]:
    """The same on each of these budgets of datasets, of which some are `needing` one."""
    found = _held(user, dataset_budgets, needing)
    return {
        budget: _usable(
            [one for one in found if one.allocation.dataset_budget_id == budget], budget in needing
        )
        for budget in dataset_budgets
    }


@dataclass(frozen=True, slots=True)
class _Held:
    """An allocation of theirs or of a project in which they have, or had, a place."""

    allocation: Allocation
    has_place: bool

    @property
    def has_ended(self) -> bool:
        """Whether nothing is charged to it any more, at least not by them."""
        project = self.allocation.project
        over = project is not None and (project.ended_at is not None or not self.has_place)
        return over or self.allocation.budget.closed_at is not None


def _held(user: User, dataset_budgets: Collection[UUID], needing: Collection[UUID]) -> list[_Held]:
    """Every one of theirs and of their projects, also what has ended, but for those outlived."""
    rows: Iterable[Any] = _theirs(user.pk, tuple(dataset_budgets), tuple(needing))
    return [_Held(one, has_place=one.has_place) for one in rows]


@Prepared
def _theirs(
    user_id: UUID, dataset_budgets: tuple[UUID, ...], needing: tuple[UUID, ...]
) -> QuerySet[Allocation]:
    places = ProjectMember.objects.filter(user=user_id, project=OuterRef("project"))
    found = Allocation.objects.filter(among("dataset_budget", dataset_budgets)).annotate(
        granted_at=_decided("pk"), has_place=Exists(places.present())
    )
    # Who left before their project was granted anything had no part in it.
    had_part = Exists(places.filter(ended_at__gte=OuterRef("granted_at")))
    found = found.filter(Q(user=user_id) | Q(has_place=True) | Q(had_part))
    if needing:
        own = Q(user=user_id) & among("dataset_budget", needing)
        since = Exists(_analyst_since(user_id, OuterRef("decided_at")))
        found = found.annotate(decided_at=_decided("-pk")).filter(~own | Q(since))
    return found.select_related("budget", "project", "user")


def _decided(order: str) -> Subquery:
    """When an owner first said how much, or last."""
    steps = LimitChange.objects.filter(budget=OuterRef("pk")).order_by(order)
    return Subquery(steps.values("created_at")[:1])


def _analyst_since(user_id: UUID, moment: OuterRef) -> QuerySet[Membership]:
    """The membership of a user who has been an analyst ever since an owner decided an allocation.

    Who left and was brought back by an administrator alone asks under none that an owner granted
    before, where an allocation is what lets them ask. Elsewhere it still limits their account: a
    new one for whoever belongs to no other organisation (docs/limits.md).
    """
    return Membership.objects.filter(
        having_since(Role.ANALYST, moment), tenant=OuterRef("tenant"), user=user_id
    )


def _usable(held: Sequence[_Held], needed: bool) -> Allocations:
    going_on = [one.allocation for one in held if not one.has_ended]
    going_on.sort(key=lambda one: (one.project_id is not None, str(one)))
    return Allocations(going_on, needed=needed, had_one=len(going_on) < len(held))


def names_of_allocations(allocations: Iterable[Allocation]) -> list[tuple[str, str]]:
    """Ids and names of what somebody may charge, for themselves to choose from."""
    return [(str(one.pk), _in_words(one)) for one in allocations]


def _in_words(allocation: Allocation) -> str:
    if allocation.project is None:
        return _("Your own allocation")
    return _("{name} (project)").format(name=allocation)


def choose_allocation(allocations: Allocations, *, wanted: UUID | None) -> Allocation | None:
    """The allocation to charge: the wanted one, the person's own, or the only project's.

    None where the dataset asks for none and nobody ever granted one. Raises AllocationNeeded,
    AllocationGone and AllocationUnknown among them, and ChooseAllocation.
    """
    if wanted is not None:
        for allocation in allocations:
            if allocation.pk == wanted:
                return allocation
        if not allocations.is_missing:
            raise AllocationUnknown
    if allocations.is_missing:
        raise AllocationGone if allocations.had_one else AllocationNeeded
    if not allocations:
        return None
    if len(allocations) > 1 and allocations[0].user_id is None:
        raise ChooseAllocation([str(allocation) for allocation in allocations])
    return allocations[0]


def charged_on_parent(
    found: Allocations, *, beside: Allocation | None, parent: OnParent
) -> Allocation | None:
    """Which of these, which somebody may charge on a parent, a question on the derived one takes.

    `beside` is what is charged on the derived one itself. None where the parent asks for none and
    nobody ever granted one. Raises AllocationNeeded, SeveralOnAParent among them, of this parent.
    """
    if beside is not None and beside.project_id is not None:
        same = [one for one in found if one.project_id == beside.project_id]
        if same and not any(one.user_id for one in found):
            return same[0]
    try:
        return choose_allocation(found, wanted=None)
    except ChooseAllocation as several:
        raise SeveralOnAParent(several.names, parent) from None
    except AllocationNeeded as needed:
        raise type(needed)(parent) from None
