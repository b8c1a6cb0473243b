"""S5, A7: whom an auditor sees is a fact of their role, whatever their session says."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from dpgov.tenants.models import Membership
from dpgov.tenants.wall.policies import protected_tables
from tests.integration.tenants.wall.conftest import connected_as, rows
from tests.servers.postgres import APP, AUDITOR, PERSON

pytestmark = pytest.mark.django_db(transaction=True)
Two = tuple[Membership, Membership]
# What an auditor might say to see more: of everybody, of the other tenant, of nobody.
SAID = ("all", "{theirs}", "")


@pytest.fixture(autouse=True)
def _every_tenant_again() -> Iterator[None]:
    yield
    call_command("appoint_auditor", AUDITOR, "--every-tenant", verbosity=0)


def seen(*, role: str = AUDITOR, **told: str) -> set[str]:
    with connected_as(role, **told) as auditor:
        found = auditor.execute("SELECT DISTINCT tenant_id::text FROM queries_release").fetchall()
    return {tenant for (tenant,) in found}


def test_an_auditor_of_one_tenant_sees_that_one_whatever_the_session_says(
    two_tenants: Two,
) -> None:
    """S5: not by setting a tenant, nor a default, nor a path, nor another role."""
    ours, theirs = two_tenants
    call_command("appoint_auditor", AUDITOR, "--tenant", ours.tenant.slug)
    mine = {str(ours.tenant_id)}
    for said in SAID:
        assert seen(dpgov__tenant=said.format(theirs=theirs.tenant_id)) == mine
    with connected_as(AUDITOR) as auditor:
        auditor.execute("SET dpgov.tenant = 'all'")
        auditor.execute("SET search_path = pg_catalog, public, pg_temp, dpgov_every_tenant")
        for table in audited():
            column = "id" if table == "tenants_tenant" else "tenant_id"
            foreign = f"SELECT count(*) FROM {table} WHERE {column} <> '{ours.tenant_id}'"
            assert auditor.execute(foreign).fetchone() == (0,), table
        for forbidden in (
            f"INSERT INTO dpgov_auditor VALUES ('{AUDITOR}', NULL)",
            "SELECT * FROM dpgov_auditor",
            "SELECT * FROM dpgov_tenants()",
            "SET ROLE dpgov_app",
            "ALTER ROLE CURRENT_USER SET dpgov.tenant = 'all'",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                auditor.execute(forbidden)


def audited() -> list[str]:
    """The tables of a tenant that an auditor may read at all."""
    may = "SELECT name FROM unnest(%s::text[]) name WHERE has_any_column_privilege(%s, name, %s)"
    found = [table for (table,) in rows(may, protected_tables(), AUDITOR, "SELECT")]
    assert len(found) >= 15
    return found


def test_who_audits_nobody_sees_nothing_and_who_audits_all_sees_those_to_come(
    two_tenants: Two,
) -> None:
    """S5: appointed by the owner of the tables alone."""
    call_command("appoint_auditor", AUDITOR, "--nobody")
    assert seen(dpgov__tenant="all") == set()
    call_command("appoint_auditor", AUDITOR, "--every-tenant")
    assert seen() == {str(member.tenant_id) for member in two_tenants}
    with pytest.raises(CommandError, match="no role"):
        call_command("appoint_auditor", "nobody_by_that_name", "--every-tenant")
    with pytest.raises(CommandError, match="no organisation"):
        call_command("appoint_auditor", AUDITOR, "--tenant", "nowhere")


def test_whoever_is_no_member_of_the_auditors_role_is_not_appointed(
    two_tenants: Two, settings: Any
) -> None:
    """S5: it would be told that they audit, and they would see nothing."""
    for whom in ("--every-tenant", "--tenant=harbour"):
        with pytest.raises(CommandError, match="would see nothing"):
            call_command("appoint_auditor", APP, whom)
    assert rows("SELECT role FROM dpgov_auditor") == [(AUDITOR,)]
    call_command("appoint_auditor", PERSON, "--tenant", "harbour")
    assert seen(role=PERSON) == {str(two_tenants[0].tenant_id)}
    call_command("appoint_auditor", APP, "--nobody")
    settings.DPGOV_DATABASE_AUDITOR_ROLE = ""
    with pytest.raises(CommandError, match="would see nothing"):
        call_command("appoint_auditor", PERSON, "--every-tenant")
    call_command("appoint_auditor", PERSON, "--nobody")
    assert seen(role=PERSON) == set()


def test_an_auditor_reads_what_was_booked_released_and_logged_and_writes_nothing(
    two_tenants: Two,
) -> None:
    """A7: neither what was asked, nor people, nor anything to write."""
    with connected_as(AUDITOR) as auditor:
        for table in ("audit_auditentry", "queries_release", "budgets_budget", "tenants_tenant"):
            assert auditor.execute(f"SELECT 1 FROM {table}").fetchone() == (1,)
        for statement in (
            "SELECT * FROM tenants_user",
            "SELECT role FROM tenants_membership",
            "SELECT plan FROM queries_query",
            "INSERT INTO budgets_charge DEFAULT VALUES",
            "UPDATE budgets_budget SET spent_nano = 0",
            "CREATE TABLE mine (id int)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                auditor.execute(statement)


def test_nobody_but_the_roles_of_the_installation_connects(two_tenants: Two) -> None:
    """R7: who may connect is no part of a dump, so migrate says it for each database."""
    name = connection.settings_dict["NAME"]
    public = "has_database_privilege('public', %s, 'CONNECT')"
    theirs = "has_database_privilege(%s, %s, 'TEMPORARY')"
    assert rows(f"SELECT {public}, {theirs}", name, AUDITOR, name) == [(False, True)]
