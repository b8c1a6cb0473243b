"""A9: a restored database may be older than its last answers, so it comes up frozen."""

import errno
import json
import shutil
import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, transaction
from structlog.testing import capture_logs

from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditEntry
from dpgov.audit.outside import folder_of, newest_outside, put
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget, Correction, DatabaseMark
from dpgov.budgets.services import confirm_budget, freezing
from dpgov.budgets.services.freezing import identity_of_file, moved
from dpgov.budgets.services.restored import freeze_if_restored
from dpgov.datasets.models import Dataset
from dpgov.language.said import from_values
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of
from tests.cast import answer_query

pytestmark = pytest.mark.django_db(transaction=True)

NANO = 10**9
Asking = Callable[..., Query]


class Restored(Exception):
    """The backup was taken before the transaction that is given up here."""


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.DPGOV_CHECKPOINT_FOLDER = tmp_path / "checkpoints"


@pytest.fixture
def behind(analyst: Membership, ask: Asking) -> None:
    """An answer's checkpoint is outside; the database is as it was before."""
    tenant_id = analyst.tenant_id
    first = make_checkpoint(tenant_id=tenant_id)
    assert first
    put(tenant_id, first.note)
    with pytest.raises(Restored), transaction.atomic():
        ask(analyst)
        later = make_checkpoint(tenant_id=tenant_id)
        assert later
        put(tenant_id, later.note)
        raise Restored


def frozen() -> set[bool]:
    return {budget.frozen_at is not None for budget in Budget.objects.all()}


def confirm(dataset: Dataset, officer: Membership, missing_nano: int | None = None) -> None:
    confirm_budget(
        budget=dataset.budget,
        actor=actor_of(officer.user),
        reason="compared with the receipts",
        missing_nano=missing_nano,
    )


def test_a_database_behind_its_checkpoints_is_frozen_by_the_sweeper(
    behind: None, dataset: Dataset, analyst: Membership, ask: Asking
) -> None:
    """A9: nothing is admitted, and the log says why and who noticed."""
    (found,) = freeze_if_restored()
    assert (found.tenant.id, found.budgets) == (dataset.tenant_id, 1)
    assert frozen() == {True}
    with pytest.raises(BudgetFrozen):
        ask(analyst)
    entry = AuditEntry.objects.get(action="DATASETS_FROZEN")
    assert entry.actor_label == "sweeper"
    assert json.loads(entry.detail)["outside_size"] == newest_outside(dataset.tenant_id)


def test_a_question_that_waits_in_a_restored_database_is_not_answered_again(
    behind: None, dataset: Dataset, analyst: Membership, officer: Membership, ask: Asking
) -> None:
    """A9: it may have been answered in what was lost; once confirmed it is answered."""
    waiting = ask(analyst)
    freeze_if_restored()
    assert answer_query(waiting.pk) is False
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempts) == (Query.State.QUEUED, 0)
    confirm(dataset, officer)
    assert answer_query(waiting.pk) is True


@pytest.mark.parametrize("moved_away", [False, True], ids=["at home", "moved"])
def test_a_folder_that_cannot_be_read_hides_the_restore_of_no_other_organisation(
    behind: None,
    dataset: Dataset,
    foreign_dataset: Dataset,
    monkeypatch: pytest.MonkeyPatch,
    moved_away: bool,
) -> None:
    """A9: a disk that is away is told in the program's log, and ends no round."""
    unreadable, really = folder_of(foreign_dataset.tenant_id), Path.iterdir

    def iterdir(path: Path) -> Iterator[Path]:
        if path == unreadable:
            raise OSError(errno.ESTALE, "Stale file handle")
        return really(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    if moved_away:
        monkeypatch.setattr(freezing, "identity", lambda: "elsewhere")
        DatabaseMark.objects.update_or_create(pk=1, defaults={"identity": "home"})
    with capture_logs() as logged:
        found = freeze_if_restored()
    expected = {dataset.tenant_id, foreign_dataset.tenant_id}
    assert {frozen.tenant.id for frozen in found} == expected
    assert [entry["tenant"] for entry in logged] == ["elsewhere"]
    assert freeze_if_restored() == []


def test_it_is_frozen_once_for_a_restore(
    behind: None, dataset: Dataset, officer: Membership
) -> None:
    """A9: the confirmed dataset stays confirmed, and the lost checkpoints are set aside."""
    assert len(freeze_if_restored()) == 1
    assert freeze_if_restored() == []
    confirm(dataset, officer)
    assert freeze_if_restored() == []
    assert frozen() == {False}
    assert AuditEntry.objects.filter(action="DATASETS_FROZEN").count() == 1
    again = make_checkpoint(tenant_id=dataset.tenant_id)
    assert again is not None


def test_a_log_that_has_grown_past_the_lost_checkpoint_does_not_hide_the_restore(
    behind: None, dataset: Dataset, analyst: Membership, ask: Asking
) -> None:
    """A9: the database knows fewer checkpoints than the folder, however long its log is."""
    for number in range(5):
        ask(analyst, key=f"k{number}", epsilon=0.1)
    assert len(freeze_if_restored()) == 1


def test_nothing_is_frozen_where_nothing_was_restored(
    dataset: Dataset, analyst: Membership, ask: Asking
) -> None:
    """A9: no checkpoint, or one that the database knows."""
    assert freeze_if_restored() == []
    made = make_checkpoint(tenant_id=dataset.tenant_id)
    assert made
    put(dataset.tenant_id, made.note)
    ask(analyst)
    assert freeze_if_restored() == []
    assert frozen() == {False}
    assert not AuditEntry.objects.filter(action="DATASETS_FROZEN").exists()


def test_what_the_backup_did_not_know_is_booked_when_it_is_confirmed(
    behind: None, dataset: Dataset, officer: Membership, analyst: Membership, ask: Asking
) -> None:
    """A9: as spent, with the reason, in the one entry of the confirmation."""
    freeze_if_restored()
    confirm(dataset, officer, missing_nano=2 * NANO)
    budget = Budget.objects.get(pk=dataset.budget_id)
    assert (budget.spent_nano, budget.frozen_at) == (2 * NANO, None)
    assert Correction.objects.get().kind == "after_restore"
    entry = AuditEntry.objects.get(action="BUDGET_CONFIRMED")
    assert json.loads(entry.detail)["booked_epsilon"] == "2"
    assert ask(analyst).state == Query.State.QUEUED


def test_an_operator_freezes_every_tenant_by_a_command(
    dataset: Dataset, foreign_dataset: Dataset
) -> None:
    """A9, G1: one entry for each tenant."""
    out = StringIO()
    call_command("freeze", "--reason", "restored from Sunday's backup", stdout=out)
    assert frozen() == {True}
    assert out.getvalue().count(": 1 frozen. Officers") == 2
    entries = AuditEntry.objects.filter(action="DATASETS_FROZEN")
    assert {entry.tenant_id for entry in entries} == {
        dataset.tenant_id,
        foreign_dataset.tenant_id,
    }
    kept = Budget.objects.values_list("frozen_reason", flat=True)
    assert {from_values(each) for each in kept} == {"restored from Sunday's backup"}


def test_a_copy_of_the_database_admits_nothing_and_freezes_itself(
    dataset: Dataset, analyst: Membership, officer: Membership, ask: Asking
) -> None:
    """A9: a database knows where it is at home; on SQLite that is a file."""
    # Asked once for each connection, and a test before this one emptied the tables below it.
    connection.close()
    waiting = ask(analyst)
    with _in_a_copy():
        with pytest.raises(BudgetFrozen):
            ask(analyst)
        assert answer_query(waiting.pk) is False
        assert len(freeze_if_restored()) == 1
        assert (frozen(), moved()) == ({True}, False)
        with pytest.raises(BudgetFrozen):
            ask(analyst)
        confirm(dataset, officer, missing_nano=NANO)
        assert answer_query(waiting.pk) is True
        assert freeze_if_restored() == []
    assert (frozen(), moved()) == ({False}, False)
    assert Query.objects.get().state == Query.State.QUEUED


@contextmanager
def _in_a_copy() -> Generator[None]:
    """The same database under another name, as a restore would make it; dropped afterwards."""
    original, parameters = connection.settings_dict["NAME"], connection.get_connection_params()
    copy = f"{original}_copy"
    connection.close()
    _copy(parameters, original, copy)
    connection.settings_dict["NAME"] = copy
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = original
        _drop(parameters, copy)


def _copy(parameters: dict[str, Any], original: str, copy: str) -> None:
    if connection.vendor == "sqlite":
        # Who else has the file open may keep beside it what was written.
        with closing(sqlite3.connect(original)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    else:
        _maintain(parameters, f'CREATE DATABASE "{copy}" TEMPLATE "{original}"')


def _drop(parameters: dict[str, Any], copy: str) -> None:
    if connection.vendor == "sqlite":
        for left in Path(copy).parent.glob(f"{Path(copy).name}*"):
            left.unlink()
    else:
        _maintain(parameters, f'DROP DATABASE "{copy}"')


def test_a_file_is_known_by_its_machine_its_path_and_its_birth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L5: written to or linked to it is the same; copied, moved or put back it is another one."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    file = home / "dpgov.sqlite3"
    file.write_bytes(b"a")
    first = identity_of_file(file)
    file.write_bytes(b"much more")
    (tmp_path / "link").symlink_to(home)
    assert identity_of_file(file) == identity_of_file(tmp_path / "link" / file.name) == first
    shutil.copytree(home, elsewhere)
    assert identity_of_file(elsewhere / file.name) != first
    kept = file.rename(home / "kept")
    assert identity_of_file(kept) != first
    shutil.copy2(elsewhere / file.name, file)
    assert identity_of_file(file) != first
    kept.replace(file)
    assert identity_of_file(file) == first
    other = tmp_path / "machine-id"
    other.write_text("another machine")
    monkeypatch.setattr(freezing, "_MACHINE", (other,))
    assert identity_of_file(file) != first


def test_a_file_that_gets_the_number_of_a_removed_one_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L5: file systems give numbers away again at once, but never the moment of birth."""
    file = tmp_path / "dpgov.sqlite3"
    file.write_bytes(b"a")
    first, born = identity_of_file(file), freezing._born(file)
    monkeypatch.setattr(freezing, "_born", lambda _: born + 1)
    assert identity_of_file(file) != first
    assert born > 0


def _maintain(parameters: dict[str, Any], statement: str) -> None:
    known = {
        name: parameters[name]
        for name in ("host", "port", "user", "password")
        if name in parameters
    }
    with psycopg.connect(dbname="postgres", autocommit=True, **known) as server:
        server.execute(statement)
