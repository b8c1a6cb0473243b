"""What the wall needs in the database: who is asking, and gates of signing in."""

from django.conf import settings

from dpgov.operation.installed import Installed
from dpgov.tenants.wall.functions import ASKED_BY_POLICIES, gate

# A role audits every tenant at first; `appoint_auditor` says which from then on.
_AUDITORS = """
DO $$
BEGIN
    IF to_regclass('dpgov_auditor') IS NULL THEN
        CREATE TABLE dpgov_auditor (
            role text NOT NULL,
            tenant_id uuid REFERENCES tenants_tenant (id) DEFERRABLE INITIALLY DEFERRED,
            UNIQUE NULLS NOT DISTINCT (role, tenant_id)
        );
        COMMENT ON TABLE dpgov_auditor IS
            'which tenant a role may audit; without a tenant, every one';
        REVOKE ALL ON dpgov_auditor FROM PUBLIC;
        INSERT INTO dpgov_auditor SELECT named, NULL FROM (VALUES ('{role}')) AS v (named)
            WHERE named <> '';
    END IF;
END $$
"""
_AUDITED = gate(
    "dpgov_audited()",
    returns="SETOF uuid",
    body="""
        SELECT t.id FROM tenants_tenant t WHERE EXISTS (
            SELECT 1 FROM dpgov_auditor a
            WHERE a.role = session_user AND (a.tenant_id IS NULL OR a.tenant_id = t.id)
        )
    """,
)


def installed() -> tuple[Installed, ...]:
    """All of it; the role of auditors is the installation's."""
    role = settings.DPGOV_DATABASE_AUDITOR_ROLE.replace("'", "''")
    return (
        Installed(
            functions=("dpgov_tenant", "dpgov_user", "dpgov_every_tenant"),
            postgresql=(ASKED_BY_POLICIES,),
        ),
        gate(
            "dpgov_tenants()",
            returns="TABLE (id uuid, slug text, name text)",
            body="SELECT id, slug::text, name::text FROM tenants_tenant",
        ),
        gate(
            "dpgov_belongs_somewhere(uuid)",
            returns="boolean",
            body="SELECT EXISTS (SELECT 1 FROM tenants_membership WHERE user_id = $1)",
        ),
        gate(
            "dpgov_users_of_token(text)",
            returns="SETOF uuid",
            body="SELECT user_id FROM tenants_apitoken WHERE token_key = $1",
        ),
        gate(
            "dpgov_tenant_of_invitation(text)",
            returns="uuid",
            body="SELECT tenant_id FROM tenants_invitation WHERE token_hash = $1",
        ),
        Installed(_AUDITED.functions, (_AUDITORS.format(role=role), *_AUDITED.postgresql)),
    )
