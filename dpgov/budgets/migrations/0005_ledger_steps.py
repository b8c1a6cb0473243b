"""The steps of the ledger as functions of the database, on PostgreSQL."""

from pathlib import Path
from typing import Any, ClassVar

from django.db import migrations

_STEPS = Path(__file__).resolve().parent.parent / "sql" / "ledger.sql"
_DROP = """
DROP FUNCTION budgets_correct, budgets_give_back, budgets_settle, budgets_lock_holds,
    budgets_reserve, budgets_parents, budgets_follow_lines, budgets_window
"""


def _install(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(_STEPS.read_text(), params=None)


def _remove(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(_DROP)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("budgets", "0004_tenants_of_entries")]

    operations: ClassVar = [migrations.RunPython(_install, _remove)]
