"""The one step from exact to noisy: an engine's integers in, the published answer out.

Must never put anything of the exact answer into the release, an error or a log but through noise.
"""

from collections.abc import Sequence
from typing import Any

from dpgov.privacy.blueprint import Blueprint, describe_statistic
from dpgov.privacy.budget import as_number
from dpgov.privacy.mechanisms.mechanism import Mechanism, NoisyCell
from dpgov.privacy.request import ExactAnswer, Measure

FORMAT = 1


class MalformedAnswer(ValueError):
    """An engine returned something else than one integer per measure and cell.

    The message never holds what it returned.
    """


def draw(blueprint: Blueprint, exact: ExactAnswer) -> dict[str, Any]:
    """The release body: values with noise, their accuracy, and the guarantee they come with.

    Draws fresh noise each time: call it once per charge. Raises MalformedAnswer, before any
    noise is drawn, when the exact answer does not have the shape of the request.
    """
    _check_shape(blueprint, exact)
    measured = [dict(zip(blueprint.request.measures, cell, strict=True)) for cell in exact]
    return {
        "format": FORMAT,
        "plan": blueprint.plan.as_json(),
        "guarantee": _guarantee(blueprint),
        "groups": blueprint.groups(),
        "statistics": [_released(mechanism, measured) for mechanism in blueprint.mechanisms],
    }


def _check_shape(blueprint: Blueprint, exact: ExactAnswer) -> None:
    width = len(blueprint.request.measures)
    if not isinstance(exact, Sequence) or len(exact) != blueprint.request.cells:
        raise MalformedAnswer(f"Expected {blueprint.request.cells} cells.")
    for cell in exact:
        if not isinstance(cell, Sequence) or len(cell) != width:
            raise MalformedAnswer(f"Expected {width} measures in every cell.")
        if any(type(number) is not int for number in cell):
            raise MalformedAnswer("Expected integers and nothing else.")


def _guarantee(blueprint: Blueprint) -> dict[str, Any]:
    schema = blueprint.schema
    return {
        "epsilon": as_number(blueprint.cost_nano),
        "privacy_unit": schema.unit.private_id or "row",
        "neighbouring": schema.neighbouring.value,
        "group_size": schema.group_size,
    }


def _released(mechanism: Mechanism, measured: list[dict[Measure, int]]) -> dict[str, Any]:
    vectors = [part.draw([part.exact(cell) for cell in measured]) for part in mechanism.parts]
    noisy: list[NoisyCell] = list(zip(*vectors, strict=True))
    statements = mechanism.accuracy(noisy)
    cells = [
        {
            "value": mechanism.value(cell),
            "parts": [p.in_units(n) for p, n in zip(mechanism.parts, cell, strict=True)],
            "accuracy": accuracy,
        }
        for cell, accuracy in zip(noisy, statements, strict=True)
    ]
    return describe_statistic(mechanism) | {"cells": cells}
