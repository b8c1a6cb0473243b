"""What a web process has loaded is not looked through again in the middle of a request."""

import gc
from collections.abc import Iterator
from itertools import count

import pytest

from dpgov.configuration import serving


@pytest.fixture
def thawed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that has answered nothing yet; what this test set aside is put back after it."""
    monkeypatch.setattr(serving, "_answered", count(1))
    gc.unfreeze()
    yield
    gc.unfreeze()


def _answer(times: int) -> None:
    for _ in range(times):
        serving.post_request(None, None, None, None)


@pytest.mark.usefixtures("thawed")
def test_what_a_process_loads_before_its_first_request_is_set_aside() -> None:
    before = gc.get_freeze_count()
    serving.post_worker_init(None)
    assert gc.get_freeze_count() > before + 10_000


@pytest.mark.usefixtures("thawed")
def test_what_it_loads_while_it_answers_is_set_aside_once_it_has_answered_a_hundred() -> None:
    serving.post_worker_init(None)
    loaded = gc.get_freeze_count()
    kept: list[list[object]] = [[] for _ in range(1_000)]
    _answer(99)
    assert gc.get_freeze_count() <= loaded
    _answer(1)
    assert gc.get_freeze_count() > loaded + len(kept) - 100


@pytest.mark.usefixtures("thawed")
def test_garbage_of_the_requests_before_is_not_kept() -> None:
    """Rings are collected before the rest is set aside, or each request's would stay for ever."""
    serving.post_worker_init(None)
    loaded = gc.get_freeze_count()
    for _ in range(5_000):
        ring: list[object] = []
        ring.append(ring)
    _answer(100)
    assert gc.get_freeze_count() < loaded + 4_000
