"""What is to be called when work takes too long: once its time is over, again and again until the
work ends.

One thread of this process looks after all work. It sleeps until the first of it is due, whether
that still goes on by then or not: beginning and ending work wakes nobody, so that a bound costs a
short scan next to nothing. It ends where it finds nothing to do.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

NAME = "deadlines"
_AGAIN_SECONDS = 0.01


class _Watch:
    """The work of one process, each with the moment at which it is due."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: dict[object, tuple[float, Callable[[], None]]] = {}
        self._is_there = False
        self._looks_at = 0.0

    def begin(self, work: object, at: float, call: Callable[[], None]) -> None:
        """Raises RuntimeError where no thread can be had; the work is not looked after then."""
        with self._changed:
            if not self._is_there:
                threading.Thread(target=self._look, name=NAME, daemon=True).start()
                self._is_there, self._looks_at = True, at
            elif at < self._looks_at:
                self._looks_at = at
                self._changed.notify()
            self._due[work] = at, call

    def end(self, work: object) -> None:
        """From here on it is not called any more."""
        with self._changed:
            self._due.pop(work, None)

    def _look(self) -> None:
        with self._changed:
            while self._due:
                self._call(monotonic())
                self._changed.wait(self._looks_at - monotonic())
            self._is_there = False

    def _call(self, now: float) -> None:
        overdue = [call for at, call in self._due.values() if at <= now]
        for call in overdue:
            # One that fails must not leave other work without an end.
            with suppress(Exception):
                call()
        first = min(at for at, _ in self._due.values())
        self._looks_at = max(first, now + _AGAIN_SECONDS) if overdue else first


_watch = _Watch()


def _begin_anew() -> None:
    """A fork has no threads but its own, and may have been made while one held the lock."""
    global _watch
    _watch = _Watch()


os.register_at_fork(after_in_child=_begin_anew)


@contextmanager
def called_after(seconds: float, call: Callable[[], None]) -> Iterator[None]:
    """Call this once the block has run for so long, and every hundredth of a second from then on.

    `call` must be short and may come at any moment within the block; never after it.
    """
    watch, work = _watch, object()
    try:
        watch.begin(work, monotonic() + seconds, call)
        yield
    finally:
        watch.end(work)
