"""Real Celery workers on the test database, and the means to hurt them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

_READY = "ready."


def environment(**changes: str) -> dict[str, str]:
    """The environment of a process that works on the test database."""
    return {**os.environ, "DPGOV_DATABASE_URL": database_url(), **changes}


def database_url() -> str:
    """The test database as a URL, whichever server it is on."""
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{settings['NAME']}"
    password = f":{settings['PASSWORD']}" if settings["PASSWORD"] else ""
    place = f"{settings['HOST'] or '127.0.0.1'}:{settings['PORT'] or 5432}"
    return f"postgresql://{settings['USER']}{password}@{place}/{settings['NAME']}"


@contextmanager
def celery_worker(log: Path, *, children: int, **changes: str) -> Iterator[subprocess.Popen[bytes]]:
    """A prefork worker, ready to take messages; stopped, with its children, at the end."""
    command = [sys.executable, "-m", "celery", "-A", "dpgov", "worker", "--pool=prefork"]
    command += [f"--concurrency={children}", "--loglevel=INFO", "--without-gossip"]
    with log.open("wb") as output:
        worker = subprocess.Popen(  # noqa: S603 - our own arguments
            command,
            env=environment(**changes),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait_until_ready(worker, output.write)
            copier = subprocess.Popen(["cat"], stdin=worker.stdout, stdout=output)  # noqa: S607
            yield worker
        finally:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
            if worker.stdout:
                worker.stdout.close()
        copier.wait()


def _wait_until_ready(worker: subprocess.Popen[bytes], keep: object) -> None:
    assert worker.stdout is not None
    for line in iter(worker.stdout.readline, b""):
        keep(line)  # type: ignore[operator]
        if line.strip().endswith(_READY.encode()):
            return
    raise RuntimeError("the worker stopped before it was ready")


def children_of(worker: subprocess.Popen[bytes]) -> list[int]:
    """The pool processes of a worker, from the kernel's own list."""
    text = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text()
    return [int(pid) for pid in text.split()]


def send(pid: int, number: signal.Signals) -> bool:
    """Signal a process that may be gone already; whether it was there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
