"""What a scan groups by: bins, or the raw codes of a column with few, put into bins afterwards."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np

from dpgov.engines.dialect import DUCKDB, Dialect
from dpgov.privacy.plan.bins import ROWS_OF_UNIT, CodeGrouping
from dpgov.privacy.plan.request import ON_CURVE, WEIGHT, Counts, ExactRequest

Column = np.ndarray[Any, Any]
"""One column of what a scan returned; a masked array where it has nulls."""

# Up to here, grouping by the code itself and binning afterwards beats a CASE in the scan; more
# than two such keys could return more rows than that saves. Where rows alone are counted by one
# key, its codes come back as an array, and far more of them pay.
FEW_CODES = 256
_RAW_KEYS = 2
_COUNTED_CODES = 65_536
# A megabyte each at most, of the largest cube.
_TABLES_KEPT = 16


@dataclass(frozen=True, slots=True)
class GroupKey:
    """What the scan groups by for one grouping: the number of its bin, or the raw code.

    `bin_of_code` is None in the first case and has a bin for each possible code in the second.
    `word` is the column whose words stand for its codes in the scan; see `engines.categories`.
    """

    sql: str
    bins: int
    bin_of_code: Counts | None = None
    word: int | None = None

    @property
    def codes(self) -> int:
        """How many raw codes it may have; 0 where it has bins."""
        return 0 if self.bin_of_code is None else len(self.bin_of_code)

    def bin_of(self, value: int | None) -> int:
        """The bin of what the scan returned for this key; null falls in the last one."""
        if value is None:
            return self.bins - 1
        return value if self.bin_of_code is None else int(self.bin_of_code[value])

    def bins_of(self, values: Column) -> Counts:
        """The same of a whole column, in which null is masked."""
        known = np.ma.filled(values, 0).astype(np.int64)
        bins = known if self.bin_of_code is None else self.bin_of_code[known]
        found: Counts = np.where(np.ma.getmaskarray(values), self.bins - 1, bins)
        return found


def keys_of(
    request: ExactRequest,
    tops: Mapping[int, int],
    dialect: Dialect = DUCKDB,
    words: Container[int] = (),
) -> tuple[GroupKey, ...]:
    """Raw codes where a column is known to have few, or its words where it has some."""
    is_one = len(request.groupings) == 1 and request.counts_rows
    few = _COUNTED_CODES if is_one else FEW_CODES
    keys: list[GroupKey] = []
    for grouping in request.groupings:
        raw = sum(bool(key.codes) for key in keys) < _RAW_KEYS
        top = tops.get(grouping.column, few)
        is_raw = raw and top < few
        key = _raw_key(grouping, top) if is_raw else bin_key(grouping, dialect)
        if is_raw and grouping.column in words:
            key = replace(key, sql=f"t{index(grouping.column)}", word=grouping.column)
        keys.append(key)
    return tuple(keys)


def _raw_key(grouping: CodeGrouping, top: int) -> GroupKey:
    return GroupKey(column_name(grouping.column), grouping.bins, bins_of_codes(grouping, top + 1))


@lru_cache(maxsize=_TABLES_KEPT)
def bins_of_codes(grouping: CodeGrouping, number: int) -> Counts:
    """The bin of each code from 0 on, of so many; not to be written to.

    Known from the plan and the declarations alone, and kept: of many codes it takes longer than to
    count a million rows by them.
    """
    codes = np.arange(number)
    turned = (codes + grouping.start) % grouping.turns if grouping.turns else codes
    bins = _bins(grouping, turned)
    bins.setflags(write=False)
    return bins


def _bins(grouping: CodeGrouping, codes: Counts) -> Counts:
    """The bin of each code."""
    rest = grouping.rest
    if not grouping.ranges:
        return np.full_like(codes, rest)
    if width := grouping.even_width:
        low, high = grouping.ranges[0][0], grouping.ranges[-1][1]
        return np.where((low <= codes) & (codes <= high), (codes - low) // width, rest)
    # An empty bin begins where another one does, and would hide it.
    numbered = ((grouping.bin_of_range(at), *ends) for at, ends in enumerate(grouping.ranges))
    there = sorted((low, high, b) for b, low, high in numbered if low <= high)
    if not there:
        return np.full_like(codes, rest)
    lows, highs, bins = np.array(there, np.int64).T
    places = np.searchsorted(lows, codes, side="right") - 1
    return np.where((places >= 0) & (codes <= highs[places]), bins[places], rest)


def bin_key(grouping: CodeGrouping, dialect: Dialect = DUCKDB) -> GroupKey:
    """The number of the bin, found in the scan."""
    column = _turned(grouping)
    width = grouping.even_width
    over = dialect.over
    sql = _divided(column, grouping, width, over) if width else _searched(column, grouping)
    return GroupKey(sql, grouping.bins)


def _turned(grouping: CodeGrouping) -> str:
    column = column_name(grouping.column)
    if not grouping.turns:
        return column
    return f"(({column}::BIGINT + {index(grouping.start)}) % {index(grouping.turns)})"


def _divided(column: str, grouping: CodeGrouping, width: int, over: str) -> str:
    low, high = grouping.ranges[0][0], grouping.ranges[-1][1]
    shifted = f"({column} - {index(low)})" if low else column
    place = shifted if width == 1 else f"{shifted} {over} {width}"
    inside = within(column, low, high)
    return f"CASE WHEN {inside} THEN {place} ELSE {len(grouping.ranges)} END"


def _searched(column: str, grouping: CodeGrouping) -> str:
    arms = [
        f"WHEN {within(column, low, high)} THEN {index(grouping.bin_of_range(place))}"
        for place, (low, high) in enumerate(grouping.ranges)
    ]
    if not arms:
        return str(index(grouping.rest))
    return f"CASE {' '.join(arms)} ELSE {index(grouping.rest)} END"


_MADE = {ROWS_OF_UNIT: "n", ON_CURVE: "e", WEIGHT: "w"}


def column_name(number: int) -> str:
    """What stands for this column in the scan."""
    return _MADE.get(number) or f"c{index(number)}"


def within(column: str, low: int, high: int) -> str:
    """That a code is in this range, both ends included."""
    if low == high:
        return f"{column} = {index(low)}"
    return f"{column} BETWEEN {index(low)} AND {index(high)}"
