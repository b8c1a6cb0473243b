"""What only the questions draw: each dataset's part of all ε, every stretch with where it leads."""

from typing import Any

from dpgov.privacy.accounting.decimals import as_number
from dpgov.queries.pictures.cells import Map
from dpgov.queries.pictures.figures import Leads, of_dataset
from dpgov.queries.wording.over_days import bar
from dpgov.queries.wording.plotting import Figure, as_figure, inert

# Per cent: a narrower stretch has no room for a name, which the table below tells.
_NAMED_FROM = 40


def tree_map(found: Map, leads: Leads) -> Figure:
    """Each dataset a stretch of one bar, as wide as its part of all ε."""
    whole = sum(found.nano[key] for key, _name in found.datasets) or 1
    traces = []
    for place, (key, name) in enumerate(found.datasets):
        if not found.nano[key]:
            continue
        share = round(100 * found.nano[key] / whole)
        trace = bar(name, str(place % 8 + 1), [], [], [leads.of(of_dataset(key))])
        trace.update(
            x=[as_number(found.nano[key])],
            y=[0],
            orientation="h",
            text=[f"{inert(name, 18)} {share}%" if share >= _NAMED_FROM else f"{share}%"],
            textposition="inside",
            textangle=0,
            insidetextanchor="middle",
            hovertemplate=f"{inert(name)}: ε %{{x:,}}<extra></extra>",
        )
        traces.append(trace)
    hidden: dict[str, Any] = {"visible": False}
    return as_figure(
        traces, barmode="stack", bargap=0, showlegend=False, yaxis=hidden,
        xaxis={"title": {"text": "ε"}, "showgrid": False},
        uniformtext={"mode": "hide", "minsize": 11},
    )  # fmt: skip
