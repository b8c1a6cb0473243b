"""Every budget as a bar in percent of its limit, with its numbers on it; people by datasets."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from dpgov.budgets.words import amount
from dpgov.dashboards.forecast.forecast import Forecast
from dpgov.dashboards.portfolio.crossed import Crossed
from dpgov.datasets.models import Dataset
from dpgov.datasets.status import Status
from dpgov.queries.pictures.figures import Leads
from dpgov.queries.wording.plotting import Figure, as_figure, bars, inert, labelled_axis, scatter

_HALF = 50
_ROLES = {Status.LOW: "reserved", Status.USED_UP: "limit", Status.OPEN: "spent"}


def budgets(found: Sequence[Forecast], along: str = "") -> Figure:
    """Committed and left in percent, coloured by status, with limit, pace and end in words.

    The words stand on the longer of both stretches; where they have no room they are left out, and
    the table below has them. `along` is what the way to a budget takes along.
    """
    ordered = list(reversed(found))
    traces = []
    for status in Status:
        rows = [(n, one) for n, one in enumerate(ordered) if one.status is status]
        if rows:
            traces.append(_stretch(rows, along, _ROLES.get(status, "rest"), is_left=False))
    if ordered:
        traces.append(_stretch(list(enumerate(ordered)), along, "grid", is_left=True))
    return as_figure(
        traces,
        barmode="stack",
        bargap=0.15,
        uniformtext={"mode": "hide", "minsize": 10},
        xaxis={"title": {"text": _("Committed, %")}, "range": [0, 100]},
        yaxis=_whole([one.dataset.name for one in ordered]),
    )


def _stretch(
    rows: Sequence[tuple[int, Forecast]], along: str, role: str, *, is_left: bool
) -> Figure:
    """What is committed of each, or what is not."""
    shares = [_percent(one) for _n, one in rows]
    told = [inert(_told(one)) for _n, one in rows]
    query = f"?{along}" if along else ""
    return bars(
        x=[round(max(0, 100 - share), 1) if is_left else share for share in shares],
        y=[n for n, _one in rows],
        orientation="h",
        meta={
            "role": role,
            "links": [
                reverse("dashboards:budget", args=[one.dataset.slug]) + query for _n, one in rows
            ],
        },
        text=[
            words if (share <= _HALF) is is_left else ""
            for share, words in zip(shares, told, strict=True)
        ],
        textposition="inside",
        insidetextanchor="start",
        textangle=0,
        customdata=[
            [inert(one.dataset.name), words] for (_n, one), words in zip(rows, told, strict=True)
        ],
        hovertemplate="%{customdata[0]}: %{x}%<br>%{customdata[1]}<extra></extra>",
        showlegend=False,
    )


def _percent(one: Forecast) -> float:
    budget = one.dataset.budget
    return round(100 * budget.committed_nano / max(1, budget.limit_nano), 1)


def _told(one: Forecast) -> str:
    budget, currency = one.dataset.budget, one.dataset.budget.currency
    words = _("%(taken)s committed, %(left)s left %(of_what)s; %(pace)s in 30 days; %(end)s") % {
        "taken": amount(budget.committed_nano, currency),
        "left": amount(one.left_nano, currency),
        "of_what": one.of_what,
        "pace": amount(one.taken_nano, currency),
        "end": _end(one),
    }
    return str(words)


def _end(one: Forecast) -> str:
    if one.ends_on is None:
        return one.words
    return _("until %(day)s") % {"day": date_format(one.ends_on, pgettext("date format", "j M Y"))}


def people(found: Crossed, datasets: Sequence[Dataset], kept: str) -> Figure:
    """The fuller a square, the more of that dataset's limit went to that person.

    `kept` is the filter of the list that a square leads to, beside its own.
    """
    rows = list(reversed(found.people))
    marks = [
        (x, y, name, person, dataset, found.nano[person, dataset.pk])
        for x, dataset in enumerate(datasets)
        for y, (person, name) in enumerate(rows)
        if found.nano.get((person, dataset.pk))
    ]
    shares = [nano / max(1, dataset.budget.limit_nano) for *_r, dataset, nano in marks]
    most = max(shares, default=1) or 1
    leads = Leads(kept, reverse("dashboards:history"))
    trace = scatter(
        x=[mark[0] for mark in marks],
        y=[mark[1] for mark in marks],
        mode="markers",
        marker={
            "symbol": "square",
            "size": 20,
            "opacity": [round(0.15 + 0.85 * share / most, 2) for share in shares],
        },
        meta={
            "role": "spent",
            "links": [
                leads.of(urlencode({"dataset": str(dataset.pk), "analyst": str(person)}))
                for _x, _y, _name, person, dataset, _nano in marks
            ],
        },
        customdata=[
            [inert(name), inert(dataset.name), amount(nano, dataset.budget.currency)]
            for _x, _y, name, _person, dataset, nano in marks
        ],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}: %{customdata[2]}<extra></extra>",
        showlegend=False,
    )
    return as_figure(
        [trace],
        xaxis=labelled_axis([one.name for one in datasets])
        | {"range": [-0.6, len(datasets) - 0.4]},
        yaxis=labelled_axis([name for _person, name in rows]) | {"range": [-0.6, len(rows) - 0.4]},
    )


def _whole(labels: Sequence[str]) -> dict[str, Any]:
    """An axis with room for each of these, whether something stands there or not."""
    return labelled_axis(labels) | {"range": [-0.6, len(labels) - 0.4]}
