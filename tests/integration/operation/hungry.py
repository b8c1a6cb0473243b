"""A worker whose engine misbehaves as the variable HUNGRY says; given to Celery as its app."""

import os
import signal
import time
from typing import NoReturn

from celery.exceptions import SoftTimeLimitExceeded

from dpgov.celery import app
from dpgov.engines.files import DuckDBEngine

__all__ = ["app"]


def _killed_by_the_kernel(*_: object) -> NoReturn:
    """What happens to a process when the machine has no memory left."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


def _takes_all_memory(*_: object) -> NoReturn:
    """In large steps, so that room is left to say so.

    A process that is at the very end of its memory may die of the next function call, which is the
    other ending.
    """
    held = []
    while True:
        held.append(bytearray(350_000_000))


def _never_ends(*_: object) -> NoReturn:
    """Not even when it is asked to."""
    while True:
        try:
            time.sleep(60)
        except SoftTimeLimitExceeded:
            continue


_WAYS = {"killed": _killed_by_the_kernel, "memory": _takes_all_memory, "time": _never_ends}
# What every answer begins with, whether it comes from a cube or a scan.
DuckDBEngine._by_cube = _WAYS[os.environ["HUNGRY"]]  # type: ignore[method-assign,assignment]
