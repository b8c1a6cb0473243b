"""H2, H3: every way in acts for one tenant: worker, shell, streamed answer, command."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from dpgov.queries.answering.sweep import sweep
from dpgov.queries.answering.tasks import look
from dpgov.queries.answering.turns import Turn, next_turn, number_waiting, waiting_by_lane
from dpgov.queries.crossing import counts_by_state, tenants_with_unfinished_queries
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for, current_scope
from dpgov.tenants.crossing import belongs_somewhere, tenants
from dpgov.tenants.models import Membership
from tests.cast import answer_query
from tests.integration.queries.answering.workers import environment
from tests.integration.tenants.wall.conftest import told
from tests.servers.postgres import APP

Two = tuple[Membership, Membership]
ROOT = Path(__file__).resolve().parents[4]
OWNER = ("dpgov", "all")


def waiting(member: Membership) -> Query:
    return Query.objects.get(tenant=member.tenant, state=Query.State.QUEUED)


@pytest.mark.django_db
def test_a_worker_takes_question_and_tenant_from_the_database_and_never_from_the_message(
    two_tenants: Two,
) -> None:
    """H3: whatever a message names, the oldest question is answered, for its own tenant."""
    ours, theirs = two_tenants
    first, second = waiting(ours), waiting(theirs)
    look(str(second.pk), str(ours.tenant_id))
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.attempts, second.attempts) == (1, 0)
    look("all", tenant_id=str(ours.tenant_id))
    second.refresh_from_db()
    assert second.attempts == 1
    assert told() == OWNER


@pytest.mark.django_db
def test_a_worker_acts_for_the_query_s_tenant_while_it_answers_and_not_longer(
    two_tenants: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H2: as the application's role, told the tenant of the row."""
    ours = two_tenants[0]
    during: list[tuple[str, str]] = []
    monkeypatch.setattr("dpgov.queries.answering.answer._answer", lambda _: during.append(told()))
    look()
    assert during == [(APP, str(ours.tenant_id))]
    assert told() == OWNER


@pytest.mark.django_db
def test_a_worker_that_acts_for_one_tenant_cannot_answer_for_another(two_tenants: Two) -> None:
    """H2: what it asks for by id is not there."""
    ours, theirs = two_tenants
    foreign = waiting(theirs)
    with acting_for(ours.tenant_id):
        assert not answer_query(foreign.pk)
    foreign.refresh_from_db()
    assert foreign.state == Query.State.QUEUED


@pytest.mark.django_db
def test_the_questions_across_tenants_are_answered_to_somebody_who_sees_none(
    two_tenants: Two,
) -> None:
    """H2: each gate gives what its name says."""
    ours, theirs = two_tenants
    query = waiting(ours).pk
    with acting_for(None):
        assert next_turn() == Turn(ours.tenant_id, query, 1)
        assert waiting_by_lane()[False].number == number_waiting() == 2
        assert set(tenants_with_unfinished_queries()) == {ours.tenant_id, theirs.tenant_id}
        assert [tenant.slug for tenant in tenants()] == ["elsewhere", "harbour"]
        assert belongs_somewhere(ours.user_id)
        assert not belongs_somewhere(uuid4())
        assert {state: number for state, (number, _) in counts_by_state().items()} == {
            "queued": 2,
            "released": 2,
        }
        assert not Query.objects.exists()


@pytest.mark.django_db
def test_the_sweep_visits_every_tenant_and_stays_in_none(
    two_tenants: Two, settings: object
) -> None:
    """H2, B7: what has expired ends for both."""
    settings.DPGOV_EXPIRY_SECONDS = -10  # type: ignore[attr-defined]
    assert sweep().given_up == 2
    assert set(Query.objects.values_list("state", flat=True)) == {"released", "expired"}
    assert told() == OWNER


@pytest.mark.django_db
def test_the_sweep_acts_for_each_tenant_in_turn(
    two_tenants: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H2: as the application's role, told the tenant whose query it sends again."""
    seen: set[object] = set()

    def wake(number: int) -> int:
        seen.add(told())
        return number

    monkeypatch.setattr("dpgov.queries.answering.sweep.wake", wake)
    monkeypatch.setattr("dpgov.queries.answering.sweep.messages", lambda: 0)
    Query.objects.update(submitted_at=timezone.now() - timedelta(minutes=1))
    assert sweep().sent == 2
    assert seen == {(APP, str(m.tenant_id)) for m in two_tenants}


@pytest.mark.django_db
@pytest.mark.parametrize("command", ["verify_ledger", "verify_audit_log", "sweep"])
def test_commands_leave_nobody_behind(
    command: str, two_tenants: Two, capsys: pytest.CaptureFixture[str]
) -> None:
    """H2"""
    call_command(command)
    assert capsys.readouterr().out
    assert told() == OWNER


@pytest.mark.django_db(transaction=True)
def test_a_shell_sees_nothing_until_it_says_for_whom(two_tenants: Two) -> None:
    """H2: a process of the application's role, in which nobody entered a tenant."""
    script = (
        "from dpgov.queries.models import Query; from dpgov.tenants.boundary import acting_for;"
        "print('seen', Query.objects.count());\n"
        f"with acting_for('{two_tenants[0].tenant_id}'): print('seen', Query.objects.count())"
    )
    shell = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", script],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line for line in shell.stdout.splitlines() if "seen" in line] == ["seen 0", "seen 2"]


@pytest.mark.django_db(transaction=True)
def test_the_application_s_role_has_nothing_to_migrate_with(two_tenants: Two) -> None:
    """A7: it may ask whether everything is done."""
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Everything is migrated." in done.stdout


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("between", ["nothing", "a request of the other tenant's"])
def test_a_streamed_answer_enters_its_tenant_for_each_stretch_and_stays_in_none(
    between: str,
    two_tenants: Two,
    client_for: Callable[[Membership], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """H2: the export is read after the request has left."""
    monkeypatch.setattr("dpgov.tenants.web.middleware._PARTS", 1)
    ours, theirs = (client_for(member) for member in two_tenants)
    answer = ours.get("/history/export/")
    lines = []
    for part in answer:
        assert (told(), current_scope()) == (OWNER, None)
        lines.append(part.decode())
        if between != "nothing":
            assert theirs.get("/").status_code == 200
    told_of = {line.split(",")[1] for line in lines[1:]}
    assert (len(lines), told_of) == (3, {"visits"})
    assert told() == OWNER


def test_the_environment_of_a_started_process_names_the_application_s_role() -> None:
    """The proof above is one only if it connects as in production."""
    assert os.environ["DPGOV_DATABASE_APP_ROLE"] in environment()["DPGOV_DATABASE_URL"]
