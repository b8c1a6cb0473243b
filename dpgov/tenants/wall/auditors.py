"""Whom each auditor's role may look at: rows that only the owner of the tables reads and writes.

On PostgreSQL alone; an auditor's session can change nothing about it. A row without a tenant stands
for every tenant, those that are yet to come among them.
"""

from collections.abc import Sequence
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction


class NoSuchRole(LookupError):
    """There is no such role in the database."""


class NoAuditor(ValueError):
    """The role is neither the auditor's nor a member of it, so that it reads nothing at all."""


class NoRolesHere(RuntimeError):
    """SQLite has no roles, and so no auditors."""


@transaction.atomic
def appoint(role: str, tenant_ids: Sequence[UUID | None]) -> None:
    """From now on this role audits these tenants and no others; None is every tenant.

    Run as the owner of the tables, acting for all. Raises NoSuchRole, NoAuditor, NoRolesHere.
    """
    if connection.vendor != "postgresql":
        raise NoRolesHere
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        if cursor.fetchone() is None:
            raise NoSuchRole(role)
        if tenant_ids and not _may_audit(role):
            raise NoAuditor(role)
        cursor.execute("DELETE FROM dpgov_auditor WHERE role = %s", [role])
        for tenant_id in tenant_ids:
            cursor.execute("INSERT INTO dpgov_auditor VALUES (%s, %s)", [role, tenant_id])


def _may_audit(role: str) -> bool:
    """The rights of an auditor are those of one role, and of its members."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_has_role(%s, oid, 'MEMBER') FROM pg_roles WHERE rolname = %s",
            [role, settings.DPGOV_DATABASE_AUDITOR_ROLE],
        )
        return bool(cursor.fetchone() == (True,))
