"""Which groups of an answer are too noisy to be shown beside the others.

A function of released numbers, their stated errors and declared bounds alone.
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from statistics import median
from typing import Any

from django.utils.translation import gettext as _

from dpgov.language.translation import percent
from dpgov.privacy.mechanisms.table import AlikeCells
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.ranges import clipped, is_empty
from dpgov.privacy.plan.statistics import STATISTICS, Recipe
from dpgov.queries.wording.bins import written
from dpgov.queries.wording.numbers import accuracy_at

# A group is too noisy where its interval covers more than this part of all that can be true ...
_PART = 0.5
# ... or where its error is so many times that of the group in the middle, and larger than what lies
# between all groups whose error is not.
_TIMES = 10


def too_noisy(statistic: dict[str, Any]) -> list[bool]:
    """For each cell whether it would only hide the others.

    None are where all are: then the answer itself says nothing. Counts and sums have one error for
    all groups, and none of them is.
    """
    cells = statistic["cells"]
    if not STATISTICS[statistic["statistic"]].depends_on_rows:
        return [False] * len(cells)
    errors = [error_of(cell) for cell in cells]
    most = _most_beside(cells, errors)
    found = [
        cell["value"] is None
        or (error is not None and (error > most or _is_wide(cell, error, statistic)))
        for cell, error in zip(cells, errors, strict=True)
    ]
    return [False] * len(cells) if all(found) else found


def empty_rest(statistic: dict[str, Any], bins: int) -> bool:
    """Whether the last bin of a single grouping, for everything else, is zero within its noise."""
    if STATISTICS[statistic["statistic"]].recipe is not Recipe.ROWS or bins < 2:
        return False
    last = statistic["cells"][-1]
    error = error_of(last)
    return error is not None and last["value"] is not None and bool(last["value"] <= error)


def empty_in_words(statistic: dict[str, Any]) -> str:
    """That an answer says nothing at all; nothing where one of its groups does."""
    cells = statistic["cells"]
    if isinstance(cells, AlikeCells):
        # Of one error: what holds of the least and of the largest holds of all between them.
        cells = [cells[cells.values.index(end(cells.values))] for end in (min, max)]
    if not all(is_empty([cell["accuracy"]], statistic, [cell["value"]]) for cell in cells):
        return ""
    low, high = _ends_in_words(statistic)
    pattern = _(
        "This answer says nothing: its error is as wide as everything it can be, from {low} to "
        "{high}."
    )
    return pattern.format(low=low, high=high)


def warning_in_words(
    head: dict[str, Any],
    accuracies: list[list[dict[str, Any]]],
    values: Sequence[float | None] = (),
) -> str:
    """That the error is as wide as everything that can be true; nothing where it is not."""
    if not is_empty(accuracies, head, values):
        return ""
    low, high = _ends_in_words(head)
    pattern = _(
        "The error is as wide as everything between {low} and {high}: at {level} confidence such a "
        "number says nothing."
    )
    return pattern.format(low=low, high=high, level=percent(95))


def _ends_in_words(head: dict[str, Any]) -> tuple[str, str]:
    """From where to where it can be true, rounded outwards."""
    low, high = head["range"]
    return written(low, None, head, ROUND_FLOOR), written(high, None, head, ROUND_CEILING)


def error_of(cell: dict[str, Any]) -> float | None:
    """Its usual error in its own unit, if it has one."""
    return accuracy_at(cell.get("accuracy") or [], USUAL_STATED)


def span_of(cell: dict[str, Any], head: dict[str, Any]) -> tuple[float, float] | None:
    """Its usual interval, cut to what can be true; None where there is none."""
    error = error_of(cell)
    if error is None or cell["value"] is None:
        return None
    return clipped(cell["value"], error, head)


def _most_beside(cells: list[dict[str, Any]], errors: list[float | None]) -> float:
    """The largest error that does not hide the other groups."""
    stated = [error for error in errors if error is not None]
    usual = _TIMES * median(stated) if stated else 0.0
    near = [
        cell["value"]
        for cell, error in zip(cells, errors, strict=True)
        if cell["value"] is not None and error is not None and error <= usual
    ]
    return max(usual, max(near) - min(near)) if near else usual


def _is_wide(cell: dict[str, Any], error: float, head: dict[str, Any]) -> bool:
    if not head.get("range"):
        return False
    least, most = head["range"]
    low, high = clipped(cell["value"], error, head)
    return bool(high - low > _PART * (most - least))
