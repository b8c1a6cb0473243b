"""Rounds of an adaptive choice: what a model knows of the tables so far, and each as its own count.

The model is the fit of `answer.fitting` over what was released, even over columns of which no table
was drawn yet: multiplicative weights, as MWEM has them. It is a computation on released numbers, is
shown no count and draws nothing; what it takes is bounded by public numbers (`needs_of_rounds`).
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.fitting import Axis, Needs, ReleasedTable, fit, needs_of, total_of
from dpgov.privacy.mechanisms.adaptive import BadGuess, Model, Round
from dpgov.privacy.mechanisms.chosen import ChosenTables, marginal
from dpgov.privacy.noise.noise import Floats

# Of making, checking and scoring the guess of one count, at most; of all counts and guesses.
_NANOSECONDS_A_GUESS = 1_500
_MEGABYTES = 64


def needs_of_rounds(mechanism: ChosenTables) -> Needs:
    """The most that all fits of its rounds take of one processor, and any of them of memory."""
    cells = math.prod(mechanism.shape)
    rounds = mechanism.adaptive.rounds
    found = [needs_of(cells, tables) for tables in range(1, rounds)]
    known = [needs for needs in found if needs is not None]
    guessed = _NANOSECONDS_A_GUESS * sum(mechanism.adaptive.cells) * rounds / 1e9
    seconds = sum(needs.seconds for needs in known) + guessed
    megabytes = max((needs.megabytes for needs in known), default=0)
    return Needs(cells, math.ceil(seconds * 10) / 10, megabytes + _MEGABYTES)


def model_of(mechanism: ChosenTables) -> Model:
    """What the drawn tables say of every candidate, in whole rows; raises BadGuess."""

    def model(found: Sequence[Round]) -> list[list[int]]:
        try:
            guesses = _guesses(mechanism, found)
        except (ArithmeticError, ValueError, MemoryError) as error:
            raise BadGuess(type(error).__name__) from None
        return [np.rint(guess).astype(np.int64).ravel().tolist() for guess in guesses]

    return model


def _guesses(mechanism: ChosenTables, found: Sequence[Round]) -> list[Floats]:
    if not found:
        return [np.zeros(cells) for cells in mechanism.adaptive.cells]
    drawn = released_tables(mechanism, found)
    axes = [axis for axis in _axes(mechanism.shape) if any(axis in one.axes for one in drawn)]
    cells = fit(drawn, axes, total_of(drawn))
    known = [int(axis.column) for axis in axes]
    return [_spread(cells, known, table, mechanism.shape) for table in mechanism.tables]


def _spread(
    cells: Floats, known: Sequence[int], table: Sequence[int], shape: Sequence[int]
) -> Floats:
    """A marginal of the fitted cells, even over columns of which nothing is known."""
    part = marginal(cells, [at for at, place in enumerate(known) if place in table])
    rest = math.prod(shape[place] for place in table if place not in known)
    within = part.reshape([shape[place] if place in known else 1 for place in table]) / rest
    return np.array(np.broadcast_to(within, [shape[place] for place in table]))


def released_tables(mechanism: ChosenTables, found: Sequence[Round]) -> list[ReleasedTable]:
    """What was drawn, several draws of one table as their mean."""
    axes, made = _axes(mechanism.shape), []
    for place in dict.fromkeys(one.place for one in found):
        table = mechanism.tables[place]
        draws = np.array([one.counts for one in found if one.place == place], dtype=np.float64)
        counts = draws.mean(axis=0).reshape([mechanism.shape[axis] for axis in table])
        variance = mechanism.adaptive.noise.variance / len(draws)
        made.append(ReleasedTable(tuple(axes[axis] for axis in table), counts, variance))
    return made


def _axes(shape: Sequence[int]) -> list[Axis]:
    return [Axis(str(place), tuple(map(str, range(bins)))) for place, bins in enumerate(shape)]


def as_count(blueprint: Blueprint, place: int) -> Blueprint:
    """The table at this place as a count by its groups, for what a round pays for drawing it."""
    mechanism = blueprint.chooses
    if mechanism is None:
        raise ValueError("a question that chooses no tables")
    plan, table = blueprint.plan, mechanism.tables[place]
    groups = tuple(plan.group_by[axis] for axis in table)
    counted = replace(plan, group_by=groups, choosing=None)
    return prepare(counted.at(mechanism.adaptive.of_a_draw), blueprint.schema)
