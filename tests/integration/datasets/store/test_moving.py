"""M59: files that were there before storage was declared: they stay, move, and come back."""

import errno
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from dpgov.datasets import storage
from dpgov.datasets.crossing import kept_among
from dpgov.datasets.models import Dataset, DatasetVersion, StoredFile, Upload
from dpgov.datasets.services import (
    change_unit_bounds,
    delete_data,
    moving,
    remove_orphans,
    tend_copies,
)
from dpgov.datasets.services.files import orphans
from dpgov.datasets.services.stored import keeping
from dpgov.datasets.services.upkeep import archive_dataset
from dpgov.datasets.store import copies, store
from dpgov.datasets.store.objects import InObjects
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.integration.datasets.filing import as_file, ask, columns, people, registered, uploaded
from tests.integration.datasets.quick import read_here
from tests.integration.datasets.store.conftest import Machine, answered, unreachable
from tests.servers.objects import ObjectServer

pytestmark = pytest.mark.django_db(transaction=True)
FIRST = as_file(people(*[("North",)] * 12))
SPECS = columns()


@pytest.fixture
def filed(owner: Membership, objects: ObjectServer, on: Machine, settings: Any) -> Dataset:
    """Two versions over one file and an upload, made before storage was declared."""
    on("first")
    declared, settings.DPGOV_STORE = settings.DPGOV_STORE, None
    with read_here():
        dataset = registered(owner, FIRST, SPECS)
        change_unit_bounds(dataset=dataset, max_rows=2, max_groups=None, user=owner.user)
        uploaded(owner, FIRST)
    settings.DPGOV_STORE = declared
    return Dataset.objects.get()


def paths() -> dict[UUID, Path]:
    """Where each file would be in the folder of the machine that we are on."""
    versions = {pk: storage.data_path(pk) for pk in _versions()}
    ready = Upload.objects.filter(state=Upload.State.READY)
    return versions | {one.pk: storage.upload_path(one.pk) for one in ready}


def _versions() -> list[UUID]:
    return list(DatasetVersion.objects.order_by("number").values_list("pk", flat=True))


def contents() -> dict[UUID, bytes]:
    """Of every file that is here, or can be brought."""
    found: dict[UUID, bytes] = {}
    for dataset in Dataset.objects.all():
        with keeping.at_hand(dataset.tenant_id, _versions()):
            found |= {pk: storage.data_path(pk).read_bytes() for pk in _versions()}
    for upload in Upload.objects.filter(state=Upload.State.READY):
        with keeping.raw_at_hand(upload.tenant_id, upload.pk) as path:
            found[upload.pk] = path.read_bytes()
    return found


def here() -> set[UUID]:
    return {which for which, path in paths().items() if path.exists()}


def move(to: str) -> None:
    call_command("move_files", to=to)


def is_answered(analyst: Membership, dataset: Dataset) -> bool:
    query = ask(analyst, dataset)
    assert answered()
    publish_now()
    query.refresh_from_db()
    return query.state == Query.State.RELEASED


def test_files_move_into_storage_and_back_and_there_again(
    filed: Dataset,
    analyst: Membership,
    objects: ObjectServer,
    on: Machine,
    settings: Any,
) -> None:
    """M59: nothing stays behind, in the clear or sealed; versions share a file as before."""
    before = contents()
    versions = _versions()
    for _ in range(2):
        with ExitStack() as kept:
            files = [kept.enter_context(path.open("rb")) for path in paths().values()]
            move("store")
            assert [file.read() for file in files] == [b""] * 3
        assert here() == set()
        assert len(objects.names()) == 2
        assert (objects.names("arriving"), objects.names("leaving")) == ([], [])
        on("second")
        assert is_answered(analyst, filed)
        on("first")
        move("store")
        move("folder")
        assert here() == before.keys()
        assert (objects.names(), objects.names("leaving")) == ([], [])
        first, second = (storage.data_path(pk) for pk in versions)
        assert first.samefile(second)
        assert contents() == before
    settings.DPGOV_STORE = None
    assert is_answered(analyst, filed)


def test_what_lies_here_alone_is_taken_away_by_nobody(
    filed: Dataset, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M59: whatever the bound and its age; also under a second name of which storage has a copy."""
    before = contents()
    settings.DPGOV_STORE_CACHE_BYTES = 0
    monkeypatch.setattr(orphans, "_OLD_SECONDS", -60)
    assert tend_copies() == 0
    assert (remove_orphans(), contents()) == (0, before)
    unknown = storage.data_path(UUID(int=1))
    unknown.write_bytes(b"of another database")
    assert tend_copies() == 0
    assert unknown.exists(), "nor what this database never heard of"
    first, second = _versions()
    name = store().put(filed.tenant_id, storage.data_path(first))
    keeping.note(filed.tenant_id, first, name)
    assert tend_copies() == 1
    assert not storage.data_path(first).exists()
    assert storage.data_path(second).read_bytes() == before[second]


def test_they_count_in_no_bound_of_copies(
    filed: Dataset, owner: Membership, settings: Any, on: Machine
) -> None:
    """M59: otherwise nothing could be brought until they moved."""
    settings.DPGOV_STORE_CACHE_BYTES = 100_000
    upload = uploaded(owner, FIRST)
    storage.upload_path(upload.pk).unlink()
    with keeping.raw_at_hand(owner.tenant_id, upload.pk) as path:
        assert path.read_bytes() == FIRST


class Killed(BaseException):
    """As if the process had ended there."""


# In their order; what happens after one and before the next changes nothing that anybody could see.
_STEPS: dict[str, tuple[tuple[Any, str], ...]] = {
    "store": (
        (InObjects, "holds"),
        (moving, "_lock"),
        (keeping, "note"),
        (keeping, "settle"),
        (moving, "take_away"),
    ),
    "folder": (
        (keeping, "bring"),
        (moving, "_to_disk"),
        (keeping, "let_go"),
        (keeping, "_remove"),
    ),
}


@pytest.mark.parametrize("to", ["store", "folder"])
def test_killed_at_any_step_nothing_is_lost_and_the_next_run_goes_on(
    to: str, filed: Dataset, objects: ObjectServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M59: after each death every file is read as it was, whatever is tidied up."""
    before, back = contents(), "folder" if to == "store" else "store"
    for place, step in _STEPS[to]:
        if to == "folder":
            move(back)
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(place, step, _dies)
            move(to)
        assert contents() == before, step
        _tidy_up(monkeypatch)
        assert contents() == before, step
        move(to)
        living = StoredFile.objects.filter(removed_at__isnull=True)
        assert living.count() == (3 if to == "store" else 0), step
        assert objects.names() == sorted(set(living.values_list("name", flat=True))), step
        if to == "store":
            move(back)
    assert contents() == before


def _dies(*_arguments: Any, **_named: Any) -> Any:
    raise Killed


def _tidy_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """What sweeper, workers and web servers do, an hour later, in a folder that is full."""
    with monkeypatch.context() as patch:
        patch.setattr(orphans, "_OLD_SECONDS", -60)
        patch.setattr(keeping, "_OLD_SECONDS", -60)
        patch.setattr(copies, "_shrink", partial(_everything, copies._shrink))
        tend_copies()
        remove_orphans()
        keeping.finish_leaving()


def _everything(shrink: Callable[[int], bool], _most: int) -> bool:
    return shrink(0)


def test_a_file_that_is_read_stays_and_is_a_copy_from_then_on(
    filed: Dataset, analyst: Membership, objects: ObjectServer
) -> None:
    """M59: a scan that lost its file would fail, charged."""
    with copies.in_use(_versions()):
        move("store")
        assert here() == set(_versions())
        assert all(storage.data_path(pk).stat().st_size for pk in _versions())
    assert len(objects.names()) == 2
    assert is_answered(analyst, filed)


def test_a_copy_that_came_home_meanwhile_is_not_taken_away(
    filed: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M59: whoever makes room asked the database before the move, and asks again under the lock."""
    move("store")
    before = contents()
    stale = kept_among([*before])

    def ask_again(ids: list[UUID]) -> set[UUID]:
        return stale if len(ids) > 1 else kept_among(ids)

    move("folder")
    monkeypatch.setattr(copies, "kept_among", ask_again)
    assert not copies._shrink(0)
    assert contents() == before


@pytest.mark.parametrize("to", ["store", "folder"])
def test_while_storage_is_away_nothing_moves(
    to: str, filed: Dataset, objects: ObjectServer, settings: Any
) -> None:
    """M59: the command says so, and nothing is lost."""
    before = contents()
    if to == "folder":
        move("store")
    names = objects.names()
    with unreachable(settings), pytest.raises(CommandError, match="Nothing is lost"):
        move(to)
    assert (objects.names(), contents()) == (names, before)


def test_without_room_nothing_comes_back(
    filed: Dataset, objects: ObjectServer, on: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M59: the command says so, and storage keeps everything."""
    before = contents()
    move("store")
    names = objects.names()
    with monkeypatch.context() as patch:
        patch.setattr("dpgov.datasets.store.whole.os.fsync", _full)
        with pytest.raises(CommandError, match="no room in the state folder"):
            move("folder")
    assert here() == set()
    assert not list(storage.data_folder().glob("*.brought"))
    assert (objects.names(), contents()) == (names, before)


def _full(_descriptor: int) -> None:
    raise OSError(errno.ENOSPC, "no space left on device")


def _damaged(path: Path) -> None:
    path.write_bytes(path.read_bytes()[::-1])


def test_what_is_not_the_recorded_file_is_left_where_it_is(
    filed: Dataset, objects: ObjectServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """M59: and the command fails, so that somebody looks."""
    first, _ = _versions()
    _damaged(storage.data_path(first))
    with pytest.raises(CommandError, match="2 files stay where they are"):
        move("store")
    assert str(first) in capsys.readouterr().err
    assert (set(_versions()) <= here(), len(objects.names())) == (True, 1)


def test_what_storage_lost_or_changed_is_not_let_go(
    filed: Dataset, objects: ObjectServer, on: Machine
) -> None:
    """M59: neither on its way there nor on its way back."""
    move("store")
    for name in objects.names():
        objects.write(name, objects.read(name)[:-1000])
    on("second")
    with pytest.raises(CommandError, match="3 files stay where they are"):
        move("folder")
    assert StoredFile.objects.filter(removed_at__isnull=True).count() == 3


def test_what_comes_back_changed_is_not_recorded(
    filed: Dataset, objects: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M59: the sealed file is read back before it counts."""
    before, settle = contents(), InObjects.put

    def damaged(self: InObjects, *arguments: Any, **named: Any) -> str:
        name = settle(self, *arguments, **named)
        objects.write(name, objects.read(name)[:-1])
        return name

    monkeypatch.setattr(InObjects, "put", damaged)
    with pytest.raises(CommandError, match="Nothing is lost"):
        move("store")
    assert not StoredFile.objects.exists()
    assert (objects.names(), contents()) == ([], before)


def test_what_is_deleted_while_it_moves_is_in_neither_place(
    filed: Dataset, owner: Membership, objects: ObjectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M59: a line that is written after the decision would keep it for ever."""
    put = moving._put

    def deleted_after(tenant_id: UUID, file: Any) -> str:
        name = put(tenant_id, file)
        if file.dataset_id:
            archive_dataset(dataset=filed, user=owner.user)
            delete_data(dataset=filed, user=owner.user)
        return name

    monkeypatch.setattr(moving, "_put", deleted_after)
    move("store")
    assert not StoredFile.objects.filter(pk__in=_versions()).exists()
    assert len(objects.names()) == 1, "the upload's"
    assert here() == set()


def test_without_storage_there_is_nowhere_to_move_to(filed: Dataset, settings: Any) -> None:
    """M59"""
    settings.DPGOV_STORE = None
    with pytest.raises(CommandError, match="DPGOV_STORE_URL"):
        move("store")
