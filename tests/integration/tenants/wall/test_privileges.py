"""A7: what a role may not do is refused for want of the privilege, before any trigger is asked."""

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from psycopg.errors import InsufficientPrivilege

from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership
from dpgov.tenants.wall.raising import append_only_tables
from tests.integration.tenants.wall.conftest import connected_as, rows
from tests.servers.postgres import AUDITOR, SWEEPER
from tests.triggers import APPEND_ONLY

pytestmark = pytest.mark.django_db
Two = tuple[Membership, Membership]

COUNTERS = ("spent_nano", "reserved_nano", "tenant_id")
PUBLIC_GATES = """
    SELECT oid::regprocedure::text FROM pg_proc
    WHERE prosecdef AND proname <> 'dpgov_audited' AND pronamespace = current_schema()::regnamespace
      AND (has_function_privilege('public', oid, 'EXECUTE')
           OR has_function_privilege(%s, oid, 'EXECUTE'))
"""


def refused(statement: str, member: Membership) -> None:
    """The application's role lacks the privilege."""
    with (
        pytest.raises(DatabaseError) as refusal,
        transaction.atomic(),
        acting_for(member.tenant_id),
    ):
        rows(statement)
    assert isinstance(refusal.value.__cause__, InsufficientPrivilege), refusal.value
    assert "row-level security" not in str(refusal.value)


def test_the_tests_know_every_append_only_table() -> None:
    """A7: known by their triggers."""
    assert set(APPEND_ONLY) <= append_only_tables()


@pytest.mark.parametrize("table", sorted(APPEND_ONLY))
def test_what_is_booked_or_published_is_out_of_the_application_s_reach(
    table: str, analyst: Membership
) -> None:
    """A7: neither changed nor removed nor emptied, by privilege and not only by trigger."""
    column = connection.introspection.get_table_description(connection.cursor(), table)[0].name
    refused(f"UPDATE {table} SET {column} = {column}", analyst)
    refused(f"DELETE FROM {table}", analyst)
    refused(f"TRUNCATE {table}", analyst)


@pytest.mark.parametrize("column", COUNTERS)
def test_counters_move_by_the_ledger_s_steps_alone(column: str, analyst: Membership) -> None:
    """A7: no statement of the application's own touches them."""
    refused(f"UPDATE budgets_budget SET {column} = {column}", analyst)


@pytest.mark.parametrize("table", ["budgets_charge", "budgets_reservation", "budgets_correction"])
def test_entries_of_the_ledger_come_from_its_steps_alone(table: str, analyst: Membership) -> None:
    """A7"""
    refused(f"INSERT INTO {table} SELECT * FROM {table}", analyst)


@pytest.mark.parametrize("table", ["audit_auditentry", "audit_auditarchive", "audit_auditleaves"])
def test_what_may_leave_the_log_is_the_owner_s_word_alone(table: str, analyst: Membership) -> None:
    """G10: whoever could name an archive could say that an entry is in it."""
    again = f"INSERT INTO {table} (tenant_id) SELECT tenant_id FROM {table}"
    refused(again, analyst)
    refused(f"DELETE FROM {table}", analyst)
    with connected_as(SWEEPER) as sweeper, pytest.raises(InsufficientPrivilege):
        sweeper.execute(again)


def test_archiving_says_at_once_that_it_is_for_the_owner_of_the_tables(owner: Membership) -> None:
    """G10"""
    with (
        acting_for(owner.tenant_id),
        pytest.raises(CommandError, match="as the owner of the tables, not as dpgov_app"),
    ):
        call_command("archive_log", "--remove")


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE queries_release",
        "ALTER TABLE queries_query NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY wall_own ON queries_query",
        "ALTER TABLE budgets_charge DISABLE TRIGGER ALL",
        "CREATE TABLE mine (id int)",
        "DELETE FROM queries_query",
        "DELETE FROM budgets_budget",
    ],
)
def test_the_application_cannot_take_the_wall_down(statement: str, analyst: Membership) -> None:
    """A7, H2"""
    refused(statement, analyst)


@pytest.mark.django_db(transaction=True)
def test_only_the_sweeper_says_that_it_runs() -> None:
    """M58: everybody else reads it; nobody but the owner takes it away."""
    columns = "(id, number, started_at, at, rounds, sent, given_up, broken_off)"
    new = f"INSERT INTO queries_sweeper {columns} VALUES (1, 1, now(), now(), 0, 0, 0, 0)"
    again = "UPDATE queries_sweeper SET number = number + 1, at = now()"
    with connected_as(SWEEPER) as sweeper, connected_as() as application:
        for statement in (new, again):
            with pytest.raises(InsufficientPrivilege):
                application.execute(statement)
            sweeper.execute(statement)
        assert application.execute("SELECT number FROM queries_sweeper").fetchall() == [(2,)]
        for statement in ("DELETE FROM queries_sweeper", "TRUNCATE queries_sweeper"):
            with pytest.raises(InsufficientPrivilege):
                sweeper.execute(statement)


def test_doors_are_open_to_the_application_alone() -> None:
    """H2: functions that see every tenant are nobody else's to use; an auditor may ask for whom."""
    assert rows("SELECT count(*) > 5 FROM pg_proc WHERE prosecdef") == [(True,)]
    assert rows(PUBLIC_GATES, AUDITOR) == []


def test_every_door_looks_for_tables_where_nobody_else_can_put_them() -> None:
    """H2: a function with the owner's rights is not led to a table of somebody else's."""
    fixed = "EXISTS (SELECT 1 FROM unnest(proconfig) c WHERE c LIKE 'search_path=%pg_temp%')"
    assert rows(f"SELECT proname FROM pg_proc WHERE prosecdef AND NOT {fixed}") == []


@pytest.mark.parametrize(
    "command", ["sweep", "checkpoint", "rotate_checkpoint_key", "demo --force"]
)
def test_a_command_that_signs_says_at_once_which_role_it_needs(
    command: str, owner: Membership
) -> None:
    """Else the sweeper would run until the first checkpoint is due, and end there."""
    with (
        acting_for(owner.tenant_id),
        pytest.raises(CommandError, match="the address of dpgov_sweeper"),
    ):
        call_command(*command.split())
