"""The steps of the ledger are installed again: they keep their plans, and say what they ended.

The old ones go first: a function cannot be replaced by one that returns something else.
"""

from importlib import import_module
from typing import Any, ClassVar

from django.db import migrations

_steps = import_module("dpgov.budgets.migrations.0005_ledger_steps")
_DROP_ALL = """
DO $$
DECLARE
    v_step regprocedure;
BEGIN
    FOR v_step IN SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = ANY (ARRAY[
            'budgets_correct', 'budgets_give_back', 'budgets_settle', 'budgets_lock_holds',
            'budgets_reserve', 'budgets_parents', 'budgets_follow_lines', 'budgets_window'])
    LOOP
        EXECUTE format('DROP FUNCTION %s', v_step);
    END LOOP;
END $$
"""


def _reinstall(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(_DROP_ALL, params=None)
        _steps._install(apps, schema_editor)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("budgets", "0006_populations")]

    operations: ClassVar = [migrations.RunPython(_reinstall, migrations.RunPython.noop)]
