"""Whom an auditor's role may look at is a row that only the owner writes, not a setting of theirs.

Until now `dpgov.tenant` said so, which an auditor could set: what the role had been given by
ALTER ROLE … IN DATABASE becomes its row; a role without that setting sees every tenant.
"""

from typing import Any, ClassVar

from django.conf import settings
from django.db import migrations

from dpgov.tenants.wall.functions import door

_TABLE = """
CREATE TABLE dpgov_auditor (
    role text NOT NULL,
    tenant_id uuid REFERENCES tenants_tenant (id) DEFERRABLE INITIALLY DEFERRED,
    UNIQUE NULLS NOT DISTINCT (role, tenant_id)
);
COMMENT ON TABLE dpgov_auditor IS 'which tenant a role may audit; without a tenant, every one';
REVOKE ALL ON dpgov_auditor FROM PUBLIC;
"""
_SETTING = """
SELECT substr(said, length('dpgov.tenant=') + 1)
FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
    JOIN pg_roles r ON r.oid = s.setrole, unnest(s.setconfig) said
WHERE d.datname = current_database() AND r.rolname = %s AND said LIKE 'dpgov.tenant=%%'
"""
_APPOINT = """
INSERT INTO dpgov_auditor (role, tenant_id)
SELECT %s, t.id FROM (SELECT NULLIF(%s, '')::uuid AS id) t
WHERE t.id IS NULL OR EXISTS (SELECT 1 FROM tenants_tenant k WHERE k.id = t.id)
"""


def _make(apps: Any, editor: Any) -> None:
    if editor.connection.vendor != "postgresql":
        return
    editor.execute(_TABLE, params=None)
    if role := settings.DPGOV_DATABASE_AUDITOR_ROLE:
        with editor.connection.cursor() as cursor:
            cursor.execute(_SETTING, [role])
            told = (cursor.fetchone() or ("all",))[0]
            cursor.execute(_APPOINT, [role, "" if told == "all" else told])


def _remove(apps: Any, editor: Any) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP TABLE dpgov_auditor")


class Migration(migrations.Migration):
    dependencies: ClassVar = [("tenants", "0006_language_of_a_person")]

    operations: ClassVar = [
        migrations.RunPython(_make, _remove),
        door(
            "dpgov_audited()",
            returns="SETOF uuid",
            body="""
                SELECT t.id FROM tenants_tenant t WHERE EXISTS (
                    SELECT 1 FROM dpgov_auditor a
                    WHERE a.role = session_user AND (a.tenant_id IS NULL OR a.tenant_id = t.id)
                )
            """,
        ),
    ]
