"""Tables that were chosen in rounds, as a person reads them: each drawn one in its order.

Works from the stored body of a release alone. Which tables were chosen is part of what was
released; what was not chosen is not in it.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TextIO

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.queries.wording.numbers import LEVELS, accuracy_at
from dpgov.queries.wording.presentation import (
    Answer,
    adjusted_values,
    cell_labels,
    read_answer,
)
from dpgov.web.spreadsheet import safe_text


@dataclass(frozen=True, slots=True)
class ShownRound:
    """One drawn table, by its place in the order of rounds from one on."""

    title: str
    answer: Answer


def read_rounds(body: dict[str, Any]) -> list[ShownRound]:
    """The drawn tables in their order; none of any other answer."""
    found = []
    for number, one in enumerate(body.get("rounds", []), start=1):
        answer = read_answer(one)
        columns = " × ".join(answer.columns)
        title = _("Round {number}: {columns}").format(number=number, columns=columns)
        found.append(ShownRound(title, answer))
    return found


def whole_of(
    body: dict[str, Any], rounds: list[ShownRound], places: Sequence[int] | None = None
) -> Answer:
    """The answer with the draws of all its rounds, or the cells at these places."""
    drawings = [
        replace(drawing, labels=[one.title]) for one in rounds for drawing in one.answer.drawings
    ]
    answer = read_answer(body, places)
    return replace(answer, drawings=drawings, sharing=_choosing(body)) if rounds else answer


def _choosing(body: dict[str, Any]) -> list[str]:
    """How they were chosen, and why there may be fewer of them than were paid for."""
    choosing, drawn = body["choosing"], len(body["rounds"])
    chose = _(
        "Each round chose, by report noisy max, the table that a model of the earlier rounds "
        "got most wrong, out of {candidates}. A tenth of the price paid for choosing."
    )
    if body["plan"]["adaptive"].get("mwem"):
        chose = _(
            "Each round chose, by report noisy max, the table that a model of the earlier rounds "
            "got most wrong, out of {candidates} (multiplicative weights, MWEM). Half of the price "
            "paid for choosing."
        )
    told = [chose.format(candidates=choosing["candidates"])]
    left = choosing["rounds"] - drawn
    if left:
        why = ngettext(
            "The model failed on what was released, so that {left} round was not drawn. All of "
            "them were paid for.",
            "The model failed on what was released, so that {left} rounds were not drawn. All of "
            "them were paid for.",
            left,
        )
        told.append(why.format(left=left))
    return told


def write_rounds(body: dict[str, Any], file: TextIO) -> None:
    """As CSV: a line for each count, with the round, and a column for each one that was drawn.

    A cell is empty where the table of its round does not have the column.
    """
    columns = [group["column"] for group in body["plan"]["group_by"]]
    bounds = [f"plus_minus_{level * 100:.0f}" for level in LEVELS]
    writer = csv.writer(file)
    heads = ["round", *columns, "value", *bounds, "adjusted"]
    writer.writerow([safe_text(head) for head in heads])
    for number, one in enumerate(body["rounds"], start=1):
        (statistic,) = one["statistics"]
        names = [group["column"] for group in one["groups"]]
        cells = zip(cell_labels(one), statistic["cells"], adjusted_values(statistic), strict=True)
        for labels, cell, adjusted in cells:
            known = dict(zip(names, labels, strict=True))
            bins = [safe_text(known.get(column, "")) for column in columns]
            errors = [accuracy_at(cell["accuracy"], level) for level in LEVELS]
            writer.writerow([number, *bins, cell["value"], *errors, adjusted])
