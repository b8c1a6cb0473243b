"""Privileges: what the application's role and the auditor's may do with each table.

Append-only tables are known by their trigger, so that a table is protected twice by being
protected once. Nobody but the owner may truncate, alter or create anything.
"""

from collections.abc import Iterator

from django.apps import apps
from psycopg import sql

from dpgov.tenants.wall.registry import our_models
from dpgov.tenants.wall.rules import AUDITED, AUDITED_TOO, DELETES, WRITES

_EVERYTHING = "SELECT, INSERT, UPDATE, DELETE"


def statements(
    role: str, auditor: str, *, schema: str, append_only: set[str], doors: list[str]
) -> Iterator[sql.Composable]:
    """Everything to run, in order; empty role names are left out."""
    for name in filter(None, (role, auditor)):
        yield from _nothing(name, schema)
    if role:
        for table, privileges in application_privileges(append_only):
            yield _grant(privileges, table, role)
        yield _for("GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}", role, schema)
        for door in doors:
            yield sql.SQL("REVOKE EXECUTE ON FUNCTION {} FROM PUBLIC").format(sql.SQL(door))
            yield _for(f"GRANT EXECUTE ON FUNCTION {door} TO {{role}}", role, schema)
    if auditor:
        for table, privileges in auditor_privileges():
            yield _grant(privileges, table, auditor)


def application_privileges(append_only: set[str]) -> Iterator[tuple[str, str]]:
    """(table, privileges) for the application's role."""
    ours = {model._meta.db_table: model._meta.label for model in our_models()}
    for model in apps.get_models(include_auto_created=True):
        table = model._meta.db_table
        if not model._meta.managed:
            continue
        yield table, _privileges(ours.get(table), table in append_only)
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
        if model._meta.label.startswith(AUDITED):
            yield model._meta.db_table, "SELECT"
        elif model._meta.label in AUDITED_TOO:
            yield model._meta.db_table, AUDITED_TOO[model._meta.label]


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
