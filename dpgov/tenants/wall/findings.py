"""What is wrong with the wall as it stands, seen from the role that this process connects as."""

from typing import Any

from django.conf import settings
from django.db import connection

from dpgov.tenants.wall.policies import protected_tables
from dpgov.tenants.wall.raising import append_only_tables
from dpgov.tenants.wall.roles import known_roles

_ROLE = "SELECT current_user, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
_OWNED = """
    SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p')
    AND relnamespace = current_schema()::regnamespace
    AND relname = ANY (%s) AND pg_has_role(current_user, relowner, 'USAGE')
"""
_OPEN = """
    SELECT relname FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relname = ANY (%s)
      AND NOT (relrowsecurity AND relforcerowsecurity
               AND EXISTS (SELECT 1 FROM pg_policy WHERE polrelid = pg_class.oid))
    ORDER BY 1
"""
_CHANGEABLE = """
    SELECT name FROM unnest(%s::text[]) name
    WHERE has_table_privilege(current_user, name, 'UPDATE, DELETE, TRUNCATE') ORDER BY 1
"""


def findings() -> list[str]:
    """One sentence for each thing that makes the wall weaker than configured; empty is good.

    An installation without DPGOV_DATABASE_APP_ROLE has chosen to run as the owner of the tables:
    then only row-level security itself is looked at. Always empty on SQLite.
    """
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        return [*_of_the_role(cursor), *_of_the_tables(cursor)]


def _of_the_role(cursor: Any) -> list[str]:
    cursor.execute(_ROLE)
    name, is_super, bypasses = cursor.fetchone()
    found = []
    if is_super or bypasses:
        found.append(f"The database role {name} passes row-level security. Use an ordinary role.")
    expected = settings.DPGOV_DATABASE_APP_ROLE
    if expected and name not in known_roles().acting():
        found.append(f"Connected as {name}, but DPGOV_DATABASE_APP_ROLE is {expected}.")
    if expected and _number(cursor, _OWNED, protected_tables()):
        found.append(f"The database role {name} owns the tables. Connect as {expected}.")
    return found


def _of_the_tables(cursor: Any) -> list[str]:
    cursor.execute(_OPEN, [protected_tables()])
    found = [f"The table {table} has no row-level security. Run migrate." for (table,) in cursor]
    if settings.DPGOV_DATABASE_APP_ROLE:
        cursor.execute(_CHANGEABLE, [sorted(append_only_tables())])
        found += [f"The append-only table {table} may be changed." for (table,) in cursor]
    return found


def _number(cursor: Any, statement: str, tables: list[str]) -> int:
    cursor.execute(statement, [tables])
    number: int = cursor.fetchone()[0]
    return number
