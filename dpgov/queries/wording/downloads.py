"""A release as a file. JSON is the stored bytes themselves; CSV holds the same numbers.

Text that a spreadsheet would run as a formula is made harmless.
"""

import csv
import io
import json
from typing import Any

from dpgov.queries.models import Release
from dpgov.queries.wording.presentation import adjusted_values, cell_labels
from dpgov.queries.wording.words import LEVELS, accuracy_at, rank_error_at
from dpgov.web.spreadsheet import safe_cell

_BOUNDS = ("plus_minus", "rank_error")


def as_json(release: Release) -> bytes:
    """Exactly what was stored when the answer was released."""
    return release.body.encode()


def as_csv(release: Release) -> bytes:
    """One line for each group and statistic, with the error bounds at 90, 95 and 99 %.

    Statistics of one `draw` share its price.
    """
    body = json.loads(release.body)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow([safe_cell(text) for text in _headings(body)])
    for place, statistic in enumerate(body["statistics"]):
        about = _about(body, place)
        cells = zip(cell_labels(body), statistic["cells"], adjusted_values(statistic), strict=True)
        for labels, cell, adjusted in cells:
            writer.writerow([*_line(labels, statistic, cell), adjusted, *about])
    return file.getvalue().encode()


def _headings(body: dict[str, Any]) -> list[str]:
    groups = [group["column"] for group in body["groups"]]
    bounds = [f"{name}_{level * 100:.0f}" for name in _BOUNDS for level in LEVELS]
    unit = "rho" if "rho" in body["guarantee"] else "epsilon"
    return [*groups, "statistic", "column", "value", "quantile", *bounds, "adjusted", "draw", unit]


def _line(
    labels: tuple[str, ...], statistic: dict[str, Any], cell: dict[str, Any]
) -> list[str | float | None]:
    return [
        *(safe_cell(label) for label in labels),
        statistic["statistic"],
        safe_cell(statistic.get("column") or ""),
        cell["value"],
        statistic.get("quantile"),
        *(accuracy_at(cell["accuracy"], level) for level in LEVELS),
        *(rank_error_at(cell["accuracy"], level) for level in LEVELS),
    ]


def _about(body: dict[str, Any], place: int) -> list[str | float | None]:
    """The number of the draw, from one on, and what it cost."""
    statistic = body["statistics"][place]
    if "draw" not in statistic:
        # Made of stored answers: no draw of its own, and no price.
        return ["", 0]
    drawn = body["draws"][statistic["draw"]]
    return [statistic["draw"] + 1, drawn.get("epsilon", drawn.get("rho"))]
