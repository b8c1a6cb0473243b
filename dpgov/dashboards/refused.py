"""What was refused, as lines and as pictures by day and by dataset. One statement each.

No list of questions holds a refused one: its marks lead to the refusals beside that list.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple
from uuid import UUID

from django.db.models import QuerySet, Sum
from django.urls import reverse
from django.utils.translation import gettext as _

from dpgov.queries.models import Refusal
from dpgov.queries.pictures.figures import Leads, of_dataset
from dpgov.queries.wording.over_days import bar, over_days
from dpgov.queries.wording.plotting import Figure, as_figure, bars, inert, labelled_axis

_DRAWN = 12


class RefusalCount(NamedTuple):
    """Questions of one person about one dataset that were refused on one day, for one reason."""

    day: date
    word: str
    dataset: str
    person: str
    number: int


def refusals_of(refused: QuerySet[Refusal]) -> list[RefusalCount]:
    """The newest first."""
    who = ("dataset__name", "analyst__name", "analyst__email")
    rows = refused.order_by("-day", "reason", *who).values_list("day", "reason", "number", *who)
    return [
        RefusalCount(day, str(Refusal.Reason(reason).label), dataset, name or email, number)
        for day, reason, number, dataset, name, email in rows
    ]


def refusals_link(leads: Leads, day: date) -> str:
    """To the refusals of one day."""
    return _beside(leads.on(day, "day"))


def _beside(link: str) -> str:
    return link.replace("#questions", "#refused-title")


def figure_by_day(refusals: Sequence[RefusalCount], leads: Leads) -> Figure:
    """Stacked bars, a colour for each reason; each leads to the refusals of its day."""
    reasons: defaultdict[str, Counter[date]] = defaultdict(Counter)
    for one in refusals:
        reasons[one.word][one.day] += one.number
    traces = []
    for place, (word, days) in enumerate(sorted(reasons.items())):
        along = sorted(days)
        links = [refusals_link(leads, day) for day in along]
        traces.append(bar(word, str(place % 8 + 1), along, [days[day] for day in along], links))
    return over_days(traces, _("Refusals"))


@dataclass(frozen=True, slots=True)
class RefusedOf:
    """Refusals about one dataset by their reason."""

    dataset: UUID
    name: str
    reasons: Mapping[str, int]
    leads: Leads

    @property
    def href(self) -> str:
        """Where they are listed."""
        return _beside(self.leads.of(of_dataset(self.dataset)))

    @property
    def number(self) -> int:
        """For all reasons together."""
        return sum(self.reasons.values())


def refused_by_dataset(refused: QuerySet[Refusal], kept: str) -> list[RefusedOf]:
    """The most refused dataset first; `kept` is the filter that holds already."""
    rows = refused.order_by().values_list("dataset_id", "dataset__name", "reason")
    words = {code: str(label) for code, label in Refusal.Reason.choices}
    found: defaultdict[tuple[UUID, str], dict[str, int]] = defaultdict(dict)
    for key, name, reason, number in rows.annotate(sum=Sum("number")):
        found[key, name][words[reason]] = int(number)
    leads = Leads(kept, reverse("dashboards:history"))
    every = [RefusedOf(key, name, reasons, leads) for (key, name), reasons in found.items()]
    return sorted(every, key=lambda one: (-one.number, one.name.casefold()))


def figure_by_dataset(found: Sequence[RefusedOf]) -> Figure:
    """Horizontal bars, the most refused on top, a colour for each reason."""
    ordered = list(reversed(found[:_DRAWN]))
    reasons = sorted({reason for one in ordered for reason in one.reasons})
    traces = [
        bars(
            x=[one.reasons.get(reason, 0) for one in ordered],
            y=list(range(len(ordered))),
            orientation="h",
            name=reason,
            meta={"role": str(place % 8 + 1), "links": [one.href for one in ordered]},
            customdata=[[inert(one.name)] for one in ordered],
            hovertemplate=f"%{{customdata[0]}}<br>{reason}: %{{x:,}}<extra></extra>",
        )
        for place, reason in enumerate(reasons)
    ]
    axis = labelled_axis([one.name for one in ordered])
    return as_figure(
        traces,
        barmode="stack",
        showlegend=True,
        legend={"traceorder": "normal"},
        xaxis={"title": {"text": _("Refusals")}, "rangemode": "tozero"},
        yaxis=axis | {"range": [-0.6, len(ordered) - 0.4]},
    )
