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

from dpgov.noise_check.findings import last_report

_MANAGE = Path(settings.BASE_DIR) / "manage.py"
_HOUR = 3600
_GENTLY = 19
_log = structlog.get_logger("dpgov.noise_check")


class ScheduledCheck:
    """What the sweeper asks in each round."""

    def __init__(self) -> None:
        self._running: subprocess.Popen[bytes] | None = None
        self._started = 0.0

    def look(self) -> None:
        """Start a run if the last one is old enough and none is going on."""
        if self._running is not None and self._running.poll() is not None:
            self._running = None
        if self._running is None and self._due():
            self._started = time.time()
            self._running = _start()
            _log.info("noise check started")

    def stop(self) -> None:
        """End a run that is going on: the next sweeper starts another one."""
        if self._running is not None and self._running.poll() is None:
            self._running.terminate()
            self._running.wait()

    def _due(self) -> bool:
        """Counted from the last try too, so that a run that fails is not tried for ever."""
        every = float(settings.DPGOV_NOISE_CHECK_HOURS) * _HOUR
        report = last_report()
        last = max(self._started, report.at if report else 0.0)
        return every > 0 and time.time() - last >= every


def _start() -> subprocess.Popen[bytes]:
    """With the same environment, as the lowest of all: questions go first."""
    started = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, str(_MANAGE), "check_noise", "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    os.setpriority(os.PRIO_PROCESS, started.pid, _GENTLY)
    return started
