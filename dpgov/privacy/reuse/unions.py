"""Which cells of one plan are unions of cells of another: looked up in codes, never in data.

A cell of the asked plan is made of stored cells when both hold exactly the same rows on every
table: the stored plan filters no row away that is asked for, and each further filter and each
coarser bin takes stored bins as a whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.canonical import conjuncts_of
from dpgov.privacy.plan.computed.asked import with_formulas
from dpgov.privacy.plan.grouping import by_sizes, code_grouping
from dpgov.privacy.plan.plan import Plan
from dpgov.privacy.plan.predicates import Range
from dpgov.privacy.plan.request import AllOf, CodeFilter, RowFilter
from dpgov.privacy.plan.schema import DatasetSchema

Places = NDArray[np.int64]
Truths = NDArray[np.bool_]
DROPPED = -1


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """`targets` holds for each stored cell the asked cell that it is part of, or DROPPED.

    `sizes` says of how many stored cells each asked cell is made: of none where no row can be.
    `same` when both plans have the same cells.
    """

    targets: Places
    sizes: Places
    same: bool

    @property
    def one_each(self) -> bool:
        """Whether each asked cell is one stored cell."""
        return bool((self.sizes == 1).all())


@dataclass(frozen=True, slots=True)
class _Side:
    """A plan's groupings and filters by column, and its compound filters."""

    groupings: dict[int, CodeGrouping]
    filters: dict[int, CodeFilter]
    compounds: frozenset[RowFilter]


def union_of(asked: Plan, stored: Plan, schema: DatasetSchema) -> Union | None:
    """How the asked cells are made of the stored ones; None when they are not."""
    used = schema.unit.narrowed(stored.per_unit)
    if schema.unit.narrowed(asked.per_unit) != used:
        return None
    schema = with_formulas(stored.computed, with_formulas(asked.computed, schema))
    found, wanted = conjuncts_of(stored, schema), conjuncts_of(asked, schema)
    if found == wanted and asked.group_by == stored.group_by:
        return _same(asked)
    # Which rows of a unit are used depends on cells and filters: others are not made of them.
    if used is not None or by_sizes(asked, schema) or by_sizes(stored, schema):
        return None
    return _Matching(_side(asked, wanted, schema), _side(stored, found, schema), schema).union()


def _same(plan: Plan) -> Union:
    cells = 1
    for grouping in plan.group_by:
        cells *= len(grouping.edges) if grouping.edges else len(grouping.categories or ()) + 1
    return Union(np.arange(cells), np.ones(cells, dtype=np.int64), same=True)


def _side(plan: Plan, conjuncts: tuple[RowFilter, ...], schema: DatasetSchema) -> _Side:
    groupings = {}
    for grouping in plan.group_by:
        index = schema.index_of(grouping.column)
        if index is not None:
            groupings[index] = code_grouping(grouping, index, schema.columns[index])
    return _Side(
        groupings,
        {item.column: item for item in conjuncts if isinstance(item, CodeFilter)},
        frozenset(item for item in conjuncts if not isinstance(item, CodeFilter)),
    )


class _NotAUnion(Exception):
    """A stored bin lies partly inside what is asked."""


class _Matching:
    """One comparison of two plans, column by column."""

    def __init__(self, asked: _Side, stored: _Side, schema: DatasetSchema) -> None:
        self.asked, self.stored, self.schema = asked, stored, schema
        self.axes = list(stored.groupings)

    def union(self) -> Union | None:
        if not self._comparable():
            return None
        try:
            targets = self._targets()
        except _NotAUnion:
            return None
        cells = 1
        for grouping in self.asked.groupings.values():
            cells *= grouping.bins
        sizes = np.bincount(targets[targets != DROPPED], minlength=cells)
        return Union(targets, sizes, same=False)

    def _comparable(self) -> bool:
        """Along columns that the stored answer does not group by, both take the same rows."""
        asked, stored = self.asked, self.stored
        others = (asked.filters.keys() | stored.filters.keys()) - set(self.axes)
        return (
            asked.groupings.keys() <= stored.groupings.keys()
            and stored.compounds <= asked.compounds
            and all(asked.filters.get(c) == stored.filters.get(c) for c in others)
        )

    def _targets(self) -> Places:
        shape = [self.stored.groupings[column].bins for column in self.axes]
        targets, kept = np.zeros(shape, dtype=np.int64), np.ones(shape, dtype=np.bool_)
        along = {column: self._bins_along(column) for column in self.axes}
        for column, grouping in self.asked.groupings.items():
            targets = targets * grouping.bins + self._spread(along[column], column)
        for column in self.axes:
            kept &= self._spread(along[column], column) != DROPPED
        for compound in self.asked.compounds - self.stored.compounds:
            kept &= self._holds(compound)
        found: Places = np.where(kept, targets, DROPPED).ravel()
        return found

    def _spread(self, values: NDArray[np.int64], column: int) -> Places:
        """Values along one axis, ready to be combined with others."""
        shape = [1] * len(self.axes)
        shape[self.axes.index(column)] = len(values)
        return values.reshape(shape)

    def _bins_along(self, column: int) -> Places:
        """For each stored bin the asked bin that it is in, or DROPPED."""
        wanted_by = self.asked.groupings.get(column)
        turns = wanted_by is not None and wanted_by.turns
        if turns or self.stored.groupings[column].is_scattered:
            return self._scattered_bins(column)
        atoms = _Atoms(self, column)
        wanted = atoms.passing(self.asked.filters.get(column))
        there = atoms.passing(self.stored.filters.get(column))
        if (wanted & ~there).any():
            raise _NotAUnion
        places = np.where(wanted, 0 if wanted_by is None else atoms.bins(wanted_by), DROPPED)
        return atoms.of_stored_bins(places, there, otherwise=DROPPED)

    def _scattered_bins(self, column: int) -> Places:
        """Weekdays lie all over the codes: their bins are taken as they are, or all together."""
        stored, asked = (side.groupings.get(column) for side in (self.stored, self.asked))
        filters = (side.filters.get(column) for side in (self.stored, self.asked))
        if stored is None or asked not in (None, stored) or len(set(filters)) > 1:
            raise _NotAUnion
        found = np.arange(stored.bins) if asked else np.zeros(stored.bins, dtype=np.int64)
        if not self.schema.columns[column].may_be_missing:
            found[-1] = DROPPED
        return found

    def _holds(self, item: RowFilter) -> Truths:
        """Whether a filter lets all of each stored cell pass that is asked for, or none of it."""
        if not isinstance(item, CodeFilter):
            parts = [self._holds(member) for member in item.members]
            start = np.full([1] * len(self.axes), isinstance(item, AllOf))
            for part in parts:
                start = start & part if isinstance(item, AllOf) else start | part
            return start
        if item.column not in self.axes or self.stored.groupings[item.column].is_scattered:
            raise _NotAUnion
        atoms = _Atoms(self, item.column, item)
        wanted = atoms.passing(self.asked.filters.get(item.column))
        values = atoms.passing(item).astype(np.int64)
        held = atoms.of_stored_bins(values, wanted, otherwise=0)
        found: Truths = self._spread(held, item.column) == 1
        return found


class _Atoms:
    """The codes of one column, cut wherever something begins or ends; last, a missing value."""

    def __init__(self, matching: _Matching, column: int, *more: CodeFilter) -> None:
        self.stored = matching.stored.groupings[column]
        spec = matching.schema.columns[column]
        self.missing = spec.may_be_missing
        known = (
            self.stored,
            matching.asked.groupings.get(column),
            matching.stored.filters.get(column),
            matching.asked.filters.get(column),
            *more,
        )
        ranges = [r for item in known if item is not None for r in item.ranges if r[0] <= r[1]]
        cuts = {0, *(low for low, _ in ranges), *(high + 1 for _, high in ranges)}
        last = spec.largest_code
        self.codes = np.array(sorted(cut for cut in cuts if cut <= last), dtype=np.int64)

    def passing(self, item: CodeFilter | None) -> Truths:
        if item is None:
            return np.ones(len(self.codes) + self.missing, dtype=np.bool_)
        inside = _places(item.ranges, self.codes) < len(item.ranges)
        return np.append(inside, item.missing_passes) if self.missing else inside

    def bins(self, grouping: CodeGrouping) -> Places:
        found = _places(grouping.ranges, self.codes)
        if grouping.folds:
            inside = found < len(grouping.ranges)
            folded = (found + grouping.enters) % grouping.folds
            found = np.where(inside, folded, grouping.rest)
        return np.append(found, grouping.rest) if self.missing else found

    def of_stored_bins(self, values: Places, among: Truths, *, otherwise: int) -> Places:
        """The value that all atoms of a stored bin have, or `otherwise` where it has none."""
        bins, seen = self.bins(self.stored)[among], values[among]
        least = np.full(self.stored.bins, np.iinfo(np.int64).max)
        most = np.full(self.stored.bins, np.iinfo(np.int64).min)
        np.minimum.at(least, bins, seen)
        np.maximum.at(most, bins, seen)
        if (least < most).any():
            raise _NotAUnion
        found: Places = np.where(least > most, otherwise, most)
        return found


def _places(ranges: Sequence[Range], codes: Places) -> Places:
    """The number of the range that holds each code; as many as there are where none does."""
    real = sorted((low, high, place) for place, (low, high) in enumerate(ranges) if low <= high)
    if not real:
        return np.full(len(codes), len(ranges))
    lows, highs, places = (np.array(part, dtype=np.int64) for part in zip(*real, strict=True))
    at = np.searchsorted(lows, codes, side="right") - 1
    inside = (at >= 0) & (codes <= highs[at])
    found: Places = np.where(inside, places[at], len(ranges))
    return found
