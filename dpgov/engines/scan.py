"""Turns an ExactRequest into one SQL scan and its rows into cells.

The SQL is made of column numbers and integers alone, so no text of a user can reach it. It is
understood, in its dialect, by every engine that has codes as integer columns c0..cN of a table
`data`, and with a named privacy unit u, k, r and n besides.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index

import numpy as np

from dpgov.engines.dialect import DUCKDB, Dialect
from dpgov.engines.grouping import (
    FEW_CODES,
    Column,
    GroupKey,
    bin_key,
    column_name,
    keys_of,
    within,
)
from dpgov.engines.of_two import with_columns_of_two
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.request import (
    PRIME,
    AllOf,
    AnyOf,
    CodeFilter,
    Counts,
    ExactAnswer,
    ExactRequest,
    Factor,
    Measure,
    MeasureKind,
    RowFilter,
    TabulatedCurve,
)
from dpgov.privacy.plan.schema import LARGEST_SUM

# A word in two halves, of which as many can be added as there are rows.
_HALF_BITS = 32
_HALF = 2**_HALF_BITS - 1


@dataclass(frozen=True, slots=True)
class Scan:
    """One SQL text and how to read its rows."""

    sql: str
    keys: tuple[GroupKey, ...]
    request: ExactRequest

    @property
    def is_by_columns(self) -> bool:
        """Whether what it returns is to be read by `counts`, as it may be many rows."""
        return self.request.counts_many or any(key.codes > FEW_CODES for key in self.keys)

    @property
    def words(self) -> frozenset[int]:
        """The columns of which it reads words: t0..tN."""
        return frozenset(key.word for key in self.keys if key.word is not None)

    def added_again(self, total: str, dialect: Dialect) -> str:
        """A total of what the scan returned: each of its measures can be added to others like it.

        Distinct ones cannot, and are counted by the cell. Sums are cut where they were cut before.
        """
        if not self.request.only_counts:
            return f"sum({total})"
        again = dialect.total(total)
        return _word(again) if self.is_by_columns else again

    def cells(self, rows: Iterable[tuple[int | None, ...]]) -> ExactAnswer:
        """Every cell in row-major order, with zeros where no row of the table fell."""
        width = len(self.request.measures)
        totals = [[0] * width for _ in range(self.request.cells)]
        for row in rows:
            cell = totals[self._cell(row)]
            for place, value in enumerate(row[len(self.keys) :]):
                cell[place] += int(value or 0)
        return tuple(tuple(cell) for cell in totals)

    def counts(self, columns: Sequence[Column]) -> Counts:
        """The same as an array, each at most LARGEST_SUM, of what a scan returned by columns."""
        number = np.zeros(len(columns[0]), dtype=np.int64)
        for key, column in zip(self.keys, columns, strict=False):
            number = number * key.bins + key.bins_of(column)
        totals = np.zeros((self.request.cells, len(self.request.measures)), dtype=np.int64)
        for place, column in enumerate(columns[len(self.keys) :]):
            totals[:, place] = _added(number, _whole(column), len(totals))
        return totals

    def _cell(self, row: tuple[int | None, ...]) -> int:
        number = 0
        for key, value in zip(self.keys, row, strict=False):
            number = number * key.bins + key.bin_of(value)
        return number


def _added(bins: Counts, numbers: Counts, length: int) -> Counts:
    """The sum of each bin, at most LARGEST_SUM, of whole numbers that are none above it.

    A live table may hold more rows than were promised. So many sums would pass the word; they are
    added in two halves, and cut: cutting brings two neighbours no further apart.
    """
    low, high = np.zeros(length, dtype=np.int64), np.zeros(length, dtype=np.int64)
    np.add.at(low, bins, numbers & _HALF)
    np.add.at(high, bins, numbers >> _HALF_BITS)
    high += low >> _HALF_BITS
    fits = high < LARGEST_SUM >> _HALF_BITS
    found: Counts = np.where(fits, high << _HALF_BITS | low & _HALF, LARGEST_SUM)
    return found


def _whole(column: Column) -> Counts:
    """Raises TypeError for what is not made of whole numbers: a rounded sum is no count."""
    if column.dtype.kind not in "iu":
        raise TypeError("not whole numbers")
    found: Counts = np.ma.filled(column, 0).astype(np.int64)
    return found


def compile_scan(
    request: ExactRequest,
    tops: Mapping[int, int],
    dialect: Dialect = DUCKDB,
    words: Container[int] = (),
) -> Scan:
    """The scan for this request; `tops` gives each column's largest storable code.

    Of the columns in `words` there are words too, by which it groups where it can.
    """
    # Distinct ones of several codes cannot be added up, so their cells are bins from the start.
    distinct = any(measure.is_distinct for measure in request.measures)
    keys = keys_of(request, {} if distinct else tops, dialect, words)
    total = dialect.total if request.only_counts else dialect.whole_total
    measures = [_measure(measure, dialect, total) for measure in request.measures]
    if request.counts_many:
        pairs = zip(request.measures, measures, strict=True)
        measures = [_word(sql) if m.kind is MeasureKind.CODE_SUM else sql for m, sql in pairs]
    outputs = [key.sql for key in keys] + measures
    conditions = [_filter(item) for item in request.filters]
    source, conditions = bounded(request, conditions, dialect)
    if request.curve is not None:
        source = curved(source, request.curve, dialect)
    sql = f"SELECT {', '.join(outputs)} FROM {source}"  # noqa: S608 - integers only
    if conditions:
        sql += " WHERE " + " AND ".join(conditions)
    if keys:
        sql += " GROUP BY " + ", ".join(str(place + 1) for place in range(len(keys)))
    return Scan(sql, keys, request)


def bounded(
    request: ExactRequest, conditions: list[str], dialect: Dialect = DUCKDB
) -> tuple[str, list[str]]:
    """Where to read from, and what remains to be asked of its rows, to keep what a unit may add.

    The order of a unit's cells is that of `place_of_cell`, of its rows in each that of `r`; see
    `UnitBounds`.
    """
    bounds, data = request.bounds, with_columns_of_two("data", request.of_two, dialect)
    if bounds is None:
        return data, conditions
    kept = [f"r < {index(bounds.max_rows)}", *conditions]
    if not bounds.ranks_cells:
        return data, kept
    cell = _cell_number(request.groupings[: bounds.groupings], dialect)
    passing = f"SELECT *, {cell} AS cell FROM {data} WHERE {' AND '.join(kept)}"  # noqa: S608
    source = dialect.within(passing)
    ranks, limits = [], []
    if bounds.max_groups is not None:
        spread = _SPREAD.format(over=dialect.over)
        source = dialect.within(f"SELECT *, {spread} AS spread FROM {source}")  # noqa: S608
        ranks.append(f"{_CELL_OF_UNIT} AS g")
        limits.append(f"g <= {index(bounds.max_groups)}")
    if bounds.max_rows_per_group is not None:
        ranks.append(f"{_ROW_OF_CELL} AS p")
        limits.append(f"p <= {index(bounds.max_rows_per_group)}")
    return dialect.within(f"SELECT *, {', '.join(ranks)} FROM {source}"), limits  # noqa: S608


_CELL_OF_UNIT = f"dense_rank() OVER (PARTITION BY u ORDER BY (spread * spread) % {PRIME}, spread)"
_ROW_OF_CELL = "row_number() OVER (PARTITION BY u, cell ORDER BY r)"
_SPREAD = (
    f"((1 + k % {PRIME - 1})::BIGINT * (cell + 1) + (k {{over}} 4294967296 % {PRIME})::BIGINT)"
    f" % {PRIME}"
)


def curved(source: str, curve: TabulatedCurve, dialect: Dialect = DUCKDB) -> str:
    """The rows of `source` with the curve's two numbers, `e` and `w`; see `TabulatedCurve`."""
    terms = [f"{_factor(factor, dialect)} * {index(weight)}" for factor, weight in curve.weights]
    score = " + ".join([*terms, f"{index(curve.plus)}::BIGINT"])
    table = [index(place) for place in curve.table]
    low, high = (dialect.element(table, f"place + {at}") for at in (1, 2))
    over = dialect.over
    step, unit, coarse = index(curve.step), index(curve.unit), index(curve.coarse)
    end = index(curve.end)
    steps = (
        f"{score} AS score",
        # Null stays null, as in `_clipped`.
        f"CASE WHEN score < 0 THEN 0 WHEN score > {end} THEN {end} ELSE score END AS met",
        f"met {over} {step} AS place, met % {step} AS part",
        f"{low} AS low, {high} AS high",
        f"low + (high - low) * part {over} {step} AS e",
        f"e * ({unit} - e) {over} {coarse} AS w",
    )
    for outputs in steps:
        source = dialect.within(f"SELECT *, {outputs} FROM {source}")  # noqa: S608
    return source


def _cell_number(groupings: Sequence[CodeGrouping], dialect: Dialect) -> str:
    """The number of the plan's cell, first grouping slowest: bins, never raw codes."""
    number = "0::BIGINT"
    for grouping in groupings:
        number = f"({number} * {grouping.bins} + {bin_key(grouping, dialect).sql})"
    return number


def _filter(item: RowFilter) -> str:
    if isinstance(item, AllOf | AnyOf) and len(item.members) == 1:
        # Without brackets: to Spark, `FROM data WHERE (FALSE)` names a table WHERE with a column.
        return _filter(item.members[0])
    if isinstance(item, AllOf):
        return f"({' AND '.join(map(_filter, item.members))})" if item.members else "TRUE"
    if isinstance(item, AnyOf):
        return f"({' OR '.join(map(_filter, item.members))})" if item.members else "FALSE"
    return _of_column(item)


def _of_column(item: CodeFilter) -> str:
    column = column_name(item.column)
    parts = [within(column, low, high) for low, high in item.ranges]
    if item.missing_passes:
        parts.append(f"{column} IS NULL")
    return f"({' OR '.join(parts)})" if parts else "FALSE"


def _measure(measure: Measure, dialect: Dialect, total: Callable[[str], str]) -> str:
    if measure.kind is MeasureKind.UNITS:
        return "count(DISTINCT u)"
    if measure.kind is MeasureKind.PRODUCT_SUM:
        return total(" * ".join(_factor(factor, dialect) for factor in measure.factors))
    if measure.kind is MeasureKind.ROWS or measure.column is None:
        return dialect.rows
    column = column_name(measure.column)
    if measure.kind is MeasureKind.PRESENT:
        return f"count({column})"
    if measure.kind is MeasureKind.VALUES:
        return f"count(DISTINCT {column})"
    if measure.clip is not None:
        column = _clipped(column, *measure.clip)
    width = index(measure.width)
    code = column if width == 1 else f"({column} {dialect.over} {width})"
    if measure.kind is MeasureKind.SQUARE_SUM:
        return total(dialect.square(code))
    return total(code)


def _word(total: str) -> str:
    """A sum as a machine word, 0 where nothing was added up; engines return sums of any size.

    A server's table may have more rows than were declared: it is cut like every other sum of it.
    """
    return f"least(coalesce({total}, 0), {LARGEST_SUM})::BIGINT"


def _factor(factor: Factor, dialect: Dialect) -> str:
    """In 64 bits, which hold a product of any codes that may be asked for."""
    column = column_name(factor.column)
    if factor.level is not None:
        return dialect.truth(f"{column} = {index(factor.level)}")
    width = index(factor.width)
    return f"{column}::BIGINT" if width == 1 else f"({column} {dialect.over} {width})::BIGINT"


def _clipped(column: str, low: int, high: int) -> str:
    """Null stays null: least and greatest would pass over it and make a bound of it."""
    kept = f"CASE WHEN {column} < {index(low)} THEN {index(low)} "
    kept += f"WHEN {column} > {index(high)} THEN {index(high)} ELSE {column} END"
    return f"(({kept})::BIGINT - {index(low)})"
