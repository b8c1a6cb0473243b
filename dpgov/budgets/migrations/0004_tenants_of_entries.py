"""Every entry says whose it is, and every charge the balance after it."""

from typing import Any, ClassVar

import django.db.models.deletion
from django.db import migrations, models

from dpgov.audit.append_only import protect, unprotect

APPEND_ONLY = ("budgets_charge", "budgets_limitchange")

_TENANTS = (
    "UPDATE {table} SET tenant_id ="
    " (SELECT b.tenant_id FROM budgets_budget b WHERE b.id = {table}.budget_id)"
)
_BALANCES = """
UPDATE budgets_charge SET spent_after_nano = (
    SELECT balance FROM (
        SELECT id, SUM(amount_nano) OVER (PARTITION BY budget_id ORDER BY id) AS balance
        FROM budgets_charge) AS running
    WHERE running.id = budgets_charge.id)
"""


def _lift(apps: Any, schema_editor: Any) -> None:
    for table in APPEND_ONLY:
        unprotect(table)(apps, schema_editor)


def _fill(apps: Any, schema_editor: Any) -> None:
    for table in ("budgets_reservation", *APPEND_ONLY):
        schema_editor.execute(_TENANTS.format(table=table))
    schema_editor.execute(_BALANCES)
    schema_editor.execute(
        "INSERT INTO budgets_budgetaccess (budget_id, tenant_id, created_at)"
        " SELECT id, tenant_id, created_at FROM budgets_budget"
    )
    if schema_editor.connection.vendor == "postgresql":
        # The foreign keys of the rows just written are checked now; then tables may be altered.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def _guard(apps: Any, schema_editor: Any) -> None:
    for table in (*APPEND_ONLY, "budgets_correction"):
        protect(table)(apps, schema_editor)


def _tenant() -> Any:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
    )


class Migration(migrations.Migration):
    dependencies: ClassVar = [("budgets", "0003_several_limits")]

    operations: ClassVar = [
        migrations.RunPython(_lift, migrations.RunPython.noop),
        migrations.RunPython(_fill, migrations.RunPython.noop),
        migrations.AlterField("reservation", "tenant", _tenant()),
        migrations.AlterField("charge", "tenant", _tenant()),
        migrations.AlterField("limitchange", "tenant", _tenant()),
        migrations.AlterField("charge", "spent_after_nano", models.BigIntegerField()),
        migrations.RunPython(_guard, migrations.RunPython.noop),
    ]
