"""Forecasts of thousands of datasets, of which few were asked lately: those are looked at singly.

A dataset is quiet when nothing was taken of it in the last days, no other budget binds it, and more
than a tenth of its own remains. On no day it is used up, it is no part of a headline, and it stands
behind all others, by name: so the database finds the few of a page. Everything else moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, overload
from uuid import UUID

from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Window,
)
from django.db.models.functions import Coalesce, RowNumber

from dpgov.budgets.models import SharedBudgetMember
from dpgov.budgets.together import as_one
from dpgov.budgets.ways import members_now
from dpgov.dashboards.forecast.forecast import Forecast, forecasts
from dpgov.dashboards.forecast.pace import DaysOf
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import floor_nano
from dpgov.datasets.status import LOW
from dpgov.privacy.accounting.loss import PURE


@dataclass(frozen=True)
class Forecasts(Sequence[Forecast]):
    """Every dataset in an order, what ends first at the front; a page of it is a slice.

    `moving` are read, and so are the first few quiet ones; further pages are another statement.
    What is `held` stands beside them: nobody can ask about it yet.
    """

    moving: Sequence[Forecast]
    first_quiet: Sequence[Forecast]
    number: int
    held: Sequence[Dataset]
    datasets: QuerySet[Dataset]
    days: DaysOf
    today: date

    def __len__(self) -> int:
        """How many there are, read or not."""
        return self.number

    @overload
    def __getitem__(self, where: int) -> Forecast: ...

    @overload
    def __getitem__(self, where: slice) -> Sequence[Forecast]: ...

    def __getitem__(self, where: int | slice) -> Forecast | Sequence[Forecast]:
        """Those of a page."""
        if isinstance(where, int):
            return self[where : where + 1][0]
        start, stop, _step = where.indices(self.number)
        here = len(self.moving)
        return [*self.moving[start:stop], *self._quiet(max(0, start - here), max(0, stop - here))]

    @cached_property
    def first(self) -> Sequence[Forecast]:
        """All that were read, for a headline: where anything ends, it is among them."""
        return [*self.moving, *self.first_quiet]

    def _quiet(self, start: int, stop: int) -> Sequence[Forecast]:
        if stop <= len(self.first_quiet) or len(self.moving) + len(self.first_quiet) == self.number:
            return self.first_quiet[start:stop]
        found = self.datasets.exclude(Q(budget__in=as_one(_taken(self.days))) | _binds())
        return forecasts(list(found[start:stop]), self.today, self.days, joined=())


def outlook(
    datasets: QuerySet[Dataset],
    days: DaysOf,
    today: date,
    *,
    first: int,
    joined: Sequence[SharedBudgetMember] | None = None,
) -> Forecasts:
    """Of these datasets, by name and with their budgets and policies; `days` of all of them.

    `first` quiet ones are read with those that move. `joined` is who of them shares what, where it
    was read already. One statement, and what `forecasts` reads; one less where nothing is shared.
    """
    taken, is_held = _taken(days), Q(held_at__isnull=False)
    present = datasets.exclude(is_held)
    every = present.order_by().values("tenant").annotate(every=Count("pk")).values("every")
    asked = Q(budget__in=as_one(taken))
    narrow = present.exclude(asked).order_by().select_related(None)
    wanted = _wanted(narrow, max(0, first - len(taken)))
    read = datasets.filter(is_held | asked | Q(pk__in=wanted))
    binds = ExpressionWrapper(_binds(), BooleanField())
    found = list(read.annotate(every=Subquery(every), binds=binds, shares=_shares()))
    if joined is None:
        sharing = [one.budget_id for one in found if _read(one, "shares")]
        joined = list(members_now(sharing)) if sharing else ()
    told = forecasts([one for one in found if one.held_at is None], today, days, joined)
    moving = {one.pk for one in found if _read(one, "binds") or one.budget_id in taken}
    return Forecasts(
        [one for one in told if one.dataset.pk in moving],
        [one for one in told if one.dataset.pk not in moving],
        _read(told[0].dataset, "every") if told else 0,
        [one for one in found if one.held_at is not None],
        present,
        days,
        today,
    )


def _taken(days: DaysOf) -> set[UUID]:
    """The budgets of which something was taken."""
    return {budget for budget, of_one in days.items() if of_one.taken}


def _wanted(narrow: QuerySet[Dataset], first: int) -> QuerySet[Any, Any]:
    """Those that something else binds, and so many others by name; looked at once."""
    if not first:
        return narrow.filter(_binds()).values("pk")
    binds = ExpressionWrapper(_binds(), BooleanField())
    place = Window(RowNumber(), partition_by=F("binds"), order_by=("name", "slug"))
    placed = narrow.annotate(binds=binds).annotate(place=place)
    return placed.filter(Q(binds=True) | Q(place__lte=first)).values("pk")


def _binds() -> Q:
    """Which datasets have to be looked at singly, though nothing was taken of them lately."""
    committed = F("budget__spent_nano") + F("budget__reserved_nano")
    # A price in ρ is a smaller number than the one in ε that it stands for.
    least = Coalesce("policy__least_nano", 0) + floor_nano(PURE)
    return (
        Q(is_derived=True)
        | Q(_shares())
        | Q(budget__limit_nano__lte=committed + F("budget__limit_nano") / LOW)
        | Q(budget__limit_nano__lt=committed + least)
    )


def _shares() -> Exists:
    """Whether its budget shares another one."""
    members = SharedBudgetMember.objects.filter(left_at__isnull=True)
    return Exists(members.filter(dataset_budget=OuterRef("budget")))


def _read(dataset: Dataset, name: str) -> Any:
    """What the statement said beside it."""
    return getattr(dataset, name)
