"""Regressions out of stored ones: linear ones out of the moments of another on their columns, by
fewer of them or of another outcome; a logistic one out of the same, its predictors in any order.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from dpgov.privacy.mechanisms.design import design_for, may_drop_rows
from dpgov.privacy.mechanisms.logistic import Logistic
from dpgov.privacy.mechanisms.regression import Regression
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.reuse.estimates import Cells, Columns, StoredAnswer


@dataclass(frozen=True, slots=True, eq=False)
class Refitted:
    """`asked` is drawn as the stored one was; `places` are its moments among the stored ones."""

    stored: StoredAnswer
    place: int
    asked: Regression
    places: tuple[int, ...]

    @property
    def key(self) -> str:
        """Of the stored answer."""
        return self.stored.key

    @property
    def deviation(self) -> float:
        """Of the noise in a moment, to compare answers by."""
        return math.sqrt(self.asked.taken.noise.variance)

    def expected(self, rows_in_a_cell: int | None) -> Columns:
        """What to expect of each coefficient."""
        found = self.asked.expected(rows_in_a_cell)
        return [(column.as_json(), statements) for column, statements in found]

    def columns(self, body: dict[str, Any]) -> list[tuple[dict[str, Any], Cells]]:
        """The coefficients out of the stored moments."""
        stored = body["draws"][self.place]["cells"]
        made = self.asked.released([[cell[place] for place in self.places] for cell in stored])
        return [(column.as_json(), list(column.cells)) for column in made]


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """A logistic regression again, in the order in which its predictors are asked now."""

    stored: StoredAnswer
    place: int
    asked: Logistic
    deviation: float

    @property
    def key(self) -> str:
        """Of the stored answer."""
        return self.stored.key

    def expected(self, rows_in_a_cell: int | None) -> Columns:
        """What to expect of each coefficient."""
        found = self.asked.expected(rows_in_a_cell)
        return [(column.as_json(), statements) for column, statements in found]

    def columns(self, body: dict[str, Any]) -> list[tuple[dict[str, Any], Cells]]:
        """The coefficients as they were released."""
        there = {_term(s): s["cells"] for s in body["statistics"] if s["draw"] == self.place}
        heads = [head for head, _ in self.expected(None)]
        return [(head, there[_term(head)]) for head in heads]


def _term(head: dict[str, Any]) -> tuple[str | None, str | None]:
    return head["term"], head.get("category")


def repeated(
    stored: StoredAnswer, statistic: Statistic, place: int, mechanism: Logistic
) -> Repeated | None:
    """How a stored descent answers a logistic regression: only the same, about the same rows."""
    if not stored.union.same:
        return None
    drawn = mechanism.statistic
    same = (statistic.kind, statistic.column) == (drawn.kind, drawn.column)
    if not same or sorted(statistic.predictors) != sorted(drawn.predictors):
        return None
    deviation = math.sqrt(mechanism.draws.last.noise.variance)
    asked = mechanism.reordered(replace(statistic, share=None))
    return Repeated(stored, place, asked, deviation)


def refitted(
    stored: StoredAnswer, statistic: Statistic, place: int, mechanism: Regression
) -> Refitted | None:
    """How a stored draw answers a regression; None where it does not.

    Both must be about the same rows: a column that only the stored one has may drop none.
    """
    schema = stored.blueprint.schema
    if not stored.union.same or statistic.kind is not mechanism.statistic.kind:
        return None
    # A column that only the asked one has may be one that it computes, and unknown here.
    if not _columns(statistic) <= _columns(mechanism.statistic):
        return None
    dropped = may_drop_rows(mechanism.statistic, schema)
    if not statistic.predictors or not dropped <= may_drop_rows(statistic, schema):
        return None
    design, there = design_for(statistic, schema), mechanism.design
    if not set(design.terms) <= set(there.terms):
        return None
    known = [there.terms.index(term) for term in design.terms]
    drawn = [there.moment_of(known[i], known[j]) for i, j in design.moments]
    places = tuple(there.moments.index(pair) for pair in drawn if pair is not None)
    asked = replace(mechanism, statistic=replace(statistic, share=None), design=design)
    return Refitted(stored, place, asked, places)


def _columns(statistic: Statistic) -> set[str | None]:
    return {statistic.column, *statistic.predictors}
