"""How large an answer may be, and the JSON of a release, whose form depends on that.

Both are functions of the plan, so that no refusal and no form depends on data. Up to MAX_CELLS
cells each cell is written out with its accuracy: FORMAT. Beyond that all cells of a column have one
accuracy (`blueprint` admits no others), which is said once, beside the list of its `values`, and a
draw has one list of `numbers`: ALIKE. `read_body` gives both the shape of the first, so that what
reads one reads both.
"""

import json
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.mechanisms.table import AlikeCells, OneEach
from dpgov.privacy.plan.plan import InvalidPlan, Plan, PlanProblem
from dpgov.privacy.plan.statistics import Recipe

# Cells of any plan, which are written out one by one and which a reader waits for.
MAX_CELLS = 10_000
# Numbers, which are cells times statistics, of a plan in which all numbers of a statistic have one
# error, so that it is said once: so many are drawn within seconds.
MAX_ALIKE = 2**20
# Of the table of all columns that adaptive choices are made from, which is never released.
MAX_CHOSEN_FROM = 200_000
_OF_ONE_ERROR = frozenset({Recipe.ROWS, Recipe.UNITS, Recipe.VALUES, Recipe.SUM})
FORMAT, ALIKE = 2, 3


def most_cells(plan: Plan) -> int:
    """How many cells this plan may have anywhere."""
    if plan.choosing is not None:
        return MAX_CHOSEN_FROM
    alike = all(statistic.kind.facts.recipe in _OF_ONE_ERROR for statistic in plan.statistics)
    return cells_within(MAX_ALIKE, plan) if alike else MAX_CELLS


def cells_within(numbers: int, plan: Plan) -> int:
    """How many cells so many numbers are; never fewer than any plan may have."""
    return max(MAX_CELLS, numbers // len(plan.statistics))


def check_cells(cells: int, most: int) -> None:
    """Raise InvalidPlan, in one wording, where there are more cells than that."""
    if cells > most:
        sentence = said(
            "The grouping has {cells} cells; at most {most} are answered at once. Use fewer or "
            "wider bins.",
            cells=cells,
            most=most,
        )
        raise InvalidPlan((PlanProblem("group_by", sentence),))


def format_of(cells: int) -> int:
    """Of a table of so many cells."""
    return FORMAT if cells <= MAX_CELLS else ALIKE


def read_body(text: str) -> dict[str, Any]:
    """A stored body, its cells one by one; of very many they are made when they are looked at."""
    body: dict[str, Any] = json.loads(text)
    if body.get("joint"):
        # Stored ones may have the range of one organisation's dataset.
        body = body | {"statistics": [without_range(one) for one in body["statistics"]]}
    if body.get("format") != ALIKE:
        return body
    draws, statistics = map(_draw, body["draws"]), map(_statistic, body["statistics"])
    return body | {"draws": list(draws), "statistics": list(statistics)}


def without_range(statistic: dict[str, Any]) -> dict[str, Any]:
    """A statistic of several organisations' rows, of which one dataset's declarations say nothing:
    neither what its number can be at all, nor whether its error is as wide as that.
    """
    return _without(statistic, "range") | {"warning_code": None}


def is_alike(body: dict[str, Any]) -> bool:
    """Whether it has so many cells that nobody is shown them all."""
    return bool(body.get("format") == ALIKE)


def _draw(draw: dict[str, Any]) -> dict[str, Any]:
    return _without(draw, "numbers") | {"cells": OneEach(draw["numbers"])}


def _statistic(statistic: dict[str, Any]) -> dict[str, Any]:
    cells = AlikeCells(statistic["values"], statistic["accuracy"])
    return _without(statistic, "values", "accuracy") | {"cells": cells}


def _without(body: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: said for name, said in body.items() if name not in names}
