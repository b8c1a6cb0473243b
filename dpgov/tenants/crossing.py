"""The few questions that are asked across tenants, each as narrow as what it is asked for.

On PostgreSQL each is a gate through the wall (a function of the database, made in the
migrations); on SQLite the same question to the models. Never a way to read a tenant's rows.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from dpgov.tenants.models import Invitation, Membership, Tenant


@dataclass(frozen=True, slots=True)
class KnownTenant:
    """That there is such a tenant, and what it is called."""

    id: UUID
    slug: str
    name: str


def tenants() -> list[KnownTenant]:
    """Every tenant, by short name: for the work of the whole installation, never for a page.

    For an auditor those that their role audits.
    """
    if _may_pass("dpgov_tenants()"):
        rows = through_gate("SELECT id, slug, name FROM dpgov_tenants() ORDER BY slug")
    else:
        rows = list(Tenant.objects.order_by("slug").values_list("id", "slug", "name"))
    return [KnownTenant(*row) for row in rows]


def belongs_somewhere(user_id: UUID) -> bool:
    """Whether the person is a member of any tenant; not of which."""
    if connection.vendor == "postgresql":
        return bool(through_gate("SELECT dpgov_belongs_somewhere(%s)", user_id)[0][0])
    return Membership.objects.filter(user_id=user_id).exists()


def users_of_token_key(token_key: str) -> list[UUID | None]:
    """Whose tokens begin like this: the person is known before the token is compared.

    Where there is no wall nobody has to be known, and it is not asked: None, who sees all tokens.
    """
    if connection.vendor == "postgresql":
        return [row[0] for row in through_gate("SELECT dpgov_users_of_token(%s)", token_key)]
    return [None]


def tenant_of_invitation(token_hash: str) -> UUID | None:
    """The tenant that the invitation with this hash leads into, whether it may still be used."""
    if connection.vendor == "postgresql":
        found: UUID | None = through_gate("SELECT dpgov_tenant_of_invitation(%s)", token_hash)[0][0]
        return found
    rows = Invitation.objects.filter(token_hash=token_hash)
    return rows.values_list("tenant_id", flat=True).first()


def _may_pass(gate: str) -> bool:
    """Whether there is a wall, and this role may use that gate in it."""
    if connection.vendor != "postgresql":
        return False
    return bool(through_gate("SELECT has_function_privilege(%s, 'EXECUTE')", gate)[0][0])


def through_gate(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """The rows of a call of a function in the database; `statement` is ours, never typed in."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
