"""The one step from exact to noisy: an engine's integers in, the published answer out.

Must never put anything of the exact answer into the release, an error or a log but through noise.
Counts are also made plausible (never negative, never falling where they cannot fall): that is made
of what was released, costs nothing and reveals nothing, and the released numbers stay beside it. On
tables with many empty cells it takes away much of the error.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpgov.language.said import pattern
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.mechanisms.mechanism import Column
from dpgov.privacy.mechanisms.table import table_of
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.plan.plan import Plan
from dpgov.privacy.plan.ranges import dated, said_of, warning_of
from dpgov.privacy.plan.request import Counts, ExactAnswer, ExactRequest
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.plan.statistics import Recipe

FORMAT = 2


class MalformedAnswer(ValueError):
    """An engine returned something else than one integer per measure and cell.

    The message never holds what it returned.
    """


def draw(blueprint: Blueprint, answers: Sequence[ExactAnswer]) -> dict[str, Any]:
    """The release body: values with noise, their accuracy, and the guarantee they come with.

    `answers` belong to the blueprint's requests, in their order. `draws` hold the noisy lattice
    integers as they were drawn; everything in `statistics` is made of them. Draws fresh noise each
    time: call it once per charge. Raises MalformedAnswer, before any noise is drawn, when an exact
    answer does not have the shape of its request.
    """
    _check_shapes(blueprint.requests, answers)
    tables = [
        table_of(request.measures, exact)
        for request, exact in zip(blueprint.requests, answers, strict=True)
    ]
    drawn = [
        mechanism.run(tables[place])
        for mechanism, place in zip(blueprint.mechanisms, blueprint.reads, strict=True)
    ]
    columns = [(place, column) for place, one in enumerate(drawn) for column in one.columns]
    columns.sort(key=lambda item: blueprint.plan.statistics.index(item[1].statistic))
    return {
        "format": FORMAT,
        "plan": blueprint.plan.as_json(),
        "guarantee": guarantee(blueprint.schema, blueprint.loss),
        "groups": blueprint.groups(),
        "draws": [
            mechanism.describe() | {"cells": one.raw}
            for mechanism, one in zip(blueprint.mechanisms, drawn, strict=True)
        ],
        "statistics": [
            _released(column, blueprint.schema) | {"draw": place} | adjusted(blueprint.plan, column)
            for place, column in columns
        ],
    }


def _released(column: Column, schema: DatasetSchema) -> dict[str, Any]:
    """Its head, with what the true number can be, and a warning where it says nothing."""
    one = column.statistic
    head = column.as_json() | said_of(one.kind, one.column, schema, one.clip)
    accuracies = [cell["accuracy"] for cell in column.cells]
    warning = warning_of(accuracies, head, [cell["value"] for cell in column.cells])
    return head | warning | {"cells": dated(column.cells, head)}


def adjusted(plan: Plan, column: Column) -> dict[str, Any]:
    """Counts of a table made plausible, beside the numbers as they were drawn."""
    recipe = column.statistic.kind.facts.recipe
    counts = [cell["value"] for cell in column.cells]
    if recipe is Recipe.CUMULATIVE:
        bins = len(plan.group_by[-1].edges or ())
        parts = [counts[at : at + bins] for at in range(0, len(counts), bins)]
        values = [value for part in parts for value in adjusted_rising(part)]
        return {"adjusted": {"method": RISING, "values": values}}
    if recipe is Recipe.ROWS and plan.group_by:
        return {"adjusted": {"method": TABLE, "values": adjusted_table(counts)}}
    return {}


def _check_shapes(requests: Sequence[ExactRequest], answers: Sequence[ExactAnswer]) -> None:
    if not isinstance(answers, Sequence) or len(answers) != len(requests):
        raise MalformedAnswer(f"Expected {len(requests)} answers.")
    for request, exact in zip(requests, answers, strict=True):
        _check_shape(request, exact)


def _check_shape(request: ExactRequest, exact: ExactAnswer) -> None:
    width = len(request.measures)
    if isinstance(exact, np.ndarray):
        _check_array(exact, (request.cells, width))
        return
    if not isinstance(exact, Sequence) or len(exact) != request.cells:
        raise MalformedAnswer(f"Expected {request.cells} cells.")
    for cell in exact:
        if not isinstance(cell, Sequence) or len(cell) != width:
            raise MalformedAnswer(f"Expected {width} measures in every cell.")
        if any(type(number) is not int for number in cell):
            raise MalformedAnswer("Expected integers and nothing else.")


def _check_array(exact: Counts, shape: tuple[int, int]) -> None:
    if exact.dtype != np.int64:
        raise MalformedAnswer("Expected integers and nothing else.")
    if exact.shape != shape:
        raise MalformedAnswer(f"Expected {shape[0]} cells of {shape[1]} measures.")


def guarantee(schema: DatasetSchema, loss: Loss) -> dict[str, Any]:
    """Whose presence an answer hides, and what it cost."""
    named = schema.unit.private_id
    return loss.as_json() | {
        "mode": schema.mode.value,
        "privacy_unit": "row" if named is None else "person",
        **({} if named is None else {"private_id": named}),
        "max_rows_per_unit": schema.unit.max_rows_per_unit,
        "neighbouring": schema.neighbouring.value,
        "group_size": schema.group_size,
    }


TABLE = pattern("never negative, adding up to the same total")
RISING = pattern("never negative and never falling")


def adjusted_table(counts: Sequence[float]) -> list[int]:
    """The nearest table without negative counts and with the same total, in whole numbers.

    Rounding keeps the total.
    """
    values = np.array(counts, dtype=np.float64)
    total = max(0.0, float(values.sum()))
    return _rounded(projected(values, total), round(total))


def projected(values: Floats, total: float) -> Floats:
    """The nearest numbers that are never negative and add up to `total`; their shape stays.

    The projection onto a simplex: one number is taken from every value, and what would fall below
    zero is zero (Held, Wolfe and Crowder 1974).
    """
    if total <= 0:
        return np.zeros_like(values)
    falling = -np.sort(-values, axis=None)
    excess = (np.cumsum(falling) - total) / np.arange(1, values.size + 1)
    kept = int(np.flatnonzero(falling > excess)[-1])
    return np.asarray(np.maximum(values - excess[kept], 0), dtype=np.float64)


def _rounded(exact: Floats, total: int) -> list[int]:
    """Whole numbers with that total, each less than one away: the largest remainders go up."""
    low = np.floor(exact).astype(np.int64)
    missing = total - int(low.sum())
    order = np.argsort(low - exact, kind="stable")
    low[order[: max(0, missing)]] += 1
    return [int(value) for value in low]


def adjusted_rising(counts: Sequence[float]) -> list[int]:
    """The nearest sequence that never falls and is never negative (pool adjacent violators)."""
    means: list[float] = []
    sizes: list[int] = []
    for count in counts:
        means.append(float(count))
        sizes.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            size = sizes[-2] + sizes[-1]
            mean = (means[-2] * sizes[-2] + means[-1] * sizes[-1]) / size
            means[-2:], sizes[-2:] = [mean], [size]
    return [
        max(0, round(mean)) for mean, size in zip(means, sizes, strict=True) for _ in range(size)
    ]
