"""Populations: who accepted an invitation, names that are unique, and what is asked across tenants.

The steps of the ledger are installed again: a reservation now finds out, under its locks, that a
population was forgotten.
"""

from importlib import import_module
from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models

from dpgov.tenants.wall.functions import door

_steps = import_module("dpgov.budgets.migrations.0005_ledger_steps")

_OPEN = """
    FROM budgets_populationinvitation i JOIN budgets_budget b ON b.id = i.population_id
    WHERE i.code_hash = $1 AND i.accepted_at IS NULL AND i.expires_at > clock_timestamp()
      AND i.tenant_id <> dpgov_tenant() AND b.closed_at IS NULL
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("budgets", "0005_ledger_steps"), ("tenants", "0003_doors")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="populationinvitation",
            name="accepted_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="tenants.tenant",
            ),
        ),
        migrations.AddConstraint(
            model_name="budget",
            constraint=models.UniqueConstraint(
                condition=models.Q(kind="population", closed_at__isnull=True),
                fields=("tenant", "label"),
                name="budgets_population_name",
            ),
        ),
        migrations.RunPython(_steps._install, migrations.RunPython.noop),
        door(
            "budgets_invitation(text)",
            returns="TABLE (label text, limit_nano bigint, committed_nano bigint)",
            body=f"SELECT b.label::text, b.limit_nano, b.spent_nano + b.reserved_nano {_OPEN}",
        ),
        door(
            "budgets_claim_invitation(text)",
            returns="TABLE (id uuid, population uuid)",
            volatility="VOLATILE",
            body=f"""
                UPDATE budgets_populationinvitation claimed
                SET accepted_at = clock_timestamp(), accepted_by_id = dpgov_tenant()
                WHERE claimed.accepted_at IS NULL AND claimed.id IN (SELECT i.id {_OPEN})
                RETURNING claimed.id, claimed.population_id
            """,  # noqa: S608 - our own text
        ),
        door(
            "budgets_admit_by_invitation(uuid)",
            returns="uuid",
            volatility="VOLATILE",
            body="""
                INSERT INTO budgets_budgetaccess (budget_id, tenant_id, created_at)
                SELECT i.population_id, i.accepted_by_id, clock_timestamp()
                FROM budgets_populationinvitation i
                WHERE i.id = $1 AND i.accepted_by_id = dpgov_tenant()
                ON CONFLICT DO NOTHING;
                SELECT i.population_id FROM budgets_populationinvitation i
                WHERE i.id = $1 AND i.accepted_by_id = dpgov_tenant()
            """,
        ),
        door(
            "budgets_shared_with_others(uuid, uuid)",
            returns="boolean",
            body="""
                SELECT CASE WHEN $2 IS DISTINCT FROM dpgov_tenant() THEN true ELSE EXISTS (
                    SELECT 1 FROM budgets_populationmember m
                    WHERE m.population_id = $1 AND m.left_at IS NULL AND m.tenant_id <> $2
                ) AND EXISTS (
                    SELECT 1 FROM budgets_budgetaccess a
                    WHERE a.budget_id = $1 AND a.tenant_id = $2
                ) END
            """,
        ),
    ]
