"""A polite end for processes that run for ever: the sweep, the demonstration."""

import os
import select
import signal
from contextlib import suppress


class StopRequest:
    """Set by SIGINT or SIGTERM once `listen` was called.

    Signals come in twos (Ctrl-C reaches a whole process group, and a launcher passes it on), so a
    handler may interrupt itself. It must take no lock: a threading.Event would wait for itself.
    """

    def __init__(self) -> None:
        self._asked = False
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def listen(self) -> None:
        """Take over both signals; only from the main thread."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def is_set(self) -> bool:
        """Whether this process was asked to stop."""
        return self._asked

    def wait(self, seconds: float) -> bool:
        """Sleep, but not past a request to stop; whether there was one."""
        select.select([self._reader], [], [], seconds)
        return self._asked

    def _ask(self, *_: object) -> None:
        self._asked = True
        with suppress(BlockingIOError):
            os.write(self._writer, b"!")
