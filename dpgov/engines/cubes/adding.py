"""A request answered from a cube: the same integers as a scan, by adding up cells.

All of it is done on whole arrays, whose shape follows from declarations and the plan: what it takes
does not depend on what was counted. Machine words are enough, see `privacy.plan.cubes.answers`.
"""

from collections.abc import Iterable, Mapping
from functools import reduce
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpgov.engines.grouping import bins_of_codes
from dpgov.privacy.plan.cubes import POWERS, Layout, is_summed
from dpgov.privacy.plan.request import (
    AllOf,
    CodeFilter,
    Counts,
    ExactRequest,
    Factor,
    Measure,
    MeasureKind,
    RowFilter,
)

_Passing = NDArray[np.bool_]
_Weights = Mapping[int, Counts]
"""By the axis of a column, what each of its codes counts for."""


def added_up(layout: Layout, numbers: Counts, request: ExactRequest) -> Counts:
    """One row a cell, one column a measure, for a request that its layout `answers`."""
    asked = _Asked(layout, numbers, request)
    totals = np.zeros((request.cells, len(request.measures)), np.int64)
    for place, measure in enumerate(request.measures):
        totals[:, place] = asked.total(measure)
    return totals


class _Asked:
    """What passes and what is told apart, for every measure of one request."""

    def __init__(self, layout: Layout, numbers: Counts, request: ExactRequest) -> None:
        self._layout, self._numbers, self._request = layout, numbers, request
        self._mask, self._kept = _passing(layout, request.filters)
        self._cut: dict[int, Counts] = {}
        self._bins: dict[int, Counts] = {}
        self._order: list[int] = []
        for axis, column in enumerate(layout.columns):
            own = [at for at, one in enumerate(request.groupings) if one.column == column]
            if own:
                self._order += own
                self._bins[axis] = self._cell_of_codes(axis, own)[self._kept[axis]]

    def total(self, measure: Measure) -> Counts:
        """Its number in each cell."""
        if measure.column in self._layout.sums and is_summed(measure):
            is_sum = measure.kind is MeasureKind.CODE_SUM
            return self._added(1 + 2 * self._layout.sums.index(measure.column) + is_sum, {})
        weights = {axis: w[self._kept[axis]] for axis, w in _weights(self._layout, measure).items()}
        distinct = measure.kind is MeasureKind.VALUES
        return self._added(0, weights, distinct=next(iter(weights)) if distinct else None)

    def _cell_of_codes(self, axis: int, groupings: list[int]) -> Counts:
        """For each place on the axis its bin, or that of all its groupings together."""
        size = self._layout.sizes[axis]
        number = np.zeros(size + 1, np.int64)
        for grouping in (self._request.groupings[at] for at in groupings):
            missing = grouping.bins - 1
            number = number * grouping.bins + np.append(bins_of_codes(grouping, size), missing)
        return number

    def _passed(self, number: int) -> Counts:
        """One number of every cell of the cube that passes, without codes that never do."""
        if number not in self._cut:
            array = self._numbers[number]
            if self._mask is not None:
                array = np.where(self._mask, array, 0)
            for axis, kept in enumerate(self._kept):
                if len(kept) < array.shape[axis]:
                    array = np.take(array, kept, axis)
            self._cut[number] = array
        return self._cut[number]

    def _added(self, number: int, weights: _Weights, *, distinct: int | None = None) -> Counts:
        """Over the axes that are not grouped, and within bins over the others.

        Of `distinct` places are counted instead that have any row at all.
        """
        array = self._passed(number)
        plain = [a for a in range(array.ndim) if a not in self._bins and a not in weights]
        axes = [axis for axis in range(array.ndim) if axis not in plain]
        array = array.sum(axis=tuple(plain), dtype=np.int64)
        # Those that vanish first: what is left is smaller.
        for axis in sorted(axes, key=lambda one: (one == distinct, one in self._bins)):
            at = axes.index(axis)
            if axis == distinct:
                array = (array > 0).astype(np.int64)
            if axis in weights:
                array = array * _along(weights[axis], at, array.ndim)
            if axis in self._bins:
                array = _binned(array, at, self._bins[axis], self._bins_on(axis))
            else:
                array = array.sum(axis=at, dtype=np.int64)
                axes.remove(axis)
        bins = [self._request.groupings[at].bins for at in self._order]
        return array.reshape(bins).transpose(np.argsort(self._order)).ravel()

    def _bins_on(self, axis: int) -> int:
        column = self._layout.columns[axis]
        return prod(one.bins for one in self._request.groupings if one.column == column)


def _binned(array: Counts, axis: int, bins: Counts, number: int) -> Counts:
    """The same with one place a bin on this axis."""
    found = np.zeros((*array.shape[:axis], number, *array.shape[axis + 1 :]), np.int64)
    if len(bins):
        order = np.argsort(bins, kind="stable")
        ordered = bins[order]
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        sums = np.add.reduceat(np.take(array, order, axis), starts, axis=axis)
        there: tuple[Any, ...] = (*[slice(None)] * axis, ordered[starts])
        found[there] = sums
    return found


def _along(values: NDArray[Any], axis: int, axes: int) -> NDArray[Any]:
    """Values on one axis of so many, to be spread over the others."""
    return values.reshape([-1 if one == axis else 1 for one in range(axes)])


def _passing(
    layout: Layout, filters: Iterable[RowFilter]
) -> tuple[_Passing | None, list[NDArray[np.intp]]]:
    """Which cells pass what is about several columns at once; which places do on each axis."""
    kept = [np.ones(size + 1, np.bool_) for size in layout.sizes]
    mask: _Passing | None = None
    for item in _parts(filters):
        passes = _passes(layout, item)
        wide = [axis for axis, length in enumerate(passes.shape) if length > 1]
        if len(wide) == 1:
            kept[wide[0]] &= passes.ravel()
        else:
            mask = passes if mask is None else mask & passes
    return mask, [np.flatnonzero(one) for one in kept]


def _parts(filters: Iterable[RowFilter]) -> Iterable[RowFilter]:
    """All of which must pass."""
    for item in filters:
        if isinstance(item, AllOf):
            yield from _parts(item.members)
        else:
            yield item


def _passes(layout: Layout, item: RowFilter) -> _Passing:
    """One axis a column; of length 1 where the column is no matter."""
    axes = len(layout.columns)
    if isinstance(item, CodeFilter):
        axis = layout.columns.index(item.column)
        found = np.zeros(layout.sizes[axis] + 1, np.bool_)
        for low, high in item.ranges:
            found[max(low, 0) : min(max(high, -1) + 1, layout.sizes[axis])] = True
        found[-1] = item.missing_passes
        return _along(found, axis, axes)
    every = isinstance(item, AllOf)
    join = np.logical_and if every else np.logical_or
    members = (_passes(layout, member) for member in item.members)
    return reduce(lambda one, other: join(one, other), members, np.full((1,) * axes, every))


def _weights(layout: Layout, measure: Measure) -> _Weights:
    """What each code of its columns counts for; a missing value makes a row count for nothing."""
    if measure.kind is MeasureKind.ROWS:
        return {}
    factors = measure.factors
    if measure.kind is not MeasureKind.PRODUCT_SUM:
        axis, codes = _codes(layout, measure.column)
        if measure.clip is not None:
            low, high = measure.clip
            codes = np.clip(codes, low, high) - low
        codes //= measure.width
        return {axis: np.append(codes ** POWERS.get(measure.kind, 0), 0)}
    found: dict[int, Counts] = {}
    for factor in factors:
        axis, codes = _codes(layout, factor.column)
        own = np.append(_values(factor, codes), 0)
        found[axis] = found[axis] * own if axis in found else own
    return found


def _values(factor: Factor, codes: Counts) -> Counts:
    values: Counts = codes // factor.width
    return values if factor.level is None else (codes == factor.level).astype(np.int64)


def _codes(layout: Layout, column: int | None) -> tuple[int, Counts]:
    axis = layout.columns.index(-1 if column is None else column)
    return axis, np.arange(layout.sizes[axis], dtype=np.int64)
