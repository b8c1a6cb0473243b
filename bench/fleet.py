"""Workers and a sweeper as a service manager runs them: one that ends is started again."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.rig import ROOT, Installation

_CELERY = [sys.executable, "-m", "celery", "-A", "dpgov", "worker", "--pool=prefork"]
_WORKER = [*_CELERY, "--concurrency=3", "--loglevel=INFO", "--without-gossip", "--without-mingle"]
# The lease is short, to be outlived by a frozen worker: no check of its length, please.
_SWEEPER = [sys.executable, str(ROOT / "manage.py"), "sweep", "--every=0.5", "--skip-checks"]
_READY = b" ready."


class Fleet(threading.Thread):
    """Keeps the processes alive; `restarts` counts how often one had to be started again."""

    def __init__(self, made: Installation, log: Path, workers: int) -> None:
        super().__init__(daemon=True)
        self.restarts = 0
        said = {"DPGOV_DATABASE_URL": made.app_url, "DPGOV_LOG_LEVEL": "INFO"}
        self._environment = {**os.environ, **said}
        self._log = log
        self._over = threading.Event()
        self._commands: list[Sequence[str]] = [*[_WORKER] * workers, _SWEEPER]
        self._running = [self._begin(command) for command in self._commands]

    def workers(self) -> list[int]:
        """The process ids of the workers that run now."""
        return [process.pid for process in self._running[:-1]]

    def wait_until_ready(self) -> None:
        """Return when every worker takes messages."""
        while self._log.read_bytes().count(_READY) < len(self._commands) - 1:
            time.sleep(0.1)

    def run(self) -> None:
        """Look twice a second."""
        while not self._over.wait(0.5):
            for place, process in enumerate(self._running):
                if process.poll() is not None:
                    self.restarts += 1
                    self._running[place] = self._begin(self._commands[place])

    def end(self) -> None:
        """Stop looking, and kill what runs."""
        self._over.set()
        if self.is_alive():
            self.join()
        for process in self._running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _begin(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=ROOT,
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )


@contextmanager
def fleet(made: Installation, *, log: Path | None, workers: int) -> Iterator[Fleet]:
    """Workers that are ready, and a sweeper; gone afterwards."""
    started = Fleet(made, log or made.home / "processes.log", workers)
    try:
        started.wait_until_ready()
        started.start()
        yield started
    finally:
        started.end()
