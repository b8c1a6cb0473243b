"""Django behind gunicorn, as it is in production, until whoever measures has finished."""

import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError

from tests.servers.loopback import free_port, stop, until_it_answers

OURS = ("--config", "python:dpgov.configuration.serving")
"""How the product is served. What it loads before its first request is the product's own."""
_ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def served(
    application: str,
    environment: Mapping[str, str],
    *,
    processes: int,
    answers: str,
    options: Sequence[str] = OURS,
) -> Iterator[str]:
    """The address of so many processes, once the path `answers` is answered."""
    address = f"127.0.0.1:{free_port()}"
    command = [
        *(sys.executable, "-m", "gunicorn", application),
        *("-b", address, "-w", str(processes), "--no-control-socket"),
        *options,
    ]
    process = subprocess.Popen(command, cwd=_ROOT, env=environment, start_new_session=True)
    try:
        until_it_answers(lambda: _answers(f"http://{address}{answers}"), process, "gunicorn")
        yield f"http://{address}"
    finally:
        stop(process, signal.SIGTERM)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=60):  # noqa: S310 - an address of ours
            return True
    except HTTPError:
        return True
    except OSError:
        return False
