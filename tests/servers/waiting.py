"""Waiting for what something else does: the one way of all tests, and of nothing but them."""

import time
from collections.abc import Callable
from pathlib import Path

# In seconds. Nothing waits so long where all is well, and nothing fails because a machine is busy.
PATIENCE = 600
_SHOWN = 3_000


def until(
    holds: Callable[[], bool],
    otherwise: str | Callable[[], str],
    *,
    patience: float = PATIENCE,
    every: float = 0.1,
) -> None:
    """Ask again and again, with so many seconds between two looks, until it holds.

    Raises AssertionError with what `otherwise` is, or says then, once so many seconds have passed.
    """
    if not within(patience, holds, every=every):
        raise AssertionError(otherwise if isinstance(otherwise, str) else otherwise())


def within(seconds: float, holds: Callable[[], bool], *, every: float = 0.1) -> bool:
    """Whether it comes to hold in this time, for who does something else where it does not."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(every)
    return True


def end_of(log: Path) -> Callable[[], str]:
    """What a process said last, to be told where it was waited for in vain."""
    return lambda: log.read_text()[-_SHOWN:]
