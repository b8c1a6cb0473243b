"""The table that a scan reads, as a select from the files: c0..cN and, of units, u, k, r and n.

Only what a request looks at is made. A unit's rows are in the order of a keyed hash of the unit and
of their declared codes, by the columns' names: rows that tie are the same to every question. So
what is kept of a unit depends on that unit's rows alone, and neither on how files are cut nor on
which worker reads them, or reads them again. The hash is that of `engines.postgres.rows`, of the
same bytes: under one key the same rows are kept there and here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import index

from dpgov.engines.categories import Reads, outputs_of, read_by
from dpgov.engines.live import NOBODY, Kind, columns_of, names_read
from dpgov.engines.scan import Scan
from dpgov.engines.spark.coding import code_of, is_long, trimmed, word_of
from dpgov.engines.spark.computed import computed_code
from dpgov.engines.spark.words import identifier, literal
from dpgov.privacy.plan.bins import ROWS_OF_UNIT
from dpgov.privacy.plan.grouping import LARGEST_SIZE
from dpgov.privacy.plan.request import ExactRequest, UnitBounds
from dpgov.privacy.plan.schema import ColumnSpec, PrivacyUnit

# What the files are called in a session, and the parameter with the key of the order of rows.
VIEW, KEY = "source", "key"
# How PostgreSQL writes a text within a row: in quotes where it holds one of these.
_QUOTED_FOR = r'[\x09-\x0d "(),\\]'


@dataclass(frozen=True, slots=True)
class Source:
    """A Parquet file or a folder of some, and what is declared; `unit` names a column or none.

    `in_microseconds` says that whoever registers it has seen so of all moments, in the files'
    footers, which Spark does not show. Without it no column of moments is read: milliseconds that
    64 bits of microseconds cannot hold fail while they are read.
    """

    path: str
    columns: tuple[ColumnSpec, ...]
    unit: PrivacyUnit
    in_microseconds: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the files that are read."""
        return names_read(self.columns, self.unit)


def data_sql(source: Source, kinds: Mapping[str, Kind], scan: Scan) -> str:
    """The select. Its parameter `key` is that of the order of rows, where it has one."""
    request, reads = scan.request, read_by(scan, source.columns)
    rows, bounds = _coded(source, kinds, reads), request.bounds
    if bounds is None:
        return rows
    named = f"({rows}) WHERE u IS NOT NULL"
    marks = _marks(source, kinds, request, bounds)
    if not reads.codes:
        # All rows of a unit are the same: there are as many as it has, or may keep.
        sizes = f"SELECT u, count(*) AS size FROM {named} GROUP BY u"  # noqa: S608
        rank = f"explode(sequence(0L, least(size, {index(bounds.max_rows)}L) - 1L)) AS r"
        return f"SELECT u, {', '.join([*marks, rank])} FROM ({sizes})"  # noqa: S608
    sizes = f"SELECT *, count(*) OVER (PARTITION BY u) AS size FROM {named}"  # noqa: S608
    outputs = [f"c{number}" for number in sorted(columns_of(request))]
    outputs += [*marks, f"{_rank(source, kinds, bounds, reads.codes)} AS r"]
    return f"SELECT u, {', '.join(outputs)} FROM ({sizes})"  # noqa: S608


def has_key(request: ExactRequest) -> bool:
    """Whether the select of this request has a parameter."""
    bounds = request.bounds
    return bounds is not None and (bounds.max_groups is not None or bool(columns_of(request)))


def _coded(source: Source, kinds: Mapping[str, Kind], reads: Reads) -> str:
    """Codes and words of these columns and, if one is declared, the unit."""
    columns = source.columns
    made = {number for number in reads.codes if columns[number].formula is not None}
    outputs = outputs_of(reads, columns, kinds, cell=_cell, code=code_of, word=word_of)
    if (name := source.unit.private_id) is not None:
        outputs.append(f"{_unit(_cell(name), kinds[name])} AS u")
    # Nothing at all can't be selected.
    select = f"SELECT {', '.join(outputs) or '1 AS nothing'} FROM {identifier(VIEW)}"  # noqa: S608
    if not made:
        return select
    more = ", ".join(f"{computed_code(number, columns)} AS c{number}" for number in sorted(made))
    return f"SELECT *, {more} FROM ({select})"  # noqa: S608


def _cell(name: str) -> str:
    return identifier(VIEW, name)


def _unit(cell: str, kind: Kind) -> str:
    """The id as it is written, spaces at the ends aside; null where it names nobody.

    Of one too long to be trimmed a hash, as in PostgreSQL.
    """
    if kind is not Kind.TEXT:
        return cell
    short = trimmed(cell)
    nobody = ", ".join(map(literal, NOBODY))
    named = f"CASE WHEN lower({short}) IN ({nobody}) THEN NULL ELSE {short} END"
    hashed = f"sha2(CAST({cell} AS BINARY), 256)"
    return f"CASE WHEN {is_long(cell)} THEN {hashed} ELSE {named} END"


def _marks(
    source: Source, kinds: Mapping[str, Kind], request: ExactRequest, bounds: UnitBounds
) -> list[str]:
    found = []
    if bounds.max_groups is not None:
        digits = f"substr({_hashed(_written(source, kinds))}, 1, 16)"
        found.append(f"CAST(conv({digits}, 16, -10) AS BIGINT) & {2**63 - 1} AS k")
    if any(grouping.column == ROWS_OF_UNIT for grouping in request.groupings):
        found.append(f"least(size, {LARGEST_SIZE}) AS n")
    return found


def _rank(
    source: Source, kinds: Mapping[str, Kind], bounds: UnitBounds, made: Iterable[int]
) -> str:
    """The place of a row; the order is made where it can matter: of units that have more rows."""
    numbers = sorted(made, key=lambda number: source.columns[number].name)
    kept = min(bounds.max_rows, bounds.max_rows_per_group or bounds.max_rows)
    codes = (f"coalesce(CAST(c{number} AS STRING), '')" for number in numbers)
    order = f"CASE WHEN size > {kept:d} THEN {_hashed(_written(source, kinds), *codes)} END"
    return f"CAST(row_number() OVER (PARTITION BY u ORDER BY {order}) - 1 AS BIGINT)"


def _written(source: Source, kinds: Mapping[str, Kind]) -> str:
    """The unit as PostgreSQL writes it within a row."""
    if kinds[source.unit.private_id or ""] is not Kind.TEXT:
        return "CAST(u AS STRING)"
    doubled = "u"
    for mark in ("\\", '"'):
        doubled = f"replace({doubled}, {literal(mark)}, {literal(2 * mark)})"
    quote = literal('"')
    quoted = f"concat({quote}, {doubled}, {quote})"
    return f"CASE WHEN u RLIKE {literal(_QUOTED_FOR)} THEN {quoted} ELSE u END"


def _hashed(*values: str) -> str:
    """A keyed hash of these values, each told apart from its neighbours and from null."""
    between = ", ',', "
    row = f"concat('(', {between.join(values)}, ')')"
    return f"sha2(concat(:{KEY}, CAST({row} AS BINARY)), 256)"
