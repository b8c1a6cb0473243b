"""Released answers side by side: where they differ by more than their noise explains.

Works from stored bodies alone, and reveals nothing that they did not. With error bounds a and b at
99%, a true difference of zero would make the released numbers differ by more than a + b with
probability at most 2%, however the two noises depend on each other (the union bound). Of
coefficients whose bounds hold under a condition alone, or that have none, nothing is said.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import plotly.graph_objects as go
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from dpgov.privacy.answer.body import MAX_CELLS
from dpgov.privacy.plan.grouping import REST, REST_WHEN_TAKEN
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.kinds import least_groups
from dpgov.queries.wording.dates import date_at, first_of
from dpgov.queries.wording.dots import shift_of
from dpgov.queries.wording.margins import beside
from dpgov.queries.wording.numbers import NOTHING, accuracy_at, at_most, readable
from dpgov.queries.wording.plotting import Figure, as_figure, inert, labelled_axis
from dpgov.queries.wording.presentation import cell_labels
from dpgov.queries.wording.regressions import is_doubtful
from dpgov.queries.wording.words import statistic_in_words

_LEVEL = 0.99
_MOST_DRAWN = 20
BEYOND = gettext_lazy("beyond noise")
WITHIN = gettext_lazy("within noise")
UNKNOWN = gettext_lazy("cannot be said")


@dataclass(frozen=True, slots=True)
class ComparedNumber:
    """One answer's number, and how it stands to the first one's; no verdict in the first column."""

    value: str
    error: str
    difference: str = ""
    verdict: str | Promise = ""
    number: float | None = None
    bound: float | None = None

    @property
    def differs(self) -> bool:
        """Whether noise does not explain it."""
        return self.verdict is BEYOND


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One statistic of one group in all answers; an answer without it has an empty side."""

    label: str
    group: str
    sides: list[ComparedNumber]

    @property
    def differs(self) -> bool:
        """Whether any of them stands out."""
        return any(side.differs for side in self.sides)


def comparable(plan: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two plans have a statistic in common, over groups along the same columns.

    Along the same parts of the calendar, too, and counts that run along the same edges.
    And of as much of each unit: an answer that leaves rows out differs for that reason. None of
    very many groups: nobody would look through them.
    """
    if max(map(least_groups, (plan, other))) > MAX_CELLS:
        return False
    along, statistics = _shape(plan)
    other_along, other_statistics = _shape(other)
    return along == other_along and not statistics.isdisjoint(other_statistics)


def _shape(plan: dict[str, Any]) -> tuple[list[str], set[tuple[str, ...]]]:
    groups = plan.get("group_by") or []
    along = [f"{grouping['column']} {grouping.get('by') or ''}" for grouping in groups]
    return [*along, str(plan.get("per_unit"))], {
        (
            *(one["statistic"], str(one.get("column")), str(one.get("clip"))),
            str([grouping.get("edges") for grouping in _run_along(one, groups)]),
        )
        for one in plan["statistics"]
    }


def _run_along(
    statistic: dict[str, Any], groups: Sequence[dict[str, Any]]
) -> Sequence[dict[str, Any]]:
    """The last groups, that its counts run along; none of most statistics."""
    return groups[len(groups) - StatisticKind(statistic["statistic"]).facts.along :]


def chart_of(rows: Sequence[ComparedRow], letters: Sequence[str]) -> Figure | None:
    """The rows of the first statistic below each other, each answer in a colour with its interval.

    None where they have no number, or are too many to be told apart.
    """
    shown = [row for row in rows if row.label == rows[0].label]
    if not shown or len(shown) > _MOST_DRAWN:
        return None
    traces = [_letter(shown, place, letter, len(letters)) for place, letter in enumerate(letters)]
    axis = labelled_axis([row.group or row.label for row in shown])
    return as_figure(
        traces,
        showlegend=True,
        xaxis={"title": {"text": inert(shown[0].label)}},
        yaxis=axis | {"range": [len(shown) - 0.5, -0.5], "title": {"text": ""}, "showgrid": True},
    )


def _letter(rows: Sequence[ComparedRow], place: int, letter: str, letters: int) -> Any:
    kept = [
        (at + shift_of(place, letters), side)
        for at, row in enumerate(rows)
        if (side := row.sides[place]).number is not None
    ]
    return go.Scatter(
        x=[side.number for _at, side in kept],
        y=[at for at, _side in kept],
        error_x={"type": "data", "array": [side.bound for _at, side in kept], "width": 4},
        mode="markers",
        marker={"size": 9},
        name=letter,
        customdata=[[f"{side.value} {side.error}"] for _at, side in kept],
        hovertemplate="%{customdata[0]}<extra>%{fullData.name}</extra>",
    )


Cells = dict[tuple[str, tuple[str, ...], tuple[str, ...]], dict[str, Any]]


def compared(bodies: Sequence[dict[str, Any]]) -> list[ComparedRow]:
    """The numbers that the first answer shares with at least one other, in its own order."""
    first, *others = [_cells(body) for body in bodies]
    return [
        ComparedRow(
            label=key[0],
            group=", ".join(key[1]),
            sides=[_side(cell), *(_against(cell, other.get(key)) for other in others)],
        )
        for key, cell in first.items()
        if any(key in other for other in others)
    ]


def _cells(body: dict[str, Any]) -> Cells:
    """By statistic and group, and by what else makes two groups of one name the same rows."""
    columns, frames = [group["column"] for group in body["groups"]], list(_frames(body))
    found: Cells = {}
    for statistic in body["statistics"]:
        label = statistic_in_words(statistic)
        doubtful = {"doubtful": True} if is_doubtful(statistic, body) else {}
        running = tuple(map(_whole, _run_along(statistic, body["groups"])))
        for names, frame, cell in zip(cell_labels(body), frames, statistic["cells"], strict=True):
            group = tuple(f"{name} {text}" for name, text in zip(columns, names, strict=True))
            known = _absolute(cell, statistic)
            found[label, group, (*frame, *running)] = {**known, **doubtful} if doubtful else known
    return found


def _frames(body: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Of each cell the parts of the calendar; everything else is else than all that is named."""
    each = []
    for group in body["groups"]:
        *named, last = group["bins"]
        part = group.get("by") or ""
        is_rest = last in (REST, REST_WHEN_TAKEN)
        each.append([*(part for _name in named), _whole(group) if is_rest else part])
    return product(*each)


def _whole(group: dict[str, Any]) -> str:
    """All that a grouping names, in one text: a long list would be hashed for every cell."""
    return json.dumps([group.get("by"), *sorted(map(str, group["bins"]))])


def _absolute(cell: dict[str, Any], statistic: dict[str, Any]) -> dict[str, Any]:
    """Dates of two versions may be counted from different ones: here from one for all."""
    if "dates" not in statistic or cell["value"] is None:
        return cell
    return {
        **cell,
        "value": cell["value"] + first_of(statistic),
        "shown": date_at(cell["value"], statistic),
    }


def _side(
    cell: dict[str, Any], difference: str = "", verdict: str | Promise = ""
) -> ComparedNumber:
    if cell["value"] is None:
        return ComparedNumber(NOTHING, NOTHING, difference, verdict)
    error = accuracy_at(cell["accuracy"], USUAL_STATED)
    shown = cell.get("shown") or readable(cell["value"], error)
    return ComparedNumber(
        shown, beside(cell, USUAL_STATED), difference, verdict, cell["value"], error
    )


def _against(first: dict[str, Any], other: dict[str, Any] | None) -> ComparedNumber:
    if other is None:
        return ComparedNumber(NOTHING, NOTHING)
    bounds = [accuracy_at(cell["accuracy"], _LEVEL) for cell in (first, other)]
    if first["value"] is None or other["value"] is None or None in bounds:
        return _side(other, verdict=UNKNOWN)
    if "doubtful" in first or "doubtful" in other:
        return _side(other, verdict=UNKNOWN)
    apart = other["value"] - first["value"]
    explained = sum(bound for bound in bounds if bound is not None)
    words = f"{'+' if apart > 0 else ''}{readable(apart, explained)} ± {at_most(explained)}"
    return _side(other, words, BEYOND if abs(apart) > explained else WITHIN)
