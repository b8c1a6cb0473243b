"""M59: files that were there before storage was declared: they stay, move, and come back."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from dpgov.datasets import storage
from dpgov.datasets.crossing import kept_among
from dpgov.datasets.models import Dataset, StoredFile
from dpgov.datasets.services import (
    moving,
    remove_orphans,
    tend_copies,
)
from dpgov.datasets.services.files import orphans
from dpgov.datasets.services.stored import keeping
from dpgov.datasets.store import copies, store
from dpgov.datasets.store.objects import InObjects
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.integration.datasets.filing import ask, uploaded
from tests.integration.datasets.store.before import contents, here, move, paths, versions
from tests.integration.datasets.store.conftest import FIRST, Machine, answered
from tests.servers.objects import ObjectServer

pytestmark = pytest.mark.django_db(transaction=True)


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
    first, second = versions()
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
        assert storage.data_path(first).samefile(storage.data_path(second))
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
    first, second = versions()
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
        (moving, "force_to_disk"),
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
    with copies.in_use(versions()):
        move("store")
        assert here() == set(versions())
        assert all(storage.data_path(pk).stat().st_size for pk in versions())
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
