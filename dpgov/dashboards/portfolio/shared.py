"""Shared budgets of an organisation: what its own datasets and surveys lost in each, and the rest.

Must never tell of another organisation more than the total that both see: no names, no numbers of
datasets, no moments. What is not our own is one stretch, whoever's it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from dpgov.budgets.models import Budget, Correction, SharedBudgetMember
from dpgov.budgets.shared_budgets import shared_budgets_of, surveys_by
from dpgov.budgets.words import amount
from dpgov.dashboards.forecast.forecast import SharedForecast, forecast_of_shared
from dpgov.dashboards.forecast.pace import DaysOf
from dpgov.datasets.models import Dataset
from dpgov.queries.wording.plotting import Figure, as_figure, bars, inert, labelled_axis
from dpgov.tenants.models import Tenant

_DRAWN = 12
_COLOURS = 8


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a shared budget: an own dataset with all that it lost, an own survey with what
    it took, or everything else.
    """

    name: str
    nano: int
    href: str
    is_rest: bool = False
    is_survey: bool = False


@dataclass(frozen=True, slots=True)
class SharedBudget:
    """One of them, with its parts, the own ones first, and when it would be used up."""

    budget: Budget
    parts: tuple[Stretch, ...]
    forecast: SharedForecast

    @property
    def href(self) -> str:
        """Its page."""
        return reverse("limits:shared_budget", args=[self.budget.pk])

    @property
    def percent(self) -> int:
        """How much of the limit is committed, rounded down."""
        return 100 * self.budget.committed_nano // max(1, self.budget.limit_nano)


def shared_of(
    tenant: Tenant,
    datasets: Sequence[Dataset],
    members: Sequence[SharedBudgetMember],
    days: DaysOf,
    today: date,
) -> list[SharedBudget]:
    """Every open one that the organisation has or is in, by name; two statements.

    `members` are those of `members_of`, and `days` those of all its budgets.
    """
    budgets = list(shared_budgets_of(tenant))
    if not budgets:
        return []
    known = {dataset.budget_id: dataset for dataset in datasets}
    surveys = surveys_by(tenant)
    return [
        SharedBudget(
            budget,
            _parts(budget, [*_datasets(budget, members, known), *_surveys(budget, surveys)]),
            forecast_of_shared(budget, days, today),
        )
        for budget in budgets
    ]


def members_of(tenant: Tenant) -> list[SharedBudgetMember]:
    """Its datasets' budgets that share now, with what they share, in the order of joining."""
    joined = SharedBudgetMember.objects.filter(tenant=tenant, left_at__isnull=True)
    whole = joined.select_related("dataset_budget", "shared_budget")
    return list(whole.order_by("joined_at", "id"))


def _datasets(
    budget: Budget, members: Sequence[SharedBudgetMember], known: Mapping[UUID, Dataset]
) -> list[Stretch]:
    """A dataset counts with all that it lost, which was carried over when it joined."""
    present = [one.dataset_budget for one in members if one.shared_budget_id == budget.pk]
    return [_part(one, one.committed_nano, known) for one in present]


def _surveys(budget: Budget, surveys: Mapping[UUID, Sequence[Correction]]) -> list[Stretch]:
    """A survey counts with what it took when it opened."""
    return [
        Stretch(
            one.reason,
            one.amount_nano,
            reverse("surveys:detail", args=[one.pk]),
            is_survey=True,
        )
        for one in surveys.get(budget.pk, ())
    ]


def _parts(budget: Budget, own: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """The own ones, none of them beyond what is committed, and what they leave."""
    left, found = budget.committed_nano, []
    for part in own:
        nano = min(left, part.nano)
        found.append(replace(part, nano=nano))
        left -= nano
    if left:
        href = reverse("limits:shared_budget", args=[budget.pk])
        found.append(Stretch(_("Everything else"), left, href, is_rest=True))
    return tuple(found)


def _part(budget: Budget, nano: int, known: Mapping[UUID, Dataset]) -> Stretch:
    """By the dataset's name now; without a link where it is archived."""
    dataset = known.get(budget.pk)
    if dataset is None:
        return Stretch(_("%(name)s (archived)") % {"name": budget.label}, nano, "")
    return Stretch(dataset.name, nano, reverse("dashboards:budget", args=[dataset.slug]))


def figure_of(found: Sequence[SharedBudget]) -> Figure:
    """Each a bar in percent of its limit: own datasets, own surveys, one stretch for the rest."""
    shown = list(reversed(found[:_DRAWN]))
    most = max((len(one.parts) for one in shown), default=0)
    traces = [
        bars(
            x=[_percent(part, one.budget)],
            y=[row],
            orientation="h",
            meta={
                "role": "rest" if part.is_rest else str(place % _COLOURS + 1),
                "links": [part.href],
            },
            customdata=[[inert(part.name), inert(amount(part.nano, one.budget.currency))]],
            hovertemplate="%{customdata[0]}: %{customdata[1]} (%{x}%)<extra></extra>",
            showlegend=False,
        )
        for place in range(most)
        for row, one in enumerate(shown)
        for part in one.parts[place : place + 1]
    ]
    axis = labelled_axis([one.budget.label for one in shown])
    return as_figure(
        traces,
        barmode="stack",
        xaxis={"title": {"text": _("Committed, %")}, "range": [0, 100]},
        yaxis=axis | {"range": [-0.6, len(shown) - 0.4]},
    )


def _percent(part: Stretch, budget: Budget) -> float:
    return round(100 * part.nano / max(1, budget.limit_nano), 1)
