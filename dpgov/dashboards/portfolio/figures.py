"""Every budget as a bar of its own length, in percent of its limit; people by datasets."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from dpgov.budgets.words import amount, limit_text
from dpgov.dashboards.forecast.forecast import Forecast
from dpgov.dashboards.portfolio.crossed import Crossed
from dpgov.datasets.models import Dataset
from dpgov.datasets.status import Status
from dpgov.queries.wording.plotting import Figure, as_figure, bars, inert, labelled_axis, scatter

_ROLES = {Status.LOW: "reserved", Status.USED_UP: "limit", Status.OPEN: "spent"}


def budgets(found: Sequence[Forecast]) -> Figure:
    """Committed in percent, coloured by status; hover tells the limit, the pace and the end."""
    ordered = list(reversed(found))
    traces = []
    for status in Status:
        places = [n for n, one in enumerate(ordered) if one.status is status]
        if not places:
            continue
        chosen = [ordered[n] for n in places]
        traces.append(
            bars(
                x=[_percent(one) for one in chosen],
                y=places,
                orientation="h",
                meta={
                    "role": _ROLES.get(status, "rest"),
                    "links": [
                        reverse("dashboards:budget", args=[one.dataset.slug]) for one in chosen
                    ],
                },
                customdata=[[inert(one.dataset.name), inert(_told(one))] for one in chosen],
                hovertemplate="%{customdata[0]}: %{x}%<br>%{customdata[1]}<extra></extra>",
                showlegend=False,
            )
        )
    return as_figure(
        traces,
        barmode="overlay",
        xaxis={"title": {"text": _("Committed, %")}, "range": [0, 100]},
        yaxis=_whole([one.dataset.name for one in ordered]),
    )


def _percent(one: Forecast) -> float:
    budget = one.dataset.budget
    return round(100 * budget.committed_nano / max(1, budget.limit_nano), 1)


def _told(one: Forecast) -> str:
    currency = one.dataset.budget.currency
    words = _("%(left)s left of %(limit)s; %(spent)s in 30 days; %(end)s") % {
        "left": amount(one.left_nano, currency),
        "limit": limit_text(one.dataset.budget),
        "spent": amount(one.taken_nano, currency),
        "end": date_format(one.ends_on) if one.ends_on else one.words,
    }
    return str(words)


def people(found: Crossed, datasets: Sequence[Dataset]) -> Figure:
    """The fuller a square, the more of that dataset's limit went to that person."""
    rows = list(reversed(found.people))
    marks = [
        (x, y, name, person, dataset, found.nano[person, dataset.pk])
        for x, dataset in enumerate(datasets)
        for y, (person, name) in enumerate(rows)
        if found.nano.get((person, dataset.pk))
    ]
    shares = [nano / max(1, dataset.budget.limit_nano) for *_r, dataset, nano in marks]
    most = max(shares, default=1) or 1
    history = reverse("dashboards:history")
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
                f"{history}?{urlencode({'dataset': str(dataset.pk), 'analyst': str(person)})}"
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
