"""Regressions out of the moments of another one: on fewer of its columns, or another outcome."""

import math
from dataclasses import dataclass, replace
from typing import Any

from dpgov.privacy.mechanisms.design import design_for, may_drop_rows
from dpgov.privacy.mechanisms.mechanism import Mechanism
from dpgov.privacy.mechanisms.regression import Regression
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.reuse.estimates import Cells, Columns, Stored


@dataclass(frozen=True, slots=True, eq=False)
class Refitted:
    """`asked` is drawn as the stored one was; `places` are its moments among the stored ones."""

    stored: Stored
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


def refitted(
    stored: Stored, statistic: Statistic, place: int, mechanism: Mechanism, schema: DatasetSchema
) -> Refitted | None:
    """How a stored draw answers a regression; None where it does not.

    Both must be about the same rows: a column that only the stored one has may drop none.
    """
    if not isinstance(mechanism, Regression) or not stored.union.same:
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
