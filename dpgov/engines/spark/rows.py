"""The table that a scan reads, as a select from the files: c0..cN and, of units, u, k, r and n.

Only what a request looks at is made. A unit's rows are in the order of a keyed hash of the unit and
of their declared codes, by the columns' names, and where two hashes are the same, of the codes:
rows that tie are the same to every question. So what is kept of a unit depends on that unit's rows
alone, and neither on how files are cut nor on which worker reads them, or reads them again. The
hash is another one than that of `engines.postgres.rows`, and so may be what is kept.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import index

from dpgov.engines.categories import Reads, outputs_of, read_by
from dpgov.engines.live import NOBODY, CellKind, columns_of, names_read, row_words
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
# The server's own hash of 64 bits under a key: of what names a unit, and of that and words.
_HASH_OF_UNIT = f"xxhash64(:{KEY}, u)"
_HASH_OF_ROW = "xxhash64({unit}, {words})"


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


def data_sql(source: Source, kinds: Mapping[str, CellKind], scan: Scan) -> str:
    """The select. Its parameter `key` is that of the order of rows, where it has one."""
    request, reads = scan.request, read_by(scan, source.columns)
    rows, bounds = _coded(source, kinds, reads), request.bounds
    if bounds is None:
        return rows
    named = f"({rows}) WHERE u IS NOT NULL"
    if not reads.codes:
        # All rows of a unit are the same: there are as many as it has, or may keep.
        sizes = f"SELECT u, count(*) AS size FROM {named} GROUP BY u"  # noqa: S608
        rank = f"explode(sequence(0L, least(size, {index(bounds.max_rows)}L) - 1L)) AS r"
        outputs = [*_marks(request, bounds, "size"), rank]
        return f"SELECT u, {', '.join(outputs)} FROM ({sizes})"  # noqa: S608
    outputs = [f"c{number}" for number in sorted(columns_of(request))]
    outputs += _marks(request, bounds, "count(*) OVER (PARTITION BY u)")
    order = _order(source, reads.codes)
    outputs.append(f"CAST(row_number() OVER (PARTITION BY u ORDER BY {order}) - 1 AS BIGINT) AS r")
    return f"SELECT u, {', '.join(outputs)} FROM {named}"  # noqa: S608


def has_key(request: ExactRequest) -> bool:
    """Whether the select of this request has a parameter."""
    bounds = request.bounds
    return bounds is not None and (bounds.max_groups is not None or bool(columns_of(request)))


def _coded(source: Source, kinds: Mapping[str, CellKind], reads: Reads) -> str:
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


def _unit(cell: str, kind: CellKind) -> str:
    """The id as it is written, spaces at the ends aside; null where it names nobody.

    Of one too long to be trimmed a hash, as in PostgreSQL; and of bytes that are no text, or two
    people who differ in such bytes alone would be one.
    """
    if kind is not CellKind.TEXT:
        return cell
    short = trimmed(cell)
    nobody = ", ".join(map(literal, NOBODY))
    named = f"CASE WHEN lower({short}) IN ({nobody}) THEN NULL ELSE {short} END"
    hashed = f"sha2(CAST({cell} AS BINARY), 256)"
    return f"CASE WHEN {is_long(cell)} OR NOT is_valid_utf8({cell}) THEN {hashed} ELSE {named} END"


def _marks(request: ExactRequest, bounds: UnitBounds, size: str) -> list[str]:
    found = []
    if bounds.max_groups is not None:
        found.append(f"{_HASH_OF_UNIT} & {2**63 - 1} AS k")
    if any(grouping.column == ROWS_OF_UNIT for grouping in request.groupings):
        found.append(f"least({size}, {LARGEST_SIZE}) AS n")
    return found


def _order(source: Source, made: Iterable[int]) -> str:
    """Of the rows of a unit: by the hash, then by what is hashed."""
    words = row_words(source.columns, made)
    hashed = _HASH_OF_ROW.format(unit=_HASH_OF_UNIT, words=", ".join(words))
    return ", ".join([hashed, *words])
