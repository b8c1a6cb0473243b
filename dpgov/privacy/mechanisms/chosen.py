"""Tables that are chosen while a question is answered, out of one scan of all its groups.

The scan is the table of all columns; every candidate is a marginal of it, and these exact counts
never leave the worker that chooses (`adaptive`). What a round draws is a count by groups like any
other, with the noise that its own part of the price buys.

What could leak: exact counts of candidates by way of the model, which is given rounds and nothing
else. What could overspend: a candidate that moves further than the table of all columns. Adding up
cells moves by no more than they did together in L1, and in L2 by no more than all rows of a group
in one cell, which is what the table is bounded by as long as rows are not limited by its cells
(catalogue M13, `unit/privacy/answer/test_rounds`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, TypeVar

import numpy as np

from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.adaptive import TEXTBOOK, Adaptive, Model, Round
from dpgov.privacy.mechanisms.mechanism import (
    CHOICE,
    ROWS,
    AnswerColumn,
    Drawn,
    OfOne,
    OfRows,
    Statements,
    Whole,
)
from dpgov.privacy.mechanisms.table import Measured, column
from dpgov.privacy.mechanisms.totals import Total, count
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.noise.sensitivity import Exposure
from dpgov.privacy.plan.plan import Choosing, Plan, Statistic
from dpgov.privacy.plan.request import Counts
from dpgov.privacy.plan.statistics import StatisticKind

_Cells = TypeVar("_Cells", Counts, Floats)


class NeedsModel(TypeError):
    """What it chooses depends on a model of what it drew: see `ChosenTables.choose`."""


@dataclass(frozen=True, slots=True)
class ChosenTables(OfOne, OfRows, Whole):
    """All rounds over the marginals of a table of this shape; `each` is what a round draws."""

    statistic: Statistic
    shape: tuple[int, ...]
    tables: tuple[tuple[int, ...], ...]
    adaptive: Adaptive
    each: Total

    @property
    def loss(self) -> Loss:
        """Of all rounds together, choices and draws."""
        return self.adaptive.loss

    @property
    def smallest_nano(self) -> int:
        """Of every choice and every draw."""
        return self.adaptive.smallest_nano

    def run(self, table: Sequence[Measured]) -> Drawn:
        """Never: raises NeedsModel."""
        raise NeedsModel

    def choose(self, table: Sequence[Measured], model: Model) -> tuple[Round, ...]:
        """The rounds; `table` has the exact rows of all cells. Raises as `Adaptive.run` does."""
        cells = column(table, ROWS).reshape(self.shape)
        exact = [marginal(cells, one).ravel().tolist() for one in self.tables]
        return self.adaptive.run(exact, model)

    def describe(self) -> dict[str, Any]:
        """The noise of each drawn count, and how the price is split between choices and draws."""
        return (
            self.each.describe()
            | self.loss.as_json()
            | {
                "rounds": self.adaptive.rounds,
                "candidates": len(self.tables),
                "choice": {"mechanism": CHOICE} | self.adaptive.of_a_choice.as_json(),
                "table": self.adaptive.of_a_draw.as_json(),
            }
        )

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[AnswerColumn, Statements]]:
        """Of each count of each table that a round draws; of the whole nothing is known."""
        return self.each.expected(rows_in_a_cell)


def marginal(cells: _Cells, table: Sequence[int]) -> _Cells:
    """The cells added up over every other axis."""
    others = tuple(axis for axis in range(cells.ndim) if axis not in table)
    return np.asarray(cells.sum(axis=others), dtype=cells.dtype)


def chosen_tables(plan: Plan, choosing: Choosing, exposed: Exposure, loss: Loss) -> ChosenTables:
    """The counts of those tables of a plan's groups that it chooses.

    Raises ValueError where it would choose among rows that are limited by cell: no door makes such
    a plan, since a marginal would have more of them in a cell than the table of all columns.
    """
    if plan.per_unit is not None:
        raise ValueError("tables to choose among, of rows that are limited by cell")
    statistic = next(one for one in plan.statistics if one.kind is StatisticKind.COUNT)
    tables = choosing.tables
    shape = tuple(grouping.bins for grouping in plan.group_by)
    reach = count(statistic, exposed, loss).taken.reach
    sizes = tuple(prod(shape[place] for place in table) for table in tables)
    adaptive = Adaptive(sizes, reach, loss, choosing.rounds)
    if choosing.mwem:
        adaptive = replace(adaptive, choosing=TEXTBOOK, penalised=False)
    each = count(statistic, exposed, adaptive.of_a_draw)
    return ChosenTables(statistic, shape, tables, adaptive, each)
