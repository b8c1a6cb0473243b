"""Answers that cost nothing: made of stored releases by post-processing alone.

What was released is public; whatever is computed from it, without looking at data again, reveals
nothing more (Dwork and Roth 2014, proposition 2.1). Counts and sums that several answers hold are
put together with weights that are inverse to the variances of their noises, which are independent.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.body import FORMAT, MAX_CELLS
from dpgov.privacy.answer.release import adjusted, guarantee
from dpgov.privacy.mechanisms.mechanism import AnswerColumn, Statements
from dpgov.privacy.noise.noise import statement
from dpgov.privacy.noise.spread.sums import WeightedNoise, bound
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS
from dpgov.privacy.plan.plan import Plan, Statistic
from dpgov.privacy.plan.ranges import dated, said_of
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.reuse.cumulated import Ranged
from dpgov.privacy.reuse.estimates import (
    Cells,
    Columns,
    Copied,
    Linear,
    StoredAnswer,
    Viewed,
    question_of,
)
from dpgov.privacy.reuse.holdings import estimates_of
from dpgov.privacy.reuse.refits import Refitted, Repeated
from dpgov.privacy.reuse.unions import union_of

_MOST_TOGETHER = 5
_PARTS = 10**6


class SourceChanged(ValueError):
    """A stored answer was not made the way in which it would be made today: it stays as it is."""

    def __init__(self) -> None:
        super().__init__(
            said("A stored answer was made in another way and can't be used any more.")
        )


@dataclass(frozen=True, slots=True, eq=False)
class Combined:
    """A count or sum out of one stored answer or several, the best first."""

    parts: tuple[Linear, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Of the stored answers."""
        return tuple(part.key for part in self.parts)

    @property
    def sources(self) -> tuple[StoredAnswer, ...]:
        """The stored answers."""
        return tuple(part.stored for part in self.parts)

    @property
    def deviation(self) -> float:
        """Of the noise where it is largest."""
        return 1 / math.sqrt(sum(part.deviation**-2 for part in self.parts))

    def expected(self, rows_in_a_cell: int | None) -> Columns:
        """The widest of all bounds; the number of rows does not matter."""
        found = [self._statements(sizes) for sizes in set(self._sizes())]
        return [(self.parts[0].head(), max(found, key=lambda one: one[-1]["value"]))]

    def columns(self, bodies: Mapping[str, dict[str, Any]]) -> list[tuple[dict[str, Any], Cells]]:
        """The weighted sum, rounded to the lattice that the exact number lies on."""
        first, sizes = self.parts[0], self._sizes()
        values = zip(*(part.values(bodies[part.key]) for part in self.parts), strict=True)
        known = {these: self._statements(these) for these in set(sizes)}
        cells = []
        for these, numbers in zip(sizes, values, strict=True):
            weights = self._weights(these)
            mixed = sum((w * n for w, n in zip(weights, numbers, strict=True)), Fraction(0))
            value = first.in_units(round(mixed / first.lattice))
            cells.append({"value": value, "accuracy": known[these]})
        return [(first.head(), cells)]

    def _sizes(self) -> list[tuple[int, ...]]:
        """For each asked cell how many stored cells each part adds up."""
        return list(zip(*(part.stored.union.sizes.tolist() for part in self.parts), strict=True))

    def _weights(self, sizes: tuple[int, ...]) -> tuple[Fraction, ...]:
        """Of the parts in a cell; they add up to one, or to nothing where no row can be."""
        if 0 in sizes:
            return (Fraction(0),) * len(sizes)
        exact = [1 / (part.variance * n) for part, n in zip(self.parts, sizes, strict=True)]
        weights = [Fraction(round(w / sum(exact) * _PARTS), _PARTS) for w in exact[1:]]
        return (1 - sum(weights, Fraction(0)), *weights)

    def _statements(self, sizes: tuple[int, ...]) -> Statements:
        first, weights = self.parts[0], self._weights(sizes)
        terms = [
            WeightedNoise(part.taken.noise, float(weight * w), size)
            for part, weight, size in zip(self.parts, weights, sizes, strict=True)
            for w in part.weights
        ]
        found = []
        for level in CONFIDENCE_LEVELS:
            off = Fraction(bound(terms, level)) / first.lattice + Fraction(1, 2)
            steps = 0 if 0 in sizes else off.__floor__()
            found.append(statement(level, first.in_units(steps)))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Single:
    """Any other statistic, out of one stored answer."""

    part: Viewed | Copied | Refitted | Repeated | Ranged

    @property
    def keys(self) -> tuple[str, ...]:
        """Of the stored answer."""
        return (self.part.key,)

    @property
    def sources(self) -> tuple[StoredAnswer, ...]:
        """The stored answer."""
        return (self.part.stored,)

    @property
    def deviation(self) -> float:
        """See Combined."""
        return self.part.deviation

    def expected(self, rows_in_a_cell: int | None) -> Columns:
        """See Combined."""
        return self.part.expected(rows_in_a_cell)

    def columns(self, bodies: Mapping[str, dict[str, Any]]) -> list[tuple[dict[str, Any], Cells]]:
        """See Combined."""
        return self.part.columns(bodies[self.part.key])


@dataclass(frozen=True, slots=True, eq=False)
class PlanReuse:
    """How a whole plan is answered: each of its statistics, in its order."""

    plan: Plan
    schema: DatasetSchema
    parts: tuple[Combined | Single, ...]

    @property
    def sources(self) -> tuple[StoredAnswer, ...]:
        """What it is made of, each once."""
        return tuple(dict.fromkeys(source for part in self.parts for source in part.sources))

    @property
    def keys(self) -> tuple[str, ...]:
        """The stored answers that it is made of, each once."""
        return tuple(dict.fromkeys(key for part in self.parts for key in part.keys))

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions whose answers these are, each once."""
        return _questions(self.keys)

    def expected(self, rows_in_a_cell: int | None) -> Columns:
        """What to expect of each column, before anything is looked up."""
        return [column for part in self.parts for column in part.expected(rows_in_a_cell)]

    def body(
        self, bodies: Mapping[str, dict[str, Any]], groups: list[dict[str, Any]]
    ) -> dict[str, Any]:
        """The answer in the form of a release, of zero cost; `made_from` names the stored ones."""
        columns = [
            (statistic, part.keys, head, cells)
            for statistic, part in zip(self.plan.statistics, self.parts, strict=True)
            for head, cells in part.columns(bodies)
        ]
        return {
            "format": FORMAT,
            "plan": self.plan.as_json(),
            "guarantee": guarantee(self.schema, Loss(self.schema.mode, 0)),
            "groups": groups,
            "made_from": list(self.questions),
            "draws": [],
            "statistics": [
                head
                | (about := _said(statistic, self.schema))
                | {"made_from": list(_questions(keys)), "cells": dated(cells, about)}
                | adjusted(self.plan, AnswerColumn(statistic, {}, tuple(cells)))
                for statistic, keys, head, cells in columns
            ],
        }


def _questions(keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(question_of(key)[0] for key in keys))


def _said(statistic: Statistic, schema: DatasetSchema) -> dict[str, Any]:
    return said_of(statistic.kind, statistic.column, schema, statistic.clip)


def stored_as(
    key: str, plan: Plan, asked: Plan, schema: DatasetSchema, blueprint: Blueprint
) -> StoredAnswer | None:
    """A stored answer as a source of an asked plan; None when its cells do not make the asked, or
    are so many that nobody waits until each was looked at.
    """
    union = union_of(asked, plan, schema) if blueprint.cells <= MAX_CELLS else None
    return None if union is None else StoredAnswer(key, blueprint, union)


def derive(
    asked: Plan, schema: DatasetSchema, sources: Sequence[StoredAnswer], *, together: bool
) -> PlanReuse | None:
    """The best answer out of these sources; None when one of the statistics is in none of them.

    With `together`, counts and sums are put together from up to five sources; else each statistic
    is taken from the source that holds it with the least noise.
    """
    parts = [_part(statistic, sources, together=together) for statistic in asked.statistics]
    found = tuple(part for part in parts if part is not None)
    return PlanReuse(asked, schema, found) if len(found) == len(parts) else None


def _part(
    statistic: Statistic, sources: Sequence[StoredAnswer], *, together: bool
) -> Combined | Single | None:
    best = [
        min(known, key=lambda estimate: estimate.deviation)
        for known in (list(estimates_of(source, statistic)) for source in sources)
        if known
    ]
    best.sort(key=lambda estimate: estimate.deviation)
    if not best:
        return None
    if not isinstance(best[0], Linear):
        return Single(best[0])
    linear = tuple(estimate for estimate in best if isinstance(estimate, Linear))
    return Combined(linear[: _MOST_TOGETHER if together else 1])


def check_unchanged(stored: Blueprint, body: dict[str, Any]) -> None:
    """Raises SourceChanged unless the stored draws are the ones that the plan would have today."""
    draws = [{k: v for k, v in one.items() if k != "cells"} for one in body.get("draws", [])]
    if body.get("format") != FORMAT or draws != [m.describe() for m in stored.mechanisms]:
        raise SourceChanged
