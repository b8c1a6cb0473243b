"""What takes too long is called an end to, and what does not is left alone."""

import os
import sys
import threading
from collections.abc import Callable
from time import monotonic

import pytest

from dpgov.engines.deadlines import NAME, called_after
from tests.servers.waiting import until

_SOON, _PATIENCE, _LONG = 0.02, 30, 60


class _Calls:
    """When it was called."""

    def __init__(self) -> None:
        self.at: list[float] = []

    def __call__(self) -> None:
        self.at.append(monotonic())

    def come(self) -> None:
        """Wait for three more."""
        enough = len(self.at) + 3
        until(lambda: len(self.at) >= enough, "not called", patience=_PATIENCE, every=_SOON)


def _threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == NAME]


def _sleeps() -> bool:
    frames = sys._current_frames()
    return any(frames[one.ident or 0].f_code.co_name == "wait" for one in _threads())


def test_it_is_called_again_and_again_once_the_time_is_over_and_never_after_the_work() -> None:
    """The first call may come before there is anything that it could end."""
    calls, others = _Calls(), _Calls()
    begun = monotonic()
    with called_after(_SOON, calls):
        calls.come()
    made = len(calls.at)
    assert calls.at[0] >= begun + _SOON
    with called_after(0, others):
        others.come()
    assert len(calls.at) == made


def test_works_that_end_in_time_are_left_alone_and_share_one_thread() -> None:
    """A thread for every short scan took longer than many of these."""
    assert _in_a_fork(_end_in_time) == 0


def _end_in_time() -> None:
    calls, seen = _Calls(), set()
    for _ in range(50):
        with called_after(_LONG, calls):
            seen |= {thread.ident for thread in _threads()}
    assert len(seen) == 1
    assert calls.at == []


def test_work_that_begins_later_and_is_due_earlier_is_called_in_its_time() -> None:
    """The thread sleeps for the first one's minute by then."""
    assert _in_a_fork(_begins_later) == 0


def _begins_later() -> None:
    with called_after(_LONG, pytest.fail):
        until(_sleeps, "no thread sleeps", patience=_PATIENCE, every=_SOON)
        _is_called()


def test_a_call_that_fails_leaves_no_other_work_without_its_end() -> None:
    """Nor itself: it is called again."""
    failed, calls = _Calls(), _Calls()

    def fail() -> None:
        failed()
        raise ValueError

    with called_after(0, fail), called_after(0, calls):
        calls.come()
        failed.come()


def test_the_thread_ends_when_its_time_comes_and_nothing_is_left_to_do() -> None:
    """And begins again. In a process of its own: here it may wait for work of another test."""
    assert _in_a_fork(_ends_twice) == 0


def _ends_twice() -> None:
    for _ in range(2):
        _is_called()
        until(lambda: not _threads(), "a thread stays", patience=_PATIENCE, every=_SOON)


def test_a_fork_looks_after_its_own_work() -> None:
    """Threads stay behind in the parent, which may have held the lock just then."""
    with called_after(_LONG, pytest.fail):
        assert _in_a_fork(_is_called) == 0


def _is_called() -> None:
    calls = _Calls()
    with called_after(_SOON, calls):
        calls.come()


def _in_a_fork(looked_at: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            looked_at()
        finally:
            # Nothing of a test goes on in a fork.
            os._exit(sys.exc_info()[0] is not None)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
