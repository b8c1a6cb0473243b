"""R6, R7: an auditor compares by themselves, and a restored database shows them the same."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.queries.answering.workers import environment
from tests.integration.tenants.wall.conftest import connected_as, rows
from tests.servers.postgres import APP, AUDITOR

pytestmark = pytest.mark.django_db(transaction=True)
Two = tuple[Membership, Membership]
ROOT = Path(__file__).resolve().parents[4]
CHARGES = "SELECT count(*) FROM budgets_charge"
COPY = "test_restored"


def manage_as(role: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a process that signs in with this role."""
    address = environment()["DPGOV_DATABASE_URL"].replace(f"//{APP}:", f"//{role}:")
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(DPGOV_DATABASE_URL=address),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("role", [APP, AUDITOR])
def test_reconcile_runs_as_the_documented_roles(
    role: str, two_tenants: Two, answer_all: Callable[[], int]
) -> None:
    """R6: no temporary table refused, no traceback; of an auditor those tenants that they audit."""
    answer_all()
    assert Query.objects.filter(state=Query.State.RELEASED).count() == 4
    if role == AUDITOR:
        call_command("appoint_auditor", AUDITOR, "--tenant", two_tenants[0].tenant.slug)
    done = manage_as(role, "reconcile")
    call_command("appoint_auditor", AUDITOR, "--every-tenant")
    assert done.returncode == 0, done.stderr
    lines = sorted(done.stdout.splitlines())
    both = ["elsewhere: 2 questions, everything agrees", "harbour: 2 questions, everything agrees"]
    assert lines == (both if role == APP else both[1:])


def test_a_missing_right_is_not_blamed_on_the_log(two_tenants: Two) -> None:
    """R6: whoever lacks it is told so, and what to do."""
    rows(f'REVOKE SELECT ON approvals_changerequest FROM "{APP}"')
    try:
        with pytest.raises(CommandError, match="role of the database may not") as refusal:
            call_command("reconcile")
    finally:
        rows(f'GRANT SELECT ON approvals_changerequest TO "{APP}"')
    assert "verify_audit_log" not in str(refusal.value)


@pytest.fixture
def restored(two_tenants: Two, tmp_path: Path) -> dict[str, str]:
    """The database dumped and restored by docs/backup.md, into another one on this server."""
    of = connection.settings_dict
    place = {"PGHOST": of["HOST"], "PGPORT": str(of["PORT"]), "PGPASSWORD": of["PASSWORD"]}
    given = os.environ | place | {"PGUSER": of["USER"], "PGOPTIONS": "-c dpgov.tenant=all"}
    dump = str(tmp_path / "dpgov.dump")
    for command in (
        ["pg_dump", "--enable-row-security", "--format", "custom", "--file", dump, of["NAME"]],
        ["createdb", COPY],
        ["pg_restore", "--dbname", COPY, "--exit-on-error", dump],
    ):
        done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    # It goes with the server: a look of autovacuum, which we may not end, would forbid to drop it.
    return {"host": of["HOST"], "port": str(of["PORT"]), "password": of["PASSWORD"]}


def test_a_restored_database_shows_an_auditor_what_the_original_does(
    restored: dict[str, str],
) -> None:
    """R7: without a setting of the role, which no dump has."""
    with connected_as(AUDITOR) as auditor:
        expected = auditor.execute(CHARGES).fetchone()
    assert expected == (2,)
    with psycopg.connect(dbname=COPY, user=AUDITOR, **restored) as auditor:  # type: ignore[arg-type]
        assert auditor.execute(CHARGES).fetchone() == expected
