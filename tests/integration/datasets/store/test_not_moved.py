"""M59: what does not move, or must not: storage away or lying, no room, other files, deletions."""

import errno
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError

from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, StoredFile
from dpgov.datasets.services import (
    delete_data,
    moving,
)
from dpgov.datasets.services.upkeep import archive_dataset
from dpgov.datasets.store.objects import InObjects
from dpgov.tenants.models import Membership
from tests.integration.datasets.store.before import contents, here, move, versions
from tests.integration.datasets.store.conftest import Machine, unreachable
from tests.servers.objects import ObjectServer

pytestmark = pytest.mark.django_db(transaction=True)


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
        patch.setattr("dpgov.datasets.store.objects.os.fsync", _full)
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
    first, _ = versions()
    _damaged(storage.data_path(first))
    with pytest.raises(CommandError, match="2 files stay where they are"):
        move("store")
    assert str(first) in capsys.readouterr().err
    assert (set(versions()) <= here(), len(objects.names())) == (True, 1)


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
    assert not StoredFile.objects.filter(pk__in=versions()).exists()
    assert len(objects.names()) == 1, "the upload's"
    assert here() == set()


def test_without_storage_there_is_nowhere_to_move_to(filed: Dataset, settings: Any) -> None:
    """M59"""
    settings.DPGOV_STORE = None
    with pytest.raises(CommandError, match="DPGOV_STORE_URL"):
        move("store")
