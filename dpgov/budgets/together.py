"""Which budgets everybody's question on a dataset is charged to, together.

Its own budget or the parts of it, the shared budget that it is in, and, where its rows were put
together out of two others', the budgets of both parents: all their parts, and what these share.
This stands here and, for whoever forgets it, in the steps of the ledger ("moved").
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, QuerySet, Value
from django.db.models.expressions import RawSQL

from dpgov.budgets.models import (
    Budget,
    BudgetPart,
    DerivedBudget,
    Reservation,
    SharedBudgetMember,
)
from dpgov.operation.prepared import Prepared, among

_Row = tuple[str, int, str, UUID, UUID]


@dataclass(frozen=True, slots=True)
class Together:
    """What a question on the budget `whole` of a dataset is charged to.

    `parts` by their names, in their order; `apart`: they are told apart. `parents` has the parts of
    each parent, none of a parent that is not divided. `shared` are its shared budgets and those of
    its parents, each once.
    """

    whole: UUID
    parts: Mapping[str, UUID]
    apart: bool
    parents: Mapping[UUID, Mapping[str, UUID]]
    shared: tuple[UUID, ...]

    @property
    def everything(self) -> list[UUID]:
        """All budgets that a question about everybody is charged to, each once."""
        own = [*self.parts.values()] or [self.whole]
        of_parents = [[*parts.values()] or [parent] for parent, parts in self.parents.items()]
        return [*own, *(one for each in of_parents for one in each), *self.shared]


def as_one(ids: Collection[UUID]) -> Any:
    """These ids for a condition, sent as one value where the database has such.

    Hundreds of them, each a value of its own, take it longer to read than to answer.
    """
    if connection.vendor != "postgresql":
        return list(ids)
    return RawSQL("SELECT unnest(%s::uuid[])", [list(ids)])


def with_parts(budgets: Collection[UUID] | QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    """The ids of these budgets and of their parts, for a condition of a larger statement.

    As one list, and not as two conditions joined by “or”: for these the database would read every
    budget of the installation.
    """
    these = budgets if isinstance(budgets, QuerySet) else as_one(budgets)
    own = Budget.objects.filter(pk__in=these).order_by().values_list("pk")
    parts = BudgetPart.objects.filter(dataset_budget__in=these).order_by().values_list("budget")
    ids: QuerySet[Any, Any] = own.union(parts, all=True)
    return ids


def charged_together(wholes: Collection[UUID]) -> dict[UUID, Together]:
    """For each of these budgets of datasets; one read.

    Made after the question's version was read: whoever sees the file that ended the discount of a
    partition sees its end.
    """
    kept = _Kept(wholes)
    return {whole: kept.together(whole) for whole in wholes}


def share_a_budget(wholes: Mapping[UUID, UUID]) -> bool:
    """Whether two of these questions, each with the budget of its dataset, share a budget.

    Now, by themselves or by a parent, or by what they hold on one.
    """
    together = charged_together(set(wholes.values()))
    now = {(query, one) for query, whole in wholes.items() for one in together[whole].shared}
    held = Reservation.objects.filter(
        query_id__in=wholes, budget__kind=Budget.Kind.SHARED_BUDGET
    ).values_list("query_id", "budget")
    taken = now.union(held)
    return len({one for _, one in taken}) < len(taken)


class _Kept:
    """The rows about these budgets and their parents, by whose they are."""

    def __init__(self, wholes: Collection[UUID]) -> None:
        self.parents: dict[UUID, list[UUID]] = defaultdict(list)
        self.parts: dict[UUID, dict[str, UUID]] = defaultdict(dict)
        self.shared: dict[UUID, list[UUID]] = defaultdict(list)
        self.undivided: set[UUID] = set()
        for what, _, part, whose, budget in sorted(_rows(tuple(wholes)), key=lambda row: row[1]):
            if what == "part":
                self.parts[whose][part] = budget
            elif what == "undivided":
                self.undivided.add(whose)
            else:
                (self.parents if what == "parent" else self.shared)[whose].append(budget)

    def together(self, whole: UUID) -> Together:
        parents = sorted(self.parents.get(whole, []))
        shared = (one for each in (whole, *parents) for one in self.shared.get(each, []))
        return Together(
            whole,
            self.parts.get(whole, {}),
            whole not in self.undivided,
            {parent: self.parts.get(parent, {}) for parent in parents},
            tuple(dict.fromkeys(shared)),
        )


@Prepared
def _rows(wholes: tuple[UUID, ...]) -> QuerySet[Any, _Row]:
    """Kind, position, part, whose it is, and the budget."""
    first, *others = _selects(wholes)
    return first.union(*others, all=True)


def _selects(wholes: tuple[UUID, ...]) -> Iterator[QuerySet[Any, Any]]:
    """Each finds its rows by an index: a parent's by the join, never by looking through all."""
    derived = DerivedBudget.objects.filter(among("budget", wholes)).order_by()
    ended = Budget.objects.filter(among("pk", wholes), undivided_at__isnull=False).order_by()
    yield derived.values_list(Value("parent"), Value(0), Value(""), F("budget_id"), F("parent_id"))
    yield ended.values_list(Value("undivided"), Value(0), Value(""), F("pk"), F("pk"))
    for whose in ("dataset_budget", "dataset_budget__derived__budget"):
        of_parts = BudgetPart.objects.filter(among(whose, wholes)).order_by()
        members = SharedBudgetMember.objects.filter(
            among(whose, wholes), left_at__isnull=True
        ).order_by()
        yield of_parts.values_list(
            Value("part"), F("position"), F("part"), F("dataset_budget_id"), F("budget_id")
        )
        yield members.values_list(
            Value("shared_budget"),
            Value(0),
            Value(""),
            F("dataset_budget_id"),
            F("shared_budget_id"),
        )
