"""Starts the noise check when it is due, in a process of its own: the sweeper has more to do.

The command itself keeps what it found and tells the log. Must never wait for it.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import structlog
from django.conf import settings
from django.db import Error

from dpgov.noise_check.findings import last_report

_MANAGE = Path(settings.BASE_DIR) / "manage.py"
_HOUR = 3600
_GENTLY = 19
_log = structlog.get_logger("dpgov.noise_check")


class ScheduledCheck:
    """What the sweeper asks in each round."""

    def __init__(self) -> None:
        self._running: subprocess.Popen[bytes] | None = None
        self._started: float | None = None

    def look(self) -> None:
        """Start a run if the last one is old enough and none is going on."""
        if self._running is not None and self._running.poll() is not None:
            self._running = None
        if self._running is None and self._due():
            self._started = time.monotonic()
            self._running = _start()
            _log.info("noise check started")

    def stop(self) -> None:
        """End a run that is going on: the next sweeper starts another one."""
        if self._running is not None and self._running.poll() is None:
            self._running.terminate()
            self._running.wait()

    def _due(self) -> bool:
        """Counted from the last try too, so that a run that fails is not tried for ever.

        The try by a clock that nobody sets: one that was ahead would put off the next.
        """
        every = float(settings.DPGOV_NOISE_CHECK_HOURS) * _HOUR
        if every <= 0:
            return False
        if self._started is not None and time.monotonic() - self._started < every:
            return False
        try:
            report = last_report()
        except Error:
            # The database is away: the next round asks again.
            return False
        return report is None or report.age >= every


def _start() -> subprocess.Popen[bytes]:
    """With the same environment, as the lowest of all: questions go first."""
    started = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, str(_MANAGE), "check_noise", "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    os.setpriority(os.PRIO_PROCESS, started.pid, _GENTLY)
    return started
