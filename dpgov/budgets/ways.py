"""Which limits a question of one person would meet on each of many datasets, in a few statements.

Reads the ledger only; for pages that list datasets. What binds in the end is decided when a
question is asked.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from dpgov.budgets.allocated import (
    AllocationNeeded,
    Allocations,
    OnParent,
    allocations_on,
    charged_on_parent,
)
from dpgov.budgets.charging import Limit, as_parent, as_seen_from, lifetime, limits_touched
from dpgov.budgets.models import Allocation, Budget, SharedBudgetMember
from dpgov.budgets.services.line import Line
from dpgov.budgets.together import Together, charged_together
from dpgov.budgets.words import DATASET
from dpgov.language.translation import translated
from dpgov.tenants.models import User

# Who is nobody in particular neither has one nor lost one.
_ANYBODYS = Allocations()


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which a question about all of a dataset may be charged, with every limit it meets.

    `allocation_id` is None without an allocation.
    """

    allocation_id: UUID | None
    limits: tuple[Limit, ...]


def ways_for(
    user: User | None, dataset_budgets: Collection[UUID], *, needing: Collection[UUID]
) -> dict[UUID, list[Way]]:
    """The ways on each of these budgets of datasets; none where an allocation is missing.

    A person's own one is charged unless they name another, else one of their projects'. `needing`
    are those that need an allocation, parents of derived ones too. Without a user: what
    anybody's question meets.
    """
    together = charged_together(dataset_budgets)
    parents = {parent for one in together.values() for parent in one.parents}
    granted = {} if user is None else _granted(user, {*dataset_budgets, *parents}, needing)
    every = {budget for one in together.values() for budget in one.everything}
    every |= {allocation.pk for each in granted.values() for allocation in each}
    found = limits_touched([Line(budget, 0, what="way") for budget in every])
    limits: dict[UUID, list[Limit]] = {}
    for limit in found:
        limits.setdefault(limit.budget_id or UUID(int=0), []).append(limit)
    return {
        budget: [
            _way(limits, allocations, together[budget])
            for allocations in _charged(together[budget], granted)
        ]
        for budget in dataset_budgets
    }


def _charged(
    together: Together, granted: Mapping[UUID, Allocations]
) -> Iterator[tuple[Allocation | None, ...]]:
    """The allocations of each way: that on the dataset first, then those on its parents."""
    found = granted.get(together.whole, _ANYBODYS)
    own: list[Allocation | None] = [*found]
    if not own and not found.is_missing:
        own = [None]
    for one in own:
        try:
            beside = [
                charged_on_parent(
                    granted.get(parent, _ANYBODYS), beside=one, parent=OnParent(parent)
                )
                for parent in together.parents
            ]
        except AllocationNeeded:
            continue
        yield (one, *beside)


def for_life(
    budgets: Iterable[Budget],
    derived: Collection[UUID] = (),
    joined: Iterable[SharedBudgetMember] | None = None,
) -> dict[UUID, list[Limit]]:
    """The limits of these budgets of datasets that never renew: their own, and a shared one.

    Of those among them that are `derived`, also those of their parents, and what these share. The
    counters of a divided budget are those of its fullest part. One statement, three with derived.
    `joined` is who shares what, of these at least, where it was read already.
    """
    # All are called the same, which is said once and not hundreds of times.
    words = translated(DATASET)
    found = {budget.pk: [lifetime(budget, words=words)] for budget in budgets}
    # A derived one shares what its parents do, which is read below.
    for member in members_now(found.keys() - set(derived)) if joined is None else joined:
        if member.dataset_budget_id in found:
            found[member.dataset_budget_id].append(lifetime(member.shared_budget))
    if derived:
        together = charged_together(derived)
        others = {pk for one in together.values() for pk in (*one.parents, *one.shared)}
        known = Budget.objects.in_bulk(others)
        for whole, one in together.items():
            found[whole] += [as_parent(lifetime(known[parent])) for parent in one.parents]
            found[whole] += [lifetime(known[shared]) for shared in one.shared]
    return found


def members_now(dataset_budgets: Collection[UUID]) -> QuerySet[SharedBudgetMember]:
    """Which of these budgets of datasets share, with what they share."""
    found = SharedBudgetMember.objects.filter(
        dataset_budget__in=dataset_budgets, left_at__isnull=True
    )
    return found.select_related("shared_budget")


def _way(
    limits: Mapping[UUID, list[Limit]],
    allocations: Sequence[Allocation | None],
    together: Together,
) -> Way:
    met = [*together.everything, *(one.pk for one in allocations if one is not None)]
    found = [as_seen_from(together.whole, limit) for budget in met for limit in limits[budget]]
    first = allocations[0]
    return Way(
        None if first is None else first.pk,
        tuple(sorted(found, key=lambda limit: (limit.fit_nano, limit.words))),
    )


def _granted(
    user: User, dataset_budgets: Collection[UUID], needing: Collection[UUID]
) -> dict[UUID, Allocations]:
    """The person's own allocation alone, else all those of their projects."""
    found = allocations_on(user, dataset_budgets, needing=needing)
    return {budget: _own_or_all(each) for budget, each in found.items()}


def _own_or_all(found: Allocations) -> Allocations:
    own = [one for one in found if one.user_id is not None]
    return Allocations(own, needed=found.needed, had_one=found.had_one) if own else found
