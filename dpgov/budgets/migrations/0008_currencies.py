"""A budget has a currency: its mode, and under zCDP its δ and the ε that the limit keeps.

Everything that is there counts pure ε. Mode and δ are frozen by a trigger from the first moment
on, which is before the first charge. A later migration that makes SQLite remake the table of
budgets must end with `frozen_currency()` again.
"""

from typing import Any, ClassVar

from django.db import migrations, models

from dpgov.tenants.wall.functions import door

_MESSAGE = "the accounting mode of a budget never changes"
_CHANGED = (
    "OLD.mode <> NEW.mode OR OLD.delta <> NEW.delta"
    " OR (OLD.protects <> NEW.protects AND OLD.protects <> '')"
)
_POSTGRESQL = f"""
CREATE OR REPLACE FUNCTION budgets_frozen_currency() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{_MESSAGE}' USING ERRCODE = 'restrict_violation'; END $$;
DROP TRIGGER IF EXISTS budgets_frozen_currency ON budgets_budget;
CREATE TRIGGER budgets_frozen_currency BEFORE UPDATE ON budgets_budget
    FOR EACH ROW WHEN ({_CHANGED}) EXECUTE FUNCTION budgets_frozen_currency();
"""
_SQLITE = (
    "DROP TRIGGER IF EXISTS budgets_frozen_currency",
    "CREATE TRIGGER budgets_frozen_currency BEFORE UPDATE ON budgets_budget"
    f" WHEN {_CHANGED} BEGIN SELECT RAISE(ABORT, '{_MESSAGE}'); END",
)
_OPEN = """
    FROM budgets_populationinvitation i JOIN budgets_budget b ON b.id = i.population_id
    WHERE i.code_hash = $1 AND i.accepted_at IS NULL AND i.expires_at > clock_timestamp()
      AND i.tenant_id <> dpgov_tenant() AND b.closed_at IS NULL
"""


def _freeze(apps: Any, editor: Any) -> None:
    postgresql = editor.connection.vendor == "postgresql"
    for statement in (_POSTGRESQL,) if postgresql else _SQLITE:
        editor.execute(statement, params=None)


def _forget_the_offer(apps: Any, editor: Any) -> None:
    """A function cannot be replaced by one that returns something else."""
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP FUNCTION IF EXISTS budgets_invitation(text)", params=None)


def frozen_currency() -> migrations.RunPython:
    """The migration operation that freezes mode and δ of every budget."""
    return migrations.RunPython(_freeze, migrations.RunPython.noop)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("budgets", "0007_plans_kept")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="budget",
            name="delta",
            field=models.CharField(blank=True, default="", max_length=50),
        ),
        migrations.AddField(
            model_name="budget",
            name="target_nano",
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="budget",
            name="protects",
            field=models.CharField(blank=True, default="", max_length=100),
        ),
        migrations.AddConstraint(
            model_name="budget",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("delta", ""), ("mode", "pure"), ("target_nano__isnull", True)),
                    models.Q(
                        ("mode", "zcdp"),
                        ("target_nano__gt", 0),
                        ("target_nano__isnull", False),
                        models.Q(("delta", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="budgets_one_currency",
            ),
        ),
        frozen_currency(),
        migrations.RunPython(_forget_the_offer, migrations.RunPython.noop),
        door(
            "budgets_invitation(text)",
            returns="TABLE (label text, limit_nano bigint, committed_nano bigint, mode text,"
            " delta text, target_nano bigint)",
            body="SELECT b.label::text, b.limit_nano, b.spent_nano + b.reserved_nano,"
            f" b.mode::text, b.delta::text, b.target_nano {_OPEN}",
        ),
        door(
            "budgets_protect(uuid, text)",
            returns="uuid",
            volatility="VOLATILE",
            body="""
                UPDATE budgets_budget SET protects = $2
                WHERE id = $1 AND protects = '' AND kind = 'population' AND (
                    current_setting('dpgov.tenant', true) = 'all' OR EXISTS (
                        SELECT 1 FROM budgets_budgetaccess a
                        WHERE a.budget_id = $1 AND a.tenant_id = dpgov_tenant()
                    )
                )
                RETURNING id
            """,
        ),
    ]
