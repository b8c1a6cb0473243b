"""M54: copies of shared files on a machine: which stay, and from when on one counts."""

from typing import Any

import pytest

from dpgov.datasets import storage
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import tend_copies
from dpgov.datasets.services.stored import bringing
from dpgov.datasets.store.copies import in_use
from dpgov.tenants.models import Membership
from tests.integration.datasets.store.conftest import Asking, Machine, answered, path_of, refused
from tests.small_dataset import register_small_dataset

pytestmark = pytest.mark.django_db(transaction=True)


def test_copies_stay_within_their_bound_the_least_recently_used_goes(
    owner: Membership,
    analyst: Membership,
    dataset: Dataset,
    ask: Asking,
    on: Machine,
    settings: Any,
) -> None:
    """M54: also while a new one comes."""
    second = register_small_dataset(owner, name="Second")
    third = register_small_dataset(owner, name="Third")
    on("second")
    size = 0
    for asked in (dataset, second, dataset, third):
        ask(analyst, of=asked, epsilon=0.01)
        assert answered()
        size = size or sum(one.stat().st_size for one in storage.data_folder().iterdir())
        settings.DPGOV_STORE_CACHE_BYTES = 2 * size + size // 2
        present = sum(one.stat().st_size for one in storage.data_folder().iterdir())
        assert present <= settings.DPGOV_STORE_CACHE_BYTES
    assert path_of(dataset).exists()
    assert path_of(third).exists()
    assert not path_of(second).exists(), "it was used longest ago"
    settings.DPGOV_STORE_CACHE_BYTES = size
    assert tend_copies() == 1


def test_no_copy_is_taken_from_whoever_reads_it(dataset: Dataset, settings: Any) -> None:
    """M54: a scan that lost its file would fail, charged."""
    settings.DPGOV_STORE_CACHE_BYTES = 0
    with in_use([dataset.versions.get().pk]):
        assert tend_copies() == 0
        assert path_of(dataset).stat().st_size > 0
    assert tend_copies() == 1
    assert not path_of(dataset).exists()


def test_a_copy_that_went_and_came_again_is_read_by_a_process_that_knew_the_first(
    analyst: Membership, dataset: Dataset, ask: Asking, on: Machine, settings: Any
) -> None:
    """M54: it is another file under the same path, and every question about it would fail."""
    on("second")
    bound, inodes, outcomes = settings.DPGOV_STORE_CACHE_BYTES, set(), []
    for _ in range(3):
        query = ask(analyst, epsilon=0.01)
        assert answered()
        query.refresh_from_db()
        outcomes.append(query.outcome)
        inodes.add(path_of(dataset).stat().st_ino)
        settings.DPGOV_STORE_CACHE_BYTES = 0
        assert tend_copies() == 1
        settings.DPGOV_STORE_CACHE_BYTES = bound
    assert len(inodes) > 1
    assert outcomes == ["released"] * 3


def test_a_file_that_is_larger_than_the_bound_is_not_brought(
    analyst: Membership, dataset: Dataset, ask: Asking, on: Machine, settings: Any
) -> None:
    """M54: the question waits for a worker with more room, and this one says so."""
    on("second")
    settings.DPGOV_STORE_CACHE_BYTES = 1000
    refused(ask(analyst))


def test_when_a_copy_counts_follows_from_declared_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """M55: the end of the class, whatever the file's size; what took longer doubles the class."""
    now, slept = [0.0], []

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return now[0]

        @staticmethod
        def sleep(seconds: float) -> None:
            slept.append(seconds)

    monkeypatch.setattr(bringing, "time", Clock)
    for took, rest in ((0.0, 4.0), (1.5, 2.5), (4.0, 0.0), (5.0, 3.0)):
        now[0] = took
        bringing._await_class(0.0, bringing._class_of(4 * 1_000_000 * 3))
        assert slept.pop() == rest
    assert bringing._class_of(4 * 1000) == 1.0


def test_a_copy_is_no_file_before_its_moment(
    analyst: Membership,
    dataset: Dataset,
    ask: Asking,
    on: Machine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """M55: it has been brought by then, and nobody finds it."""
    on("second")
    found, really = [], bringing._await_class

    def waits(began: float, seconds: float) -> None:
        drafts = list(storage.data_folder().glob("*.brought"))
        found.append((len(drafts), path_of(dataset).exists()))
        really(began, 0.001)

    monkeypatch.setattr(bringing, "_await_class", waits)
    ask(analyst)
    assert answered()
    assert found == [(1, False)]
    assert path_of(dataset).exists()
