"""L12: a worker that cannot see the data leaves the question to others, and says so."""

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.conf import settings as live
from django.db import OperationalError, connection

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, DatasetVersion, VersionFingerprint
from dpgov.datasets.services import DataMissing
from dpgov.queries.answering import answer
from dpgov.queries.answering import answer as answering
from dpgov.queries.answering import workers as workers_of
from dpgov.queries.answering.answer import answer_next
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.answering.tasks import look
from dpgov.queries.answering.workers import (
    BeatThread,
    alive_file,
    ready_file,
    seen_by_nobody,
    workers,
)
from dpgov.queries.models import Query, Worker
from dpgov.tenants.models import Membership
from tests.cast import answer_query, publish_now
from tests.integration.queries.answering.workers import prefork_fleet, solo_fleet
from tests.servers.keys import fingerprint_key_here
from tests.servers.waiting import end_of, until
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db(transaction=True)

Asking = Callable[..., Query]


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    current_app.control.purge()
    answer._until.clear()
    yield
    answer._until.clear()


def file_of(dataset: Dataset) -> Path:
    return storage.data_path(dataset.versions.get().pk)


def gone(path: Path) -> None:
    path.rename(path.with_suffix(".elsewhere"))


def foreign(path: Path) -> None:
    """Of the same length, of the same kind, and of something else."""
    text = bytearray(path.read_bytes())
    text[len(text) // 2] ^= 1
    path.write_bytes(text)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-4096])


@pytest.mark.parametrize("harm", [gone, foreign, cut_short])
def test_a_question_about_a_file_that_is_not_here_waits_and_loses_nothing(
    harm: Callable[[Path], None], analyst: Membership, dataset: Dataset, ask: Asking
) -> None:
    """L12, R3: no claim, no attempt, no entry in the log; answered once the file is back."""
    path, before = file_of(dataset), file_of(dataset).read_bytes()
    query, entries = ask(analyst), AuditEntry.objects.count()
    harm(path)
    assert not answer_next()
    query.refresh_from_db()
    assert (query.state, query.attempts, query.fence) == (Query.State.QUEUED, 0, 0)
    assert AuditEntry.objects.count() == entries
    path.unlink(missing_ok=True)
    path.write_bytes(before)
    answer._until.clear()
    assert answer_next()
    query.refresh_from_db()
    assert query.attempts == 1
    assert query.state not in (Query.State.QUEUED, Query.State.VOIDED)


def test_a_worker_with_another_key_takes_nothing(
    analyst: Membership, ask: Asking, settings: Any
) -> None:
    """L12: it belongs to another installation, whatever its files are called."""
    query = ask(analyst)
    settings.DPGOV_FINGERPRINT_KEY = b"k" * 32
    assert not answer_next()
    query.refresh_from_db()
    assert query.attempts == 0


def test_a_version_of_an_earlier_form_is_answered_about_all_the_same(
    analyst: Membership, ask: Asking, settings: Any
) -> None:
    """L12: in what form people are recognised is no matter to what is counted of them."""
    query = ask(analyst)
    key = settings.DPGOV_FINGERPRINT_KEY
    first = hashlib.blake2b(b"id", key=key, digest_size=8).hexdigest()
    VersionFingerprint.objects.update(key_id=first)
    assert answer_next()
    query.refresh_from_db()
    assert query.attempts == 1


def test_a_version_without_a_seal_is_seen_by_nobody(analyst: Membership, ask: Asking) -> None:
    """L12: its file may be anybody's."""
    query = ask(analyst)
    DatasetVersion.objects.update(file_seal="")
    assert not answer_next()
    query.refresh_from_db()
    assert query.attempts == 0


def test_other_questions_are_answered_meanwhile(
    owner: Membership, analyst: Membership, dataset: Dataset, ask: Asking
) -> None:
    """L12: what is missing here stands before nobody else."""
    missing = [ask(analyst, epsilon=0.001) for _ in range(3)]
    here = ask(analyst, of=register_small_dataset(owner, name="Here"), epsilon=0.001)
    gone(file_of(dataset))
    assert answer_next()
    assert not answer_next()
    here.refresh_from_db()
    assert here.attempts == 1
    assert set(Query.objects.filter(pk__in=[q.pk for q in missing]).values_list("attempts")) == {
        (0,)
    }


@pytest.mark.parametrize("error", [DataMissing(), OSError(5, "Input/output error")])
def test_a_file_that_goes_away_after_the_claim_gives_the_claim_back(
    error: Exception,
    analyst: Membership,
    dataset: Dataset,
    ask: Asking,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L12, B7: no attempt is counted, however often it happens."""
    query = ask(analyst)

    def vanished(_: object) -> None:
        raise error

    monkeypatch.setattr(answering, "engine_for", vanished)
    for _ in range(5):
        assert not answer_query(query.pk)
    query.refresh_from_db()
    assert (query.state, query.attempts, query.opened_at) == (Query.State.QUEUED, 0, None)
    assert Budget.objects.get(pk=dataset.budget_id).reserved_nano == query.cost_nano


def test_a_file_that_nobody_ever_sees_ends_the_question_uncharged(
    analyst: Membership, dataset: Dataset, ask: Asking, settings: Any
) -> None:
    """L12, B7: by the usual public rule."""
    query = ask(analyst)
    gone(file_of(dataset))
    look()
    settings.DPGOV_EXPIRY_SECONDS = -10
    assert sweep().given_up == 1
    query.refresh_from_db()
    budget = Budget.objects.get(pk=dataset.budget_id)
    assert query.state == Query.State.EXPIRED
    assert (budget.reserved_nano, budget.spent_nano) == (0, 0)


def test_a_worker_says_whether_it_is_ready_and_what_it_lacks(
    analyst: Membership, dataset: Dataset, ask: Asking
) -> None:
    """L12: in its row, by its file, and to the operator where nobody has the data file."""
    path, version = file_of(dataset), dataset.versions.get().pk
    one, other = BeatThread("one"), BeatThread("other")
    ask(analyst)
    one.tell()
    assert (workers(), seen_by_nobody()) == ((1, 0), [])
    assert ready_file("one").exists()
    gone(path)
    other.tell()
    assert Worker.objects.get(name="other").lacks == [str(version)]
    assert (workers(), seen_by_nobody()) == ((1, 1), [])
    one.tell()
    assert (workers(), seen_by_nobody()) == ((0, 2), [version])
    assert not ready_file("one").exists()
    path.with_suffix(".elsewhere").rename(path)
    one.tell()
    assert (workers(), seen_by_nobody()) == ((1, 1), [])
    one.stop()
    assert not ready_file("one").exists()


def test_a_worker_that_lacks_a_file_says_that_it_lives(
    analyst: Membership, dataset: Dataset, ask: Asking
) -> None:
    """Or one tenant's lost file would have every worker restarted, again and again."""
    ask(analyst)
    gone(file_of(dataset))
    beat = BeatThread("one")
    beat.turn()
    os.utime(alive_file("one"), (0, 0))
    beat.turn()
    assert alive_file("one").stat().st_mtime > 0
    assert not ready_file("one").exists()
    beat.stop()
    assert not alive_file("one").exists()


def test_a_worker_without_the_database_says_that_it_lives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nor does a database that is away for long: workers go on by themselves once it is back."""

    def away() -> None:
        raise OperationalError

    monkeypatch.setattr(workers_of, "asked_for", away)
    beat = BeatThread("one")
    beat.turn()
    os.utime(alive_file("one"), (0, 0))
    beat.turn()
    assert alive_file("one").stat().st_mtime > 0
    assert not ready_file("one").exists()
    beat.stop()


def test_a_reader_of_files_is_no_worker_that_answers(
    analyst: Membership, dataset: Dataset, ask: Asking
) -> None:
    """L12: that it lives is all that it says."""
    ask(analyst)
    gone(file_of(dataset))
    reader = BeatThread("reader", answers=False)
    reader.tell()
    assert ready_file("reader").exists()
    assert not Worker.objects.exists()
    reader.stop()


def test_real_workers_one_of_them_without_the_files_answer_everything(
    analyst: Membership, ask: Asking, tmp_path: Path
) -> None:
    """L12, R3: none is voided by the worker that has another state folder (one broker for both)."""
    asked = [ask(analyst, epsilon=0.001) for _ in range(8)]
    production = connection.vendor == "postgresql"
    if production:
        key = fingerprint_key_here(live.DPGOV_HOME)
        elsewhere = {"DPGOV_HOME": str(tmp_path / "home"), "DPGOV_FINGERPRINT_KEY": key}
        log = tmp_path / "astray.log"
        with prefork_fleet(log, **elsewhere):
            _until(lambda: Worker.objects.filter(ready=False).exists(), log)
            _until(lambda: "left to other workers" in log.read_text(), log)
            assert not Query.objects.exclude(state=Query.State.QUEUED, attempts=0).exists()
    fleet, log = (prefork_fleet if production else solo_fleet), tmp_path / "worker.log"
    with fleet(log):
        _until(lambda: not Query.objects.filter(ended_at=None).exists(), log)
        _until(lambda: Worker.objects.filter(ready=True).exists(), log)
    states = Query.objects.filter(pk__in=[query.pk for query in asked])
    assert set(states.values_list("state", "attempts")) == {(Query.State.RELEASED, 1)}


def _until(holds: Callable[[], bool], log: Path) -> None:
    def sent_and_holds() -> bool:
        Query.objects.update(send_after=None)
        sweep()
        publish_now()
        return holds()

    until(sent_and_holds, end_of(log), every=0.5)
