"""Privileges: what the roles of the application, of the sweeper and of auditors may do.

The sweeper may what the application may, and signs. Append-only tables are known by their trigger,
so that a table is protected twice by being protected once. Nobody but the owner may truncate, alter
or create anything but tables that live for one session.
"""

from collections.abc import Iterator

from django.apps import apps
from psycopg import sql

from dpgov.tenants.wall.registry import is_audited, our_models
from dpgov.tenants.wall.roles import Roles
from dpgov.tenants.wall.rules import AUDITED_TOO, AUDITOR_GATES, DELETES, SIGNS, WRITES

_EVERYTHING = "SELECT, INSERT, UPDATE, DELETE"


def statements(
    roles: Roles, *, schema: str, append_only: set[str], gates: list[str]
) -> Iterator[sql.Composable]:
    """Everything to run, in order."""
    for name in roles.present():
        yield from _nothing(name, schema)
    for gate in gates:
        yield sql.SQL("REVOKE EXECUTE ON FUNCTION {} FROM PUBLIC").format(sql.SQL(gate))
    for role, signs in roles.acting().items():
        for table, privileges in application_privileges(append_only, signs=signs):
            yield _grant(privileges, table, role)
        yield _for("GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}", role, schema)
        for gate in gates:
            yield _for(f"GRANT EXECUTE ON FUNCTION {gate} TO {{role}}", role, schema)
    if roles.auditor:
        for table, privileges in auditor_privileges():
            yield _grant(privileges, table, roles.auditor)
        for gate in AUDITOR_GATES.intersection(gates):
            yield _for(f"GRANT EXECUTE ON FUNCTION {gate} TO {{role}}", roles.auditor, schema)


def on_database(roles: Roles, database: str) -> Iterator[sql.Composable]:
    """Who may connect at all: of a database, not of its tables, and so never part of a dump.

    Tables that live for one session are what `reconcile` compares in.
    """
    place = sql.Identifier(database)
    yield sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(place)
    for name in roles.present():
        grant = sql.SQL("GRANT CONNECT, TEMPORARY ON DATABASE {} TO {}")
        yield grant.format(place, sql.Identifier(name))


def application_privileges(
    append_only: set[str], *, signs: bool = False
) -> Iterator[tuple[str, str]]:
    """(table, privileges) for the application's role, or for one that also signs."""
    ours = {model._meta.db_table: model._meta.label for model in our_models()}
    for model in apps.get_models(include_auto_created=True):
        table = model._meta.db_table
        if not model._meta.managed:
            continue
        label = ours.get(table)
        if label in SIGNS:
            yield table, SIGNS[label] if signs else "SELECT"
        else:
            yield table, _privileges(label, table in append_only)
    yield "django_migrations", "SELECT"


def _privileges(label: str | None, append_only: bool) -> str:
    if label is None:
        return _EVERYTHING
    if label in WRITES:
        return WRITES[label]
    if append_only:
        return "SELECT, INSERT"
    return _EVERYTHING if label in DELETES else "SELECT, INSERT, UPDATE"


def auditor_privileges() -> Iterator[tuple[str, str]]:
    """(table, privileges) for an auditor, who only ever reads."""
    for model in our_models():
        if is_audited(model):
            yield model._meta.db_table, AUDITED_TOO.get(model._meta.label, "SELECT")


def _nothing(role: str, schema: str) -> Iterator[sql.Composable]:
    for statement in (
        "REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {role}",
        "REVOKE ALL ON ALL SEQUENCES IN SCHEMA {schema} FROM {role}",
        "REVOKE CREATE ON SCHEMA {schema} FROM {role}",
        "GRANT USAGE ON SCHEMA {schema} TO {role}",
    ):
        yield _for(statement, role, schema)


def _for(statement: str, role: str, schema: str) -> sql.Composable:
    return sql.SQL(statement).format(schema=sql.Identifier(schema), role=sql.Identifier(role))


def _grant(privileges: str, table: str, role: str) -> sql.Composable:
    return sql.SQL("GRANT {what} ON {table} TO {role}").format(
        what=sql.SQL(privileges), table=sql.Identifier(table), role=sql.Identifier(role)
    )
