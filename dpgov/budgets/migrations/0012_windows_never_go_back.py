"""Windows of rates never go back: the latest day on which anything was counted is kept.

The steps of the ledger are installed again. What was held before counts where it was made; a
trigger keeps a budget's day from going back from here on.
"""

from importlib import import_module
from typing import Any, ClassVar

from django.db import migrations, models
from django.db.models import Max, OuterRef, Q, Subquery
from django.db.models.functions import TruncDate
from django.utils import timezone

_steps = import_module("dpgov.budgets.migrations.0005_ledger_steps")
_extending = import_module("dpgov.budgets.migrations.0010_extending")

_MESSAGE = "the windows of a budget never go back"
_CHANGED = (
    "OLD.counted_on IS NOT NULL AND (NEW.counted_on IS NULL OR NEW.counted_on < OLD.counted_on)"
)
_POSTGRESQL = f"""
CREATE OR REPLACE FUNCTION budgets_stays_counted() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{_MESSAGE}' USING ERRCODE = 'restrict_violation'; END $$;
DROP TRIGGER IF EXISTS budgets_stays_counted ON budgets_budget;
CREATE TRIGGER budgets_stays_counted BEFORE UPDATE ON budgets_budget
    FOR EACH ROW WHEN ({_CHANGED}) EXECUTE FUNCTION budgets_stays_counted();
DROP FUNCTION IF EXISTS budgets_give_back(uuid, text, text);
DROP FUNCTION IF EXISTS budgets_extend(uuid, bigint, text);
"""
_SQLITE = (
    "DROP TRIGGER IF EXISTS budgets_stays_counted",
    "CREATE TRIGGER budgets_stays_counted BEFORE UPDATE ON budgets_budget"
    f" WHEN {_CHANGED} BEGIN SELECT RAISE(ABORT, '{_MESSAGE}'); END",
)


def _fill(apps: Any, editor: Any) -> None:
    holds, budgets, rates = (
        apps.get_model("budgets", name).objects for name in ("Reservation", "Budget", "RateLimit")
    )
    zone = timezone.get_default_timezone()
    holds.update(counted_on=TruncDate("created_at", tzinfo=zone))
    mine = holds.filter(budget=OuterRef("pk")).order_by().values("budget")
    budgets.update(counted_on=Subquery(mine.annotate(day=Max("counted_on")).values("day")))
    for rate in rates.all():
        earlier = Q(counted_on__isnull=True) | Q(counted_on__lt=rate.window_start)
        budgets.filter(earlier, pk=rate.budget_id).update(counted_on=rate.window_start)
    if editor.connection.vendor == "postgresql":
        editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def _guard(apps: Any, editor: Any) -> None:
    postgresql = editor.connection.vendor == "postgresql"
    for statement in (_POSTGRESQL,) if postgresql else _SQLITE:
        editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("budgets", "0011_existing_questions")]

    operations: ClassVar = [
        migrations.AddField("budget", "counted_on", models.DateField(blank=True, null=True)),
        migrations.AddField("reservation", "counted_on", models.DateField(null=True)),
        migrations.RunPython(_fill, migrations.RunPython.noop),
        migrations.AlterField("reservation", "counted_on", models.DateField()),
        migrations.RunPython(_guard, migrations.RunPython.noop),
        migrations.RunPython(_steps._install, migrations.RunPython.noop),
        migrations.RunPython(_extending._install, migrations.RunPython.noop),
    ]
