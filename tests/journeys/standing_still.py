"""Workers of a product that stand still for a while, so that something waits."""

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.journeys.product import Product, workers_of


@contextmanager
def nobody_works(product: Product, *, on: str = "") -> Generator[None]:
    """No worker does anything, or none `on` this queue; then they go on."""
    stopped = [pid for pid in workers_of(product) if not on or _works_on(pid, on)]
    assert stopped
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


def _works_on(pid: int, queue: str) -> bool:
    return queue.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
