"""Data files in shared storage: what is there, who can use it, and what becomes of it."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import OperationalError

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, DatasetVersion, StoredFile
from dpgov.datasets.services import (
    delete_data,
    finish_deletions,
    remove_orphans,
    tend_copies,
)
from dpgov.datasets.services.upkeep import archive_dataset
from dpgov.datasets.store import store
from dpgov.datasets.store.base import Mark, StoreAway
from dpgov.queries.answering.answer import answer_next
from dpgov.queries.answering.workers import BeatThread, seen_by_nobody, workers
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.integration.datasets.files.unheard import commit_unheard
from tests.integration.datasets.store.conftest import (
    Asking,
    Machine,
    answered,
    path_of,
    refused,
    unreachable,
)
from tests.servers.objects import ObjectServer
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_question_is_answered_where_the_file_never_was(
    analyst: Membership, dataset: Dataset, ask: Asking, on: Machine
) -> None:
    """M55: the copy is the file itself, for the product's user alone."""
    query, original = ask(analyst), path_of(dataset).read_bytes()
    on("second")
    assert not path_of(dataset).exists()
    assert answered()
    assert publish_now() == 1
    query.refresh_from_db()
    assert (query.state, query.attempts) == (Query.State.RELEASED, 1)
    assert path_of(dataset).read_bytes() == original
    assert path_of(dataset).stat().st_mode & 0o777 == 0o600


def test_what_lies_in_storage_tells_its_operator_nothing_but_a_size_class(
    dataset: Dataset, owner: Membership, stranger: Membership, objects: ObjectServer, on: Machine
) -> None:
    """M51: two organisations with one file: nothing in common, and no name or id in sight."""
    (first,) = objects.names()
    path = path_of(dataset)
    other = store().put(stranger.tenant_id, path)
    assert objects.read(first)[48:] != objects.read(other)[48:]
    assert len(objects.read(first)) == len(objects.read(other))
    for name in (first, other):
        assert path.read_bytes()[4096:8192] not in objects.read(name)
        assert str(dataset.versions.get().pk).replace("-", "") not in name
    assert objects.names("arriving") == [other], "what is recorded has no mark any more"


def turned(objects: ObjectServer, name: str) -> None:
    text = bytearray(objects.read(name))
    text[len(text) // 2] ^= 1
    objects.write(name, bytes(text))


def cut(objects: ObjectServer, name: str) -> None:
    objects.write(name, objects.read(name)[:-1000])


def lost(objects: ObjectServer, name: str) -> None:
    objects.system.delete_file(f"dpgov-files/files/{name}")


def swapped(objects: ObjectServer, name: str) -> None:
    """For the file of another organisation, sealed with the same key of the installation."""
    path = storage.data_path(StoredFile.objects.get(name=name).pk)
    objects.write(name, objects.read(store().put(uuid4(), path)))


@pytest.mark.parametrize("harm", [turned, cut, lost, swapped])
def test_a_file_that_is_not_what_was_put_there_answers_nothing(
    harm: Callable[[ObjectServer, str], None],
    analyst: Membership,
    dataset: Dataset,
    ask: Asking,
    objects: ObjectServer,
    on: Machine,
) -> None:
    """M51: the question waits, uncharged, and is answered once the file is put back."""
    query, (name,) = ask(analyst), objects.names()
    whole = objects.read(name)
    harm(objects, name)
    on("second")
    refused(query)
    objects.write(name, whole)
    on("third")
    assert answered()


def test_a_name_of_another_organisation_opens_nothing(
    analyst: Membership, dataset: Dataset, stranger: Membership, ask: Asking, on: Machine
) -> None:
    """M51: written into the row by whoever stole the password of the database."""
    foreign = register_small_dataset(stranger, name="Foreign")
    query = ask(analyst)
    line = StoredFile.objects.get(pk=foreign.versions.get().pk)
    StoredFile.objects.filter(pk=query.version_id).update(name=line.name)
    on("second")
    refused(query)


def test_while_storage_is_away_questions_wait_and_what_is_here_is_answered(
    analyst: Membership,
    owner: Membership,
    dataset: Dataset,
    ask: Asking,
    on: Machine,
    settings: Any,
) -> None:
    """M52: no attempt, no charge, no overspend; the worker says that it is not ready."""
    on("second")
    query, beat = ask(analyst), BeatThread("second")
    with unreachable(settings):
        refused(query)
        beat.tell()
        assert (workers(), seen_by_nobody()) == ((0, 1), [query.version_id])
        on("first")
        assert answer_next(), "its copy is here"
    beat.stop()


def test_nothing_is_registered_while_storage_is_away(
    owner: Membership, objects: ObjectServer, on: Machine, settings: Any
) -> None:
    """M52: no dataset, no budget, no entry, no file; the upload can be used again."""
    on("first")
    with unreachable(settings), pytest.raises(StoreAway):
        register_small_dataset(owner, name="Visits")
    assert not Dataset.objects.exists()
    assert not Budget.objects.exists()
    assert not AuditEntry.objects.filter(action="DATASET_REGISTERED").exists()
    assert not storage.data_files()
    assert register_small_dataset(owner, name="Visits")


def test_nothing_is_deleted_while_storage_is_away(
    owner: Membership, dataset: Dataset, settings: Any, objects: ObjectServer
) -> None:
    """M52: what cannot be done is not decided."""
    archive_dataset(dataset=dataset, user=owner.user)
    with unreachable(settings), pytest.raises(StoreAway):
        delete_data(dataset=dataset, user=owner.user)
    dataset.refresh_from_db()
    assert (dataset.data_deleted_at, len(objects.names())) == (None, 1)
    delete_data(dataset=dataset, user=owner.user)
    assert objects.names() == []


def test_nothing_is_deleted_by_a_process_that_was_not_told_of_the_storage(
    dataset: Dataset, owner: Membership, objects: ObjectServer, settings: Any
) -> None:
    """M52: it would say that the data is gone, and nobody would ever remove the file."""
    archive_dataset(dataset=dataset, user=owner.user)
    told = settings.DPGOV_STORE
    settings.DPGOV_STORE = None
    with pytest.raises(StoreAway):
        delete_data(dataset=dataset, user=owner.user)
    dataset.refresh_from_db()
    assert (dataset.data_deleted_at, len(objects.names())) == (None, 1)
    settings.DPGOV_STORE = told
    delete_data(dataset=dataset, user=owner.user)
    assert objects.names() == []


def test_the_sweeper_goes_on_while_storage_is_away(
    analyst: Membership, dataset: Dataset, ask: Asking, settings: Any
) -> None:
    """M52: questions that waited too long end, uncharged, all the same."""
    query = ask(analyst)
    settings.DPGOV_EXPIRY_SECONDS = -10
    with unreachable(settings):
        call_command("sweep")
    query.refresh_from_db()
    assert query.state == Query.State.EXPIRED


def test_deleted_data_goes_from_storage_and_from_every_machine(
    owner: Membership, analyst: Membership, dataset: Dataset, ask: Asking, on: Machine, objects: Any
) -> None:
    """M53: at once from storage, and in the next round from a machine that has a copy of it."""
    ask(analyst)
    on("second")
    assert answered()
    publish_now()
    assert tend_copies() == 0
    kept = path_of(dataset).open("rb")
    on("first")
    archive_dataset(dataset=dataset, user=owner.user)
    delete_data(dataset=dataset, user=owner.user)
    assert (objects.names(), objects.names("leaving")) == ([], [])
    assert not path_of(dataset).exists()
    on("second")
    assert path_of(dataset).exists()
    assert tend_copies() == 1
    assert not path_of(dataset).exists()
    with kept:
        assert kept.read() == b"", "nor does a process keep it that has it open"


def test_a_copy_of_deleted_data_answers_nothing_before_it_is_taken_away(
    analyst: Membership, dataset: Dataset, ask: Asking
) -> None:
    """M53: the claim asks the database, whatever lies on the machine."""
    query = ask(analyst)
    at = query.submitted_at
    Dataset.objects.update(archived_at=at, data_deleted_at=at)
    assert path_of(dataset).exists()
    assert not answer_next()
    query.refresh_from_db()
    assert (query.state, query.attempts) == (Query.State.QUEUED, 0)


def test_what_was_never_recorded_is_removed_and_what_was_is_not(
    owner: Membership, dataset: Dataset, objects: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M55: by marks that are an hour old, whichever machine made the file."""
    (recorded,) = objects.names()
    lost_one = store().put(owner.tenant_id, path_of(dataset))
    store().mark([recorded], Mark.ARRIVING)
    assert remove_orphans() == 0
    assert objects.names() == sorted([recorded, lost_one])
    monkeypatch.setattr("dpgov.datasets.services.stored.keeping._OLD_SECONDS", -60)
    assert remove_orphans() == 1
    assert (objects.names(), objects.names("arriving")) == ([recorded], [])


@pytest.mark.parametrize("happens", [True, False], ids=["recorded", "not recorded"])
def test_what_a_lost_reply_leaves_in_doubt_stays_until_the_database_is_asked(
    owner: Membership,
    objects: ObjectServer,
    on: Machine,
    happens: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """B9, M55: the object of what was recorded stays; that of what was not goes an hour later."""
    on("first")
    with commit_unheard(DatasetVersion, happens=happens), pytest.raises(OperationalError):
        register_small_dataset(owner, name="Visits")
    assert Dataset.objects.count() == happens, "the control"
    raw = StoredFile.objects.exclude(pk__in=DatasetVersion.objects.values("pk"))
    (data,) = set(objects.names()) - set(raw.values_list("name", flat=True))
    assert data in objects.names("arriving")
    assert remove_orphans() == 0
    monkeypatch.setattr("dpgov.datasets.services.stored.keeping._OLD_SECONDS", -60)
    remove_orphans()
    assert (data in objects.names()) is happens
    assert objects.names("arriving") == []


def test_a_mark_alone_removes_nothing(dataset: Dataset, objects: ObjectServer) -> None:
    """M55: a deletion that was begun and not decided, and names that nobody knows."""
    (recorded,) = objects.names()
    unknown = "f" * 64
    objects.write(unknown, b"")
    store().mark([recorded, unknown], Mark.LEAVING)
    assert finish_deletions() == 0
    assert objects.names() == sorted([recorded, unknown])
    StoredFile.objects.update(removed_at=dataset.created_at)
    assert finish_deletions() == 1
    assert objects.names() == [unknown]
