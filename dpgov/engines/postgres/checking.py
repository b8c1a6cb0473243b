"""Whether a table may be read as a dataset: by its metadata alone, never by what is in it.

Looked at when it is registered and again before each answer, in the transaction that answers, with
a lock under which nobody changes the table's form. What may run while rows are read is nothing but
what is known never to fail by what they hold.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from psycopg import sql

from dpgov.engines.live import NAMES_A_UNIT, CellKind, Provenance, Relation, SourceRefused, fits
from dpgov.engines.postgres import catalog
from dpgov.engines.postgres.kinds import KIND_OF_TYPE
from dpgov.engines.postgres.rows import Source
from dpgov.engines.postgres.server import Connection
from dpgov.privacy.plan.schema import ColumnSpec, DateDomain, MissingRule

# A row of this database has no more, with the columns that a scan puts beside them.
_MOST_COLUMNS = 1_500
_TABLES, _VIEW, _MATERIALISED = frozenset("rpm"), "v", "m"
_LOCK = sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE")
# A materialised view can be locked by reading alone; of this one not a row is read.
_LOCKS = {_MATERIALISED: sql.SQL("SELECT FROM {} LIMIT 0")}


class Problem(StrEnum):
    """Why a source is not read; who registers it says so in words."""

    ENCODING = "encoding"
    MISSING_TABLE = "missing_table"
    NOT_A_TABLE = "not_a_table"
    ROW_SECURITY = "row_security"
    FOREIGN_PARTS = "foreign_parts"
    COMPUTING_VIEW = "computing_view"
    ROLE_CAN_WRITE = "role_can_write"
    MISSING_COLUMN = "missing_column"
    NOT_READABLE = "not_readable"
    UNKNOWN_SERVER = "unknown_server"
    TYPE = "type"
    UNIT_TYPE = "unit_type"
    NEVER_MISSING = "never_missing"
    TIME_ZONE = "time_zone"
    TOO_MANY_COLUMNS = "too_many_columns"


def checked(connection: Connection, source: Source) -> dict[str, CellKind]:
    """The kinds of the source's columns by their names, which stay so in this transaction.

    Raises SourceRefused.
    """
    _check_declared(source)
    if not _is_true(connection, catalog.IS_UNICODE):
        raise SourceRefused(Problem.ENCODING)
    table, kind = _found(connection, source)
    if not _is_true(connection, catalog.CAN_READ, table):
        raise SourceRefused(Problem.NOT_READABLE)
    name = sql.Identifier(source.schema, source.table)
    connection.execute(_LOCKS.get(kind, _LOCK).format(name))
    # Again: until the lock another one may have taken its name.
    if _found(connection, source) != (table, kind):
        raise SourceRefused(Problem.MISSING_TABLE)
    _check_table(connection, table, kind)
    return _kinds(connection, table, source)


def check_zones(connection: Connection, source: Source) -> None:
    """Whether the server knows the declared time zones; raises SourceRefused."""
    zones = [(s.name, s.domain.zone) for s in source.columns if isinstance(s.domain, DateDomain)]
    for name, zone in zones:
        if not _is_true(connection, catalog.HAS_ZONE, zone):
            raise SourceRefused(Problem.TIME_ZONE, name)


def use_zones(connection: Connection, source: Source) -> None:
    """Let the server fail now, whatever the rows are, where it has lost a declared time zone."""
    domains = (spec.domain for spec in source.columns)
    for zone in sorted({one.zone for one in domains if isinstance(one, DateDomain)}):
        connection.execute("SELECT now() AT TIME ZONE $1::text", (zone,))


@dataclass(frozen=True, slots=True)
class Known:
    """What a server's catalog says of a table, and nothing of its rows.

    `columns` are all there are, by their names; None is a type that is not read.
    """

    columns: dict[str, CellKind | None]
    provenance: Provenance


def known(connection: Connection, source: Source) -> Known:
    """Of a source that is `checked` in this transaction; raises SourceRefused."""
    table, _kind = _found(connection, source)
    rows = connection.execute(catalog.COLUMNS, (table,)).fetchall()
    return Known(
        columns={name: KIND_OF_TYPE.get(kind) for name, kind in rows},
        provenance=provenance(connection, source),
    )


def provenance(connection: Connection, source: Source) -> Provenance:
    """Of a source that is `checked` in this transaction; raises SourceRefused."""
    return Provenance(relations(connection, source), _system(connection))


def relations(connection: Connection, source: Source) -> tuple[Relation, ...]:
    """The source first and then whatever it reads.

    Of a source that is `checked` in this transaction; raises SourceRefused.
    """
    table, _kind = _found(connection, source)
    (database,) = connection.execute(catalog.DATABASE).fetchall()[0]
    found = connection.execute(catalog.RELATIONS, (table,)).fetchall()
    return tuple(Relation(f"{database}/{number}", f"{of}.{name}") for number, of, name in found)


def _system(connection: Connection) -> str:
    """Raises SourceRefused where it is not said: nothing could be known again by its number."""
    if not _is_true(connection, catalog.MAY_SAY_SYSTEM):
        raise SourceRefused(Problem.UNKNOWN_SERVER)
    return str(connection.execute(catalog.SYSTEM).fetchall()[0][0])


def _check_declared(source: Source) -> None:
    """A live table cannot promise that no cell is missing, and failing by a cell would tell it."""
    if len(source.columns) > _MOST_COLUMNS:
        raise SourceRefused(Problem.TOO_MANY_COLUMNS)
    for spec in source.columns:
        if spec.missing is MissingRule.REQUIRE:
            raise SourceRefused(Problem.NEVER_MISSING, spec.name)


def _found(connection: Connection, source: Source) -> tuple[int, str]:
    row = connection.execute(catalog.TABLE, (source.schema, source.table)).fetchone()
    if row is None:
        raise SourceRefused(Problem.MISSING_TABLE)
    return row[0], row[1]


def _check_table(connection: Connection, table: int, kind: str) -> None:
    if kind not in _TABLES | {_VIEW}:
        raise SourceRefused(Problem.NOT_A_TABLE)
    if kind == _VIEW and not _is_true(connection, catalog.IS_PLAIN_VIEW, table):
        raise SourceRefused(Problem.COMPUTING_VIEW)
    if _is_true(connection, catalog.HAS_FOREIGN_PARTS, table):
        raise SourceRefused(Problem.FOREIGN_PARTS)
    if _is_true(connection, catalog.HAS_ROW_SECURITY, table):
        raise SourceRefused(Problem.ROW_SECURITY)
    if _is_true(connection, catalog.CAN_WRITE, table):
        raise SourceRefused(Problem.ROLE_CAN_WRITE)


def _kinds(connection: Connection, table: int, source: Source) -> dict[str, CellKind]:
    """Raises SourceRefused for the first column that is not there or does not fit."""
    rows = connection.execute(catalog.COLUMNS, (table,)).fetchall()
    there: dict[str, int] = dict(rows)
    found = {}
    for name in source.names:
        if name not in there:
            raise SourceRefused(Problem.MISSING_COLUMN, name)
        if there[name] not in KIND_OF_TYPE:
            raise SourceRefused(Problem.TYPE, name)
        found[name] = KIND_OF_TYPE[there[name]]
    _check_fit(found, source.columns)
    if source.unit.private_id and found[source.unit.private_id] not in NAMES_A_UNIT:
        raise SourceRefused(Problem.UNIT_TYPE, source.unit.private_id)
    return found


def _check_fit(kinds: dict[str, CellKind], columns: Iterable[ColumnSpec]) -> None:
    for spec in columns:
        if spec.formula is None and not fits(kinds[spec.name], spec):
            raise SourceRefused(Problem.TYPE, spec.name)


def _is_true(connection: Connection, question: str, *values: object) -> bool:
    """A question of one truth; what is not known is not true."""
    row = connection.execute(question, values or None).fetchone()
    return row is not None and row[0] is True
