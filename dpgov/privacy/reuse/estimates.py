"""What one stored answer says of one statistic that is asked: by copying its cells, or by adding
up the noisy integers that it was made of.

Works from public metadata and released numbers alone: post-processing, which costs nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpgov.privacy.accounting.decimals import (
    decimal_text,
    decimals_of,
    json_number,
    read_decimal,
)
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.mechanisms.mechanism import Mechanism, Statements
from dpgov.privacy.mechanisms.views import Basis, View, expected_of, view_of
from dpgov.privacy.plan.canonical import names_of
from dpgov.privacy.plan.plan import Statistic, clip_as_json
from dpgov.privacy.plan.schema import DatasetSchema
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.privacy.reuse.unions import DROPPED, Union

Cells = list[dict[str, Any]]
Columns = list[tuple[dict[str, Any], Statements]]
"""The columns of a statistic, each with the errors to expect."""
_EXACT_UP_TO = 64


def key_of(question: str, round_: int) -> str:
    """The key of one round's table of a question that has several: each is a stored answer."""
    return f"{question}/{round_}"


def question_of(key: str) -> tuple[str, int | None]:
    """The question of a stored answer by its key, and which of its rounds it is, if of one."""
    question, _, round_ = key.partition("/")
    return question, int(round_) if round_ else None


@dataclass(frozen=True, slots=True, eq=False)
class StoredAnswer:
    """A stored answer by its key: how it was made, and how asked cells are made of its cells."""

    key: str
    blueprint: Blueprint
    union: Union


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A count or sum: weighted readings of all stored cells of an asked cell, added up."""

    stored: StoredAnswer
    statistic: Statistic
    place: int
    taken: Draw
    weights: tuple[Fraction, ...]
    lattice: Fraction

    @property
    def key(self) -> str:
        """Of the stored answer."""
        return self.stored.key

    @property
    def variance(self) -> float:
        """Of one stored cell's part."""
        return self.taken.noise.variance * float(sum(weight**2 for weight in self.weights))

    @property
    def deviation(self) -> float:
        """Of the noise in the worst cell: to compare estimates of the same statistic."""
        return float(np.sqrt(self.variance * max(1, int(self.stored.union.sizes.max()))))

    def values(self, body: dict[str, Any]) -> list[Fraction]:
        """Unrounded, one an asked cell."""
        return [
            sum((w * n for w, n in zip(self.weights, cell, strict=True)), Fraction(0))
            for cell in added_up(self.stored.union, body["draws"][self.place]["cells"])
        ]

    def in_units(self, steps: int) -> int | float:
        """Steps of the statistic's lattice as the number that they stand for."""
        return json_number(steps * self.lattice, min(12, decimals_of(self.lattice)))

    def head(self) -> dict[str, Any]:
        """The statistic as a column of an answer."""
        return head(self.statistic)


@dataclass(frozen=True, slots=True, eq=False)
class Viewed:
    """A mean, variance or standard deviation of added up moments."""

    stored: StoredAnswer
    statistic: Statistic
    place: int
    basis: Basis

    @property
    def key(self) -> str:
        """See Linear."""
        return self.stored.key

    @property
    def deviation(self) -> float:
        """See Linear."""
        sizes = max(1, int(self.stored.union.sizes.max()))
        return float(np.sqrt(self.basis.taken.noise.variance * sizes)) / self.basis.whole

    def expected(self, rows_in_a_cell: int | None) -> Columns:
        """What its numbers may be off by, in the worst cell."""
        view = self._view(int(self.stored.union.sizes.max()))
        return [(head(self.statistic), expected_of(view, rows_in_a_cell, self.basis.taken))]

    def columns(self, body: dict[str, Any]) -> list[tuple[dict[str, Any], Cells]]:
        """Its column with the cells, out of the stored body."""
        sums = added_up(self.stored.union, body["draws"][self.place]["cells"])
        times = [_rounded_up(size) for size in self.stored.union.sizes.tolist()]
        cells: Cells = [{} for _ in sums]
        for some in sorted(set(times)):
            places = [place for place, these in enumerate(times) if these == some]
            these = [tuple(sums[place]) for place in places]
            view = self._view(some)
            found = zip(places, view.values(these), view.accuracy(these), strict=True)
            for place, value, accuracy in found:
                cells[place] = {"value": value, "accuracy": accuracy}
        return [(head(self.statistic), cells)]

    def _view(self, times: int) -> View:
        basis = replace(self.basis, times=_rounded_up(times))
        return view_of(replace(self.statistic, share=None), basis)


@dataclass(frozen=True, slots=True, eq=False)
class Copied:
    """The released cells themselves, in the order in which they are asked."""

    stored: StoredAnswer
    statistic: Statistic
    mechanism: Mechanism
    deviation: float

    @property
    def key(self) -> str:
        """See Linear."""
        return self.stored.key

    def expected(self, rows_in_a_cell: int | None) -> Columns:
        """See Viewed."""
        known = {
            self._name(column.as_json()): (column.facts, statements)
            for column, statements in self.mechanism.expected(rows_in_a_cell)
        }
        return [
            (head(self.statistic, name, known[name][0]), known[name][1])
            for name in names_of(self.statistic, self._schema)
        ]

    def columns(self, body: dict[str, Any]) -> list[tuple[dict[str, Any], Cells]]:
        """See Viewed."""
        known = {self._name(column): column for column in body["statistics"]}
        order = np.argsort(self.stored.union.targets, kind="stable")
        kept = order[np.sort(self.stored.union.targets) != DROPPED].tolist()
        return [
            (
                head(self.statistic, name, known[name]),
                [known[name]["cells"][place] for place in kept],
            )
            for name in names_of(self.statistic, self._schema)
        ]

    def _name(self, column: dict[str, Any]) -> tuple[str, ...]:
        return name_of_column(column, self._schema)

    @property
    def _schema(self) -> DatasetSchema:
        return self.stored.blueprint.schema


def added_up(union: Union, cells: Sequence[Sequence[int]]) -> list[list[int]]:
    """The readings of each asked cell, exact: integers of any size."""
    width = len(cells[0]) if cells else 0
    sums = [[0] * width for _ in union.sizes]
    for target, cell in zip(union.targets.tolist(), cells, strict=True):
        if target != DROPPED:
            for place, reading in enumerate(cell):
                sums[target][place] += reading
    return sums


def _rounded_up(times: int) -> int:
    """A few numbers stand for all: at most 1/32 larger, which widens an interval by 2 percent."""
    if times <= _EXACT_UP_TO:
        return max(1, times)
    step = 1 << (times.bit_length() - 6)
    return -(-times // step) * step


def head(
    statistic: Statistic, name: tuple[str, ...] = (), facts: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The head of a column as it was asked, with the facts that tell it apart."""
    found: dict[str, Any] = {"statistic": statistic.kind.value, "column": statistic.column}
    found |= clip_as_json(statistic.clip)
    if statistic.kind is StatisticKind.QUANTILES:
        found["quantile"] = float(name[2])
    if facts and "rows_beyond" in facts:
        found["rows_beyond"] = facts["rows_beyond"]
    return found


def name_of_column(column: dict[str, Any], schema: DatasetSchema) -> tuple[str, ...]:
    """The canonical name of a column of an answer."""
    kind, order = StatisticKind(column["statistic"]), column.get("quantile")
    orders = () if order is None else (json_text(order),)
    clip = column.get("clip")
    ends = None if clip is None else (decimal(clip["from"]), decimal(clip["to"]))
    return names_of(Statistic(kind, column.get("column"), orders, clip=ends), schema)[0]


def decimal(number: float) -> str:
    """The end of a clip as plans spell it."""
    return decimal_text(read_decimal(number))


def json_text(order: float) -> str:
    """A quantile as plans spell it."""
    return f"{order:.4f}".rstrip("0")
