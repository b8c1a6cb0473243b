"""The JSON of a release and how it is read, in its two forms.

Up to MAX_CELLS cells each cell is written out with its accuracy: FORMAT. Beyond that all
cells of a column have one accuracy (`blueprint` admits no others), which is said once, beside the
list of its `values`, and a draw has one list of `numbers`: ALIKE. Which form it is, is a function
of the plan. `read_body` gives both the shape of the first, so that what reads one reads both.
"""

import json
from typing import Any

from dpgov.privacy.answer.sizes import MAX_CELLS
from dpgov.privacy.mechanisms.table import AlikeCells, OneEach

FORMAT, ALIKE = 2, 3


def format_of(cells: int) -> int:
    """Of a table of so many cells."""
    return FORMAT if cells <= MAX_CELLS else ALIKE


def read_body(text: str) -> dict[str, Any]:
    """A stored body, its cells one by one; of very many they are made when they are looked at."""
    body: dict[str, Any] = json.loads(text)
    if body.get("format") != ALIKE:
        return body
    draws, statistics = map(_draw, body["draws"]), map(_statistic, body["statistics"])
    return body | {"draws": list(draws), "statistics": list(statistics)}


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
