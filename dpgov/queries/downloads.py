"""A release as a file. JSON is the stored bytes themselves; CSV holds the same numbers.

Text that a spreadsheet would run as a formula is made harmless.
"""

import csv
import io
import json
from typing import Any

from dpgov.audit.spreadsheet import safe_cell
from dpgov.queries.models import Release
from dpgov.queries.presentation import LEVELS, accuracy_at, cell_labels


def as_json(release: Release) -> bytes:
    """Exactly what was stored when the answer was released."""
    return release.body.encode()


def as_csv(release: Release) -> bytes:
    """One line for each group and statistic, with the error bounds at 90, 95 and 99 %."""
    body = json.loads(release.body)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow([safe_cell(text) for text in _headings(body)])
    for statistic in body["statistics"]:
        for labels, cell in zip(cell_labels(body), statistic["cells"], strict=True):
            writer.writerow(_line(labels, statistic, cell))
    return file.getvalue().encode()


def _headings(body: dict[str, Any]) -> list[str]:
    bounds = [f"plus_minus_{level:.0%}".rstrip("%") for level in LEVELS]
    groups = [group["column"] for group in body["groups"]]
    return [*groups, "statistic", "column", "value", *bounds, "epsilon"]


def _line(
    labels: tuple[str, ...], statistic: dict[str, Any], cell: dict[str, Any]
) -> list[str | float | None]:
    return [
        *(safe_cell(label) for label in labels),
        statistic["statistic"],
        safe_cell(statistic.get("column") or ""),
        cell["value"],
        *(accuracy_at(cell["accuracy"], level) for level in LEVELS),
        statistic["epsilon"],
    ]
