"""One more step of the ledger on PostgreSQL: a hold that grows."""

from pathlib import Path
from typing import Any, ClassVar

from django.db import migrations

_STEP = Path(__file__).resolve().parent.parent / "sql" / "extend.sql"


def _install(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(_STEP.read_text(), params=None)


def _remove(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION IF EXISTS budgets_extend")


class Migration(migrations.Migration):
    dependencies: ClassVar = [("budgets", "0009_undivided")]

    operations: ClassVar = [migrations.RunPython(_install, _remove)]
