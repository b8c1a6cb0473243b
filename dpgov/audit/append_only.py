"""Makes a table append-only in the database itself, on PostgreSQL and on SQLite.

A migration of the room that owns the table calls `append_only("table_name")`. What is not meant
to change cannot be changed by a bug, a shell or an administrator's form either.
"""

from collections.abc import Callable

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_MESSAGE = "rows of {table} are append-only"

_POSTGRESQL_ON = """
CREATE OR REPLACE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation'; END $$;
CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION {table}_append_only();
CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only();
"""
_POSTGRESQL_OFF = """
DROP TRIGGER IF EXISTS {table}_no_change ON {table};
DROP TRIGGER IF EXISTS {table}_no_truncate ON {table};
DROP FUNCTION IF EXISTS {table}_append_only();
"""
_SQLITE_ON = (
    "CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
    "BEGIN SELECT RAISE(ABORT, '{message}'); END",
    "CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
    "BEGIN SELECT RAISE(ABORT, '{message}'); END",
)
_SQLITE_OFF = (
    "DROP TRIGGER IF EXISTS {table}_no_update",
    "DROP TRIGGER IF EXISTS {table}_no_delete",
)


def _runner(
    table: str, on_postgresql: str, on_sqlite: tuple[str, ...]
) -> Callable[[object, BaseDatabaseSchemaEditor], None]:
    def run(apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
        vendor = schema_editor.connection.vendor
        statements = (on_postgresql,) if vendor == "postgresql" else on_sqlite
        for statement in statements:
            schema_editor.execute(
                statement.format(table=table, message=_MESSAGE.format(table=table)), params=None
            )

    return run


def protect(table: str) -> Callable[[object, BaseDatabaseSchemaEditor], None]:
    """Install the triggers on `table` (a name from our own migrations, never from a user)."""
    return _runner(table, _POSTGRESQL_ON, _SQLITE_ON)


def unprotect(table: str) -> Callable[[object, BaseDatabaseSchemaEditor], None]:
    """Remove the triggers: for reversing a migration and for emptying a test database."""
    return _runner(table, _POSTGRESQL_OFF, _SQLITE_OFF)


def append_only(table: str) -> migrations.RunPython:
    """The migration operation that makes `table` append-only."""
    return migrations.RunPython(protect(table), unprotect(table))
