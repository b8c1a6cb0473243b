"""How many files are read at once on this machine: one lock file for each reader that may run.

A lock ends with the process that holds it, however that ends.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

_POLL = 0.05


class Busy(Exception):
    """Every reader of this machine is at work."""


@contextmanager
def reader_slot(purpose: str, *, patience: float = 0) -> Iterator[None]:
    """Hold one of the machine's readers for this purpose; raises Busy after so many seconds."""
    until = time.monotonic() + patience
    while (held := _free(purpose)) is None:
        if time.monotonic() >= until:
            raise Busy(purpose)
        time.sleep(_POLL)
    try:
        yield
    finally:
        os.close(held)


def _free(purpose: str) -> int | None:
    folder = Path(settings.DPGOV_HOME) / "operation"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in range(settings.DPGOV_READERS):
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        lock = os.open(folder / f"{purpose}-{number}.lock", flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
        else:
            return lock
    return None
