"""A partitioned budget may lose its discount for good: a trigger sees to it that it stays lost."""

from typing import Any, ClassVar

from django.db import migrations, models

_MESSAGE = "the discount of a partition never comes back"
_CHANGED = (
    "OLD.undivided_at IS NOT NULL"
    " AND (NEW.undivided_at IS NULL OR NEW.undivided_at <> OLD.undivided_at)"
)
_POSTGRESQL = f"""
CREATE OR REPLACE FUNCTION budgets_stays_undivided() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{_MESSAGE}' USING ERRCODE = 'restrict_violation'; END $$;
DROP TRIGGER IF EXISTS budgets_stays_undivided ON budgets_budget;
CREATE TRIGGER budgets_stays_undivided BEFORE UPDATE ON budgets_budget
    FOR EACH ROW WHEN ({_CHANGED}) EXECUTE FUNCTION budgets_stays_undivided();
"""
_SQLITE = (
    "DROP TRIGGER IF EXISTS budgets_stays_undivided",
    "CREATE TRIGGER budgets_stays_undivided BEFORE UPDATE ON budgets_budget"
    f" WHEN {_CHANGED} BEGIN SELECT RAISE(ABORT, '{_MESSAGE}'); END",
)


def _guard(apps: Any, editor: Any) -> None:
    postgresql = editor.connection.vendor == "postgresql"
    for statement in (_POSTGRESQL,) if postgresql else _SQLITE:
        editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("budgets", "0008_currencies")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="budget",
            name="undivided_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(_guard, migrations.RunPython.noop),
    ]
