"""What was requested never changes, and neither does a decision: the database sees to it.

A later migration that makes SQLite rebuild this table has to end with these triggers again.
"""

from typing import Any, ClassVar

from django.db import migrations

_TABLE = "approvals_changerequest"
_REQUESTED = (
    "id",
    "tenant_id",
    "kind",
    "subject",
    "dataset",
    "payload",
    "reason",
    "requested_by_id",
    "requested_role",
    "requested_at",
)
_MESSAGE = "a request is decided once and never rewritten"
_POSTGRESQL = """
CREATE OR REPLACE FUNCTION {table}_frozen() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation'; END $$;
CREATE TRIGGER {table}_frozen BEFORE UPDATE ON {table} FOR EACH ROW
    WHEN (OLD.state <> 'waiting' OR ({old}) IS DISTINCT FROM ({new}))
    EXECUTE FUNCTION {table}_frozen();
"""
_SQLITE = """
CREATE TRIGGER {table}_frozen BEFORE UPDATE ON {table}
    WHEN OLD.state <> 'waiting' OR ({old}) IS NOT ({new})
    BEGIN SELECT RAISE(ABORT, '{message}'); END
"""


def freeze(apps: Any, editor: Any) -> None:
    statement = _POSTGRESQL if editor.connection.vendor == "postgresql" else _SQLITE
    editor.execute(
        statement.format(
            table=_TABLE,
            message=_MESSAGE,
            old=", ".join(f"OLD.{name}" for name in _REQUESTED),
            new=", ".join(f"NEW.{name}" for name in _REQUESTED),
        ),
        params=None,
    )


def thaw(apps: Any, editor: Any) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute(f"DROP TRIGGER {_TABLE}_frozen ON {_TABLE}")
        editor.execute(f"DROP FUNCTION {_TABLE}_frozen()")
    else:
        editor.execute(f"DROP TRIGGER {_TABLE}_frozen")


class Migration(migrations.Migration):
    dependencies: ClassVar = [("approvals", "0001_initial")]

    operations: ClassVar = [migrations.RunPython(freeze, thaw)]
