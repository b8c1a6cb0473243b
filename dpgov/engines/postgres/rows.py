"""The table that a scan reads, as a select from the owner's: c0..cN and, of units, u, k, r and n.

Only what a request looks at is made. OFFSET '0' keeps each step apart from what reads it: a code is
computed once for a row, and no condition of a scan reaches a cell before it is one. The quotes make
it a constant of the right type, without which the server plans for one processor.

A unit's rows are in the order of a keyed hash of the unit and of their declared codes, by the
columns' names, and where two hashes are the same, of the codes: rows that tie are the same to every
question. So what is kept of a unit depends on that unit's rows alone, whoever could find two rows
of one hash. It is another order than that of a file, whose hash this database has not: the integers
are the same wherever no unit has more rows than are kept of one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index

from psycopg import sql

from dpgov.engines.categories import Reads, outputs_of, read_by
from dpgov.engines.live import NOBODY, CellKind, columns_of, names_read, row_words
from dpgov.engines.postgres.coding import code_of, is_long, literal, text_of, trimmed, word_of
from dpgov.engines.postgres.computed import computed_code
from dpgov.engines.scan import Scan
from dpgov.privacy.plan.bins import ROWS_OF_UNIT
from dpgov.privacy.plan.grouping import LARGEST_SIZE
from dpgov.privacy.plan.request import ExactRequest, UnitBounds
from dpgov.privacy.plan.schema import ColumnSpec, PrivacyUnit

# The server's own hashes of 64 bits under a key: of what names a unit, and of a word.
_HASH_OF_UNIT = {
    CellKind.INTEGER: "hashint8extended(u::bigint, $1::bigint)",
    CellKind.TEXT: "hashtextextended(u, $1::bigint)",
    CellKind.UUID: "uuid_hash_extended(u, $1::bigint)",
}
_HASH_OF_WORD = "hashint8extended({word}, {key})"


@dataclass(frozen=True, slots=True)
class Source:
    """A table of the owner's server and what is declared of it; `unit` names a column or none."""

    schema: str
    table: str
    columns: tuple[ColumnSpec, ...]
    unit: PrivacyUnit

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table that are read."""
        return names_read(self.columns, self.unit)


def data_sql(
    source: Source, kinds: Mapping[str, CellKind], scan: Scan, conditions: Sequence[str] = ()
) -> str:
    """The select, of rows whose cells meet the conditions, before what the scan asks of codes.

    Its parameter $1 is the key of the order of rows, where it has one.
    """
    request, reads = scan.request, read_by(scan, source.columns)
    rows, bounds = _coded(source, kinds, reads, conditions), request.bounds
    if bounds is None:
        return rows
    rows = f"({rows}) AS named WHERE u IS NOT NULL"
    unit = _HASH_OF_UNIT[kinds[source.unit.private_id or ""]]
    if not reads.codes:
        return _without_columns(rows, request, bounds, unit)
    outputs = [f"c{number}" for number in sorted(columns_of(request))]
    outputs += _marks(request, bounds, unit, "count(*) OVER (PARTITION BY u)")
    order = _order(source, reads.codes, unit)
    outputs.append(f"row_number() OVER (PARTITION BY u ORDER BY {order}) - 1 AS r")
    return f"SELECT u, {', '.join(outputs)} FROM {rows} OFFSET '0'"  # noqa: S608


def _without_columns(rows: str, request: ExactRequest, bounds: UnitBounds, unit: str) -> str:
    """All rows of a unit are the same to the scan: there are as many as it has, or may keep."""
    sizes = f"SELECT u, count(*) AS size FROM {rows} GROUP BY u OFFSET '0'"  # noqa: S608
    rank = f"generate_series(0, least(size, {index(bounds.max_rows)}) - 1) AS r"
    outputs = ", ".join([*_marks(request, bounds, unit, "size"), rank])
    return f"SELECT u, {outputs} FROM ({sizes}) AS sized OFFSET '0'"  # noqa: S608


def has_key(request: ExactRequest) -> bool:
    """Whether the select of this request has a parameter."""
    bounds = request.bounds
    return bounds is not None and (bounds.max_groups is not None or bool(columns_of(request)))


def _coded(
    source: Source, kinds: Mapping[str, CellKind], reads: Reads, conditions: Sequence[str]
) -> str:
    """Codes and words of these columns and, if one is declared, the unit."""
    columns = source.columns
    made = {number for number in reads.codes if columns[number].formula is not None}
    outputs = outputs_of(reads, columns, kinds, cell=_cell, code=code_of, word=word_of)
    if (name := source.unit.private_id) is not None:
        outputs.append(f"{_unit(_cell(name), kinds[name])} AS u")
    table = sql.Identifier(source.schema, source.table).as_string()
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    select = f"SELECT {', '.join(outputs)} FROM {table} AS source{where} OFFSET '0'"  # noqa: S608
    if not made:
        return select
    more = ", ".join(f"{computed_code(number, columns)} AS c{number}" for number in sorted(made))
    return f"SELECT *, {more} FROM ({select}) AS coded OFFSET '0'"  # noqa: S608


def _cell(name: str) -> str:
    return sql.Identifier("source", name).as_string()


def _unit(cell: str, kind: CellKind) -> str:
    """The id as it is written, spaces at the ends aside; null where it names nobody.

    Of one too long to be trimmed a hash, so that there is always room beside it.
    """
    if kind is not CellKind.TEXT:
        return cell
    text = text_of(cell, kind)
    short = trimmed(text)
    nobody = ", ".join(map(literal, NOBODY))
    named = f"CASE WHEN lower({short}) IN ({nobody}) THEN NULL ELSE {short} END"
    hashed = f"encode(sha256(convert_to({text}, 'UTF8')), 'hex')"
    return f'CASE WHEN {is_long(text)} THEN {hashed} ELSE {named} END COLLATE "C"'


def _marks(request: ExactRequest, bounds: UnitBounds, unit: str, size: str) -> list[str]:
    found = []
    if bounds.max_groups is not None:
        found.append(f"{unit} & {2**63 - 1} AS k")
    if any(grouping.column == ROWS_OF_UNIT for grouping in request.groupings):
        found.append(f"least({size}, {LARGEST_SIZE}) AS n")
    return found


def _order(source: Source, made: Iterable[int], hashed: str) -> str:
    """Of the rows of a unit: by the hash, then by what is hashed."""
    words = row_words(source.columns, made)
    for word in words:
        hashed = _HASH_OF_WORD.format(word=word, key=hashed)
    return ", ".join([hashed, *words])
