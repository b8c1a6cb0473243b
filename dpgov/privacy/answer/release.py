"""The one step from exact to noisy: an engine's integers in, the published answer out.

Must never put anything of the exact answer into the release, an error or a log but through noise.
Counts are also made plausible (never negative, never falling where they cannot fall): that is made
of what was released, costs nothing and reveals nothing, and the released numbers stay beside it. On
tables with many empty cells it takes away much of the error.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.body import ALIKE, FORMAT, format_of
from dpgov.privacy.answer.plausible import RISING, TABLE, adjusted_rising, adjusted_table
from dpgov.privacy.answer.rounds import as_count, model_of
from dpgov.privacy.mechanisms.adaptive import Round
from dpgov.privacy.mechanisms.logistic import Logistic
from dpgov.privacy.mechanisms.mechanism import AnswerColumn, Drawn, Mechanism
from dpgov.privacy.mechanisms.table import AlikeCells, Measured, OneEach, table_of
from dpgov.privacy.mechanisms.totals import Total
from dpgov.privacy.plan.plan import Plan
from dpgov.privacy.plan.ranges import dated, said_of, warning_of
from dpgov.privacy.plan.request import Counts, ExactAnswer, ExactRequest, Measure, TabulatedCurve
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.plan.statistics import Recipe


class MalformedAnswer(ValueError):
    """An engine returned something else than one integer per measure and cell.

    The message never holds what it returned.
    """


Engine = Callable[[ExactRequest], ExactAnswer]
"""What answers a request about the rows that a question is about."""


def draw(
    blueprint: Blueprint, answers: Sequence[ExactAnswer], engine: Engine | None = None
) -> dict[str, Any]:
    """The release body: values with noise, their accuracy, and the guarantee they come with.

    `answers` belong to the blueprint's requests, in their order; `engine` is what gave them, for a
    descent, which asks on. `draws` hold the noisy lattice integers as they were drawn; everything
    in `statistics` is made of them. Draws fresh noise each time: call it once per charge. Raises
    MalformedAnswer when an exact answer does not have the shape of its request, for these before
    any noise is drawn; AsksOn for a descent without an engine.
    """
    _check_shapes(blueprint.requests, answers)
    choosing = blueprint.chooses
    if choosing is not None:
        rows = table_of(blueprint.requests[0].measures, answers[0])
        return in_rounds(blueprint, choosing.choose(rows, model_of(choosing)))
    drawn = [
        _drawn(mechanism, blueprint.requests[place], answers[place], engine)
        for mechanism, place in zip(blueprint.mechanisms, blueprint.reads, strict=True)
    ]
    described = [mechanism.describe() for mechanism in blueprint.mechanisms]
    return written(blueprint, drawn, described)


def in_rounds(blueprint: Blueprint, found: Sequence[Round]) -> dict[str, Any]:
    """The release body of tables that were chosen: each round in its order, as a count of its own.

    The places are released numbers: they say what was chosen.
    """
    rounds = []
    for one in found:
        count = as_count(blueprint, one.place)
        (mechanism,) = count.mechanisms
        if not isinstance(mechanism, Total):
            raise TypeError("a count that is no total")
        drawn = mechanism.released(one.counts)
        rounds.append({"place": one.place} | written(count, [drawn], [mechanism.describe()]))
    described = [mechanism.describe() for mechanism in blueprint.mechanisms]
    return written(blueprint, [], []) | {"groups": [], "choosing": described[0], "rounds": rounds}


def counted(blueprint: Blueprint, answers: Sequence[ExactAnswer]) -> list[Sequence[Measured]]:
    """What was counted for each request, as mechanisms read it. Raises MalformedAnswer."""
    _check_shapes(blueprint.requests, answers)
    return [
        table_of(request.measures, exact)
        for request, exact in zip(blueprint.requests, answers, strict=True)
    ]


def written(
    blueprint: Blueprint, drawn: Sequence[Drawn], described: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """The release body out of what each mechanism drew, and the public facts of each draw."""
    columns = [(place, column) for place, one in enumerate(drawn) for column in one.columns]
    columns.sort(key=lambda item: blueprint.plan.statistics.index(item[1].statistic))
    form = FORMAT if blueprint.plan.choosing else format_of(blueprint.cells)
    return {
        "format": form,
        "plan": blueprint.plan.as_json(),
        "guarantee": guarantee(blueprint.schema, blueprint.loss),
        "groups": blueprint.groups(),
        "draws": [
            facts | _raw(one, form) | one.told for facts, one in zip(described, drawn, strict=True)
        ],
        "statistics": [
            _released(column, blueprint.schema, form)
            | {"draw": place}
            | adjusted(blueprint.plan, column)
            for place, column in columns
        ],
    }


def _drawn(
    mechanism: Mechanism, request: ExactRequest, exact: ExactAnswer, engine: Engine | None
) -> Drawn:
    table = table_of(request.measures, exact)
    if engine is None or not isinstance(mechanism, Logistic):
        return mechanism.run(table)

    def ask(measures: tuple[Measure, ...], curve: TabulatedCurve) -> Sequence[Measured]:
        """Of the same rows: filters and bounds stay as they are."""
        further = replace(request, measures=measures, curve=curve)
        said = engine(further)
        _check_shape(further, said)
        return table_of(measures, said)

    return mechanism.descend(table, ask)


def _raw(drawn: Drawn, form: int) -> dict[str, Any]:
    """The released integers: a list for each cell, or one for all where each cell has one."""
    if form == ALIKE and isinstance(drawn.raw, OneEach):
        return {"numbers": list(drawn.raw.numbers)}
    return {"cells": list(drawn.raw)}


def _released(column: AnswerColumn, schema: DatasetSchema, form: int) -> dict[str, Any]:
    """Its head, with what the true number can be, and a warning where it says nothing."""
    one = column.statistic
    head = column.as_json() | said_of(one.kind, one.column, schema, one.clip)
    if form == ALIKE and isinstance(column.cells, AlikeCells):
        values, accuracy = column.cells.values, column.cells.accuracy
        warning = warning_of([accuracy], head, [_middle(values, head)])
        return head | warning | {"accuracy": accuracy, "values": list(values)}
    accuracies = [cell["accuracy"] for cell in column.cells]
    warning = warning_of(accuracies, head, [cell["value"] for cell in column.cells])
    return head | warning | {"cells": dated(column.cells, head)}


def _middle(values: Sequence[float], head: Mapping[str, Any]) -> float:
    """Of numbers with one error the one that says nothing if any of them does."""
    least, most = head["range"]
    middle = (least + most) / 2
    return min(values, key=lambda value: abs(value - middle))


def adjusted(plan: Plan, column: AnswerColumn) -> dict[str, Any]:
    """Counts of a table made plausible, beside the numbers as they were drawn; not of rectangles,
    for which the nearest rising table of two columns is no quick answer.
    """
    facts = column.statistic.kind.facts
    recipe, counts = facts.recipe, _values(column.cells)
    if facts.along == 1:
        bins = len(plan.group_by[-1].edges or ())
        parts = [counts[at : at + bins] for at in range(0, len(counts), bins)]
        values = [value for part in parts for value in adjusted_rising(part)]
        return {"adjusted": {"method": RISING, "values": values}}
    if recipe is Recipe.ROWS and plan.group_by:
        return {"adjusted": {"method": TABLE, "values": adjusted_table(counts)}}
    return {}


def _values(cells: Sequence[dict[str, Any]]) -> Sequence[float]:
    return cells.values if isinstance(cells, AlikeCells) else [cell["value"] for cell in cells]


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
