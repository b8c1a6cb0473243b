"""M56: raw files in shared storage: uploaded on one machine, looked at and read on others."""

from typing import Any

import pytest

from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, StoredFile, Upload
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import (
    UploadUsed,
    change_unit_bounds,
    delete_version_data,
    discard_upload,
    read_differently,
    tend_copies,
)
from dpgov.datasets.services.files import orphans
from dpgov.datasets.services.stored import keeping
from dpgov.datasets.store.base import StoreAway
from dpgov.datasets.store.copies import in_use
from dpgov.engines.child import RefusedFile
from dpgov.queries.answering.answer import answer_next
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.integration.datasets.filing import (
    as_file,
    ask,
    columns,
    people,
    registered,
    uploaded,
    versioned,
)
from tests.integration.datasets.store.conftest import Machine, unreachable
from tests.servers.objects import ObjectServer

pytestmark = pytest.mark.django_db(transaction=True)
FIRST = as_file(people(*[("North",)] * 12))
MORE = as_file([("q1", 50, "South"), ("q2", 51, "South")])
SPECS = columns()


def raw_here() -> list[str]:
    return [path.name for _, path in storage.raw_files()]


def test_a_raw_file_is_read_where_it_never_was_and_gone_afterwards(
    owner: Membership, objects: ObjectServer, on: Machine
) -> None:
    """M56: from storage too, once its version is there; the raw bytes lie nowhere in the clear."""
    on("web")
    upload = uploaded(owner, FIRST)
    (name,) = objects.names()
    assert b"North" not in objects.read(name)
    on("other web")
    read_differently(upload=upload, wanted={})
    assert raw_here() == [str(upload.pk)]
    assert storage.upload_path(upload.pk).read_bytes() == FIRST
    discard_upload(upload=upload, user=owner.user)
    assert (raw_here(), objects.names(), objects.names("leaving")) == ([], [], [])
    with pytest.raises(UploadUsed):
        read_differently(upload=upload, wanted={})


def test_only_the_file_of_the_version_stays_after_a_registration(
    owner: Membership, objects: ObjectServer, on: Machine
) -> None:
    """M56: the raw one has served."""
    on("reader")
    dataset = registered(owner, FIRST, SPECS)
    stored = StoredFile.objects.get(removed_at__isnull=True)
    assert stored.pk == current_version(dataset).pk
    assert (objects.names(), objects.names("arriving"), raw_here()) == ([stored.name], [], [])


def test_copies_of_raw_files_go_when_nobody_used_them(
    owner: Membership, objects: ObjectServer, on: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M56: they can be brought again."""
    on("web")
    upload = uploaded(owner, FIRST)
    tend_copies()
    assert raw_here() == [str(upload.pk)]
    monkeypatch.setattr(orphans, "_OLD_SECONDS", -60)
    tend_copies()
    assert raw_here() == []
    assert Upload.objects.get() == upload
    with keeping.raw_at_hand(owner.tenant_id, upload.pk) as path:
        assert path.read_bytes() == FIRST


def test_copies_of_raw_files_count_in_the_bound_of_all_copies(
    owner: Membership, objects: ObjectServer, on: Machine, settings: Any
) -> None:
    """M54: the least recently used goes, a data file or an upload, and none that is read."""
    on("web")
    data = registered(owner, FIRST, SPECS)
    kept = storage.data_path(current_version(data).pk)
    size = kept.stat().st_size
    upload = uploaded(owner, FIRST)
    settings.DPGOV_STORE_CACHE_BYTES = size + len(FIRST) - 1
    with keeping.raw_at_hand(owner.tenant_id, upload.pk), in_use([current_version(data).pk]):
        assert tend_copies() == 0
        assert raw_here() == [str(upload.pk)]
    reader = storage.upload_path(upload.pk).open("rb")
    with in_use([current_version(data).pk]):
        tend_copies()
    assert (raw_here(), kept.exists()) == ([], True)
    with reader:
        assert reader.read() == b"", "nor does a process keep it that has it open"
    with keeping.raw_at_hand(owner.tenant_id, upload.pk):
        assert not kept.exists(), "it made room for the upload"
    settings.DPGOV_STORE_CACHE_BYTES = len(FIRST) - 1
    tend_copies()
    with pytest.raises(storage.NoRoom), keeping.raw_at_hand(owner.tenant_id, upload.pk):
        pass
    with pytest.raises(RefusedFile, match="no room"):
        read_differently(upload=upload, wanted={})


def test_nothing_is_uploaded_while_storage_is_away(
    owner: Membership, objects: ObjectServer, on: Machine, settings: Any
) -> None:
    """M52: no row, no file, and the page says 503."""
    on("web")
    with unreachable(settings), pytest.raises(StoreAway):
        uploaded(owner, FIRST)
    assert (Upload.objects.count(), raw_here()) == (0, [])


def test_rows_are_added_to_a_version_that_another_machine_made(
    owner: Membership, objects: ObjectServer, on: Machine
) -> None:
    """M55: and parts of a divided budget are told by files of other machines."""
    on("first")
    dataset = registered(owner, FIRST, SPECS)
    on("second")
    version = versioned(owner, dataset, MORE, SPECS, append_rows=True)
    assert version.number == 2
    on("third")
    assert versioned(owner, dataset, FIRST, SPECS).number == 3
    assert len(objects.names()) == 3


def test_other_limits_for_a_person_share_the_stored_file(
    owner: Membership,
    analyst: Membership,
    objects: ObjectServer,
    on: Machine,
) -> None:
    """M55, M53: it stays until the last version of it is deleted."""
    on("first")
    dataset = registered(owner, FIRST, SPECS)
    on("web")
    second = change_unit_bounds(dataset=dataset, max_rows=2, max_groups=None, user=owner.user)
    assert len(objects.names()) == 1
    ask(analyst, dataset)
    keeping.have(owner.tenant_id, second.pk)
    assert answer_next()
    assert publish_now() == 1
    versioned(owner, Dataset.objects.get(), as_file(people(*[("South",)] * 9)), SPECS)
    before = set(objects.names())
    keeping.let_go([dataset.versions.get(number=1).pk])
    assert set(objects.names()) == before, "another version has the same file"
    delete_version_data(version=second, user=owner.user)
    assert len(objects.names()) == 1
