"""Raises the wall: brings policies, foreign keys and privileges in line with the models.

Safe to repeat: what stands already, word for word, is not touched, so that a running installation
is not held up. Each policy and constraint carries its own definition as a comment.

Foreign keys carry the tenant, so that a row cannot point into another tenant: row-level security
does not look at what a foreign key refers to. Django's own constraints stay beside them.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import connection, transaction
from psycopg import sql

from dpgov.operation.installed import wait_for_others
from dpgov.tenants.wall import grants
from dpgov.tenants.wall.policies import policies, protected_tables
from dpgov.tenants.wall.registry import Reference, references
from dpgov.tenants.wall.roles import known_roles


def unique_keys() -> dict[str, str]:
    """Index name -> statement: what the foreign keys refer to must be unique with its tenant."""
    wanted = {(r.target, r.key) for r in references() if r.bridge is None}
    names = {f"wall_{table}_{key}": f"{table} (tenant_id, {key})" for table, key in sorted(wanted)}
    return {name: f"CREATE UNIQUE INDEX {name} ON {place}" for name, place in names.items()}


def foreign_keys() -> Iterator[tuple[str, str, str]]:
    """(table, constraint name, definition) of every foreign key that carries the tenant."""
    for reference in references():
        yield reference.table, f"wall_{reference.column}", _definition(reference)


def _definition(reference: Reference) -> str:
    if reference.bridge:
        target, key = reference.bridge.table, reference.bridge.column
    else:
        target, key = reference.target, reference.key
    return (
        f"FOREIGN KEY (tenant_id, {reference.column}) REFERENCES {target} (tenant_id, {key})"
        " DEFERRABLE INITIALLY IMMEDIATE"
    )


_POLICIES = """
    SELECT relation.relname, policy.polname, obj_description(policy.oid, 'pg_policy')
    FROM pg_policy policy JOIN pg_class relation ON relation.oid = policy.polrelid
    WHERE relation.relnamespace = current_schema()::regnamespace AND policy.polname LIKE 'wall\\_%'
"""
_CONSTRAINTS = """
    SELECT relation.relname, found.conname, obj_description(found.oid, 'pg_constraint')
    FROM pg_constraint found JOIN pg_class relation ON relation.oid = found.conrelid
    WHERE found.connamespace = current_schema()::regnamespace AND found.conname LIKE 'wall\\_%'
      AND found.contype = 'f'
"""
_INDEXES = """
    SELECT indexname FROM pg_indexes
    WHERE schemaname = current_schema() AND indexname LIKE 'wall\\_%'
"""
_OPEN_TABLES = """
    SELECT relname FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relname = ANY (%s)
      AND NOT (relrowsecurity AND relforcerowsecurity)
"""
_APPEND_ONLY = (
    "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE '%_no_change'"
)
_HOME = """
    SELECT current_database(), pg_has_role(current_user, datdba, 'USAGE')
    FROM pg_database WHERE datname = current_database()
"""
_GATES = """
    SELECT oid::regprocedure::text FROM pg_proc
    WHERE prosecdef AND pronamespace = current_schema()::regnamespace
      AND proowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)
    ORDER BY 1
"""


@transaction.atomic
def raise_wall() -> None:
    """All or nothing; does nothing on SQLite. Run as the owner of the tables, acting for all."""
    if connection.vendor != "postgresql":
        return
    wait_for_others()
    _close_tables()
    _align_policies()
    _align_references()
    for statement in _privileges():
        _run(statement)


def append_only_tables() -> set[str]:
    """The tables that have the trigger of `audit.append_only`."""
    return {row[0] for row in _rows(_APPEND_ONLY)}


def _close_tables() -> None:
    for (table,) in _rows(_OPEN_TABLES, [protected_tables()]):
        _run(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")


def _align_policies() -> None:
    standing = {(table, name): text for table, name, text in _rows(_POLICIES)}
    roles = known_roles()
    wanted = {
        (table, name): text
        for table, name, text in policies(*roles.acting(), auditor=roles.auditor)
    }
    for table, name in _outdated(standing, wanted):
        _run(f"DROP POLICY {name} ON {table}")
    for table, name in _missing(standing, wanted):
        _run(wanted[table, name])
        _note(f"POLICY {name} ON {table}", wanted[table, name])


def _align_references() -> None:
    indexes = {name for (name,) in _rows(_INDEXES)}
    for name, statement in unique_keys().items():
        if name not in indexes:
            _run(statement)
    standing = {(table, name): text for table, name, text in _rows(_CONSTRAINTS)}
    wanted = {(table, name): text for table, name, text in foreign_keys()}
    for table, name in _outdated(standing, wanted):
        _run(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    for table, name in _missing(standing, wanted):
        _run(f"ALTER TABLE {table} ADD CONSTRAINT {name} {wanted[table, name]}")
        _note(f"CONSTRAINT {name} ON {table}", wanted[table, name])


_Named = dict[tuple[str, str], Any]


def _outdated(standing: _Named, wanted: _Named) -> list[tuple[str, str]]:
    return [key for key, text in standing.items() if wanted.get(key) != text]


def _missing(standing: _Named, wanted: _Named) -> list[tuple[str, str]]:
    return [key for key, text in wanted.items() if standing.get(key) != text]


def _privileges() -> Iterable[sql.Composable]:
    (schema,) = _rows("SELECT current_schema()")[0]
    yield from grants.statements(
        known_roles(),
        schema=schema,
        append_only=append_only_tables(),
        gates=[gate for (gate,) in _rows(_GATES)],
    )
    database, is_ours = _rows(_HOME)[0]
    if is_ours and known_roles().application:
        yield from grants.on_database(known_roles(), database)


def _note(what: str, text: str) -> None:
    """Comments take no parameters."""
    _run(sql.SQL("COMMENT ON {} IS {}").format(sql.SQL(what), sql.Literal(text)))


def _run(statement: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _rows(statement: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
