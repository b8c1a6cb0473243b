"""Installs the database function that appends an entry (PostgreSQL alone has it)."""

from pathlib import Path

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

_SQL = Path(__file__).parent / "sql" / "append.sql"
_DROP = "DROP FUNCTION IF EXISTS audit_append"


def _install(apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(_SQL.read_text(), params=None)


def _remove(apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(_DROP, params=None)


def append_function() -> migrations.RunPython:
    """The migration operation that installs sql/append.sql; run it again when the file changes."""
    return migrations.RunPython(_install, _remove)
