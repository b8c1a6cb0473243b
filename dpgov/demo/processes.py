"""The processes of a running product on one machine: web server, worker, reader of files and sweep.

What dies is started again; what cannot stay up stops the rest.
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from dpgov.operation.stopping import StopRequest

_PATIENCE = 60
_POLL = 0.25
_LAST_LINES = 15
_SOON = 10
_ALONE = ("--without-gossip", "--without-mingle")


class PortTaken(Exception):
    """Something else listens where the site should."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(f"{host}:{port} is in use. Choose another port with --port.")


class ProcessEnded(Exception):
    """A process ended soon after its start; the text holds its last log lines."""

    def __init__(self, name: str, log: Path) -> None:
        lines = log.read_text(errors="replace").splitlines()[-_LAST_LINES:]
        first = f"The {name} process ended. Its log, {log}, ends with:"
        super().__init__("\n".join([first, *lines]))


class NotAnswering(Exception):
    """The web server is there but gave no page in time."""

    def __init__(self, url: str) -> None:
        super().__init__(f"{url} did not answer within {_PATIENCE} seconds.")


@dataclass(frozen=True, slots=True)
class Process:
    """A started process and where its output goes."""

    name: str
    log: Path
    handle: subprocess.Popen[bytes]
    started: float


def commands(host: str, port: int) -> dict[str, list[str]]:
    """What to start, by name."""
    python = sys.executable
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    gunicorn = ["gunicorn", "dpgov.wsgi:application", "--bind", address, "--no-control-socket"]
    # One process without a pool: over a filesystem broker, a pool child that is killed while it
    # waits takes the pool's lock with it, and its worker would never answer again.
    celery = ["celery", "-A", "dpgov", "worker", "--pool", "solo", "--loglevel", "INFO"]
    return {
        "web": [
            python,
            "-m",
            *gunicorn,
            "--worker-class",
            "gthread",
            "--workers",
            "2",
            "--threads",
            "8",
        ],
        "worker": [python, "-m", *celery, *_ALONE],
        # Of its own: a large file is read for minutes, and questions go on.
        "reader": [python, "-m", *celery, *_ALONE, "--queues", "reading", "-n", "reader@%h"],
        "sweep": [python, "manage.py", "sweep", "--every", "5"],
    }


def require_free(host: str, port: int) -> None:
    """Raise PortTaken when the site could not listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            raise PortTaken(host, port) from None


class Processes:
    """Starts everything on entering and stops everything on leaving."""

    def __init__(self, host: str, port: int, *, home: Path, code: Path) -> None:
        self._host, self._port = host, port
        self._commands = commands(host, port)
        self._logs = home / "logs"
        self._code = code
        self._running: list[Process] = []

    def __enter__(self) -> "Processes":
        self._logs.mkdir(mode=0o700, exist_ok=True)
        try:
            for name in self._commands:
                self._running.append(self._start(name))
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def wait_until_up(self, stopped: StopRequest) -> None:
        """Return when the site answers or `stopped` is set; raises ProcessEnded, NotAnswering."""
        host = "127.0.0.1" if self._host in ("0.0.0.0", "::") else self._host  # noqa: S104
        url = f"http://{f'[{host}]' if ':' in host else host}:{self._port}/healthz"
        for _ in range(int(_PATIENCE / _POLL)):
            self.require_all()
            if _answers(url) or stopped.wait(_POLL):
                return
        raise NotAnswering(url)

    def watch(self, stopped: StopRequest) -> None:
        """Return when `stopped` is set; raises ProcessEnded when one process keeps ending."""
        while not stopped.wait(_POLL):
            for place, process in enumerate(self._running):
                if process.handle.poll() is None:
                    continue
                if time.monotonic() - process.started < _SOON:
                    raise ProcessEnded(process.name, process.log)
                self._running[place] = self._start(process.name)

    def require_all(self) -> None:
        """Raise ProcessEnded unless everything runs."""
        for process in self._running:
            if process.handle.poll() is not None:
                raise ProcessEnded(process.name, process.log)

    def _start(self, name: str) -> Process:
        log = self._logs / f"{name}.log"
        with log.open("ab") as output:
            handle = subprocess.Popen(  # noqa: S603 - our own commands
                self._commands[name],
                cwd=self._code,
                env=_environment(self._host),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C reaches us alone; we pass it on in order
            )
        return Process(name, log, handle, time.monotonic())

    def _stop(self) -> None:
        for process in self._running:
            if process.handle.poll() is None:
                process.handle.send_signal(signal.SIGTERM)
        for process in self._running:
            try:
                process.handle.wait(timeout=15)
            except subprocess.TimeoutExpired:
                os.killpg(process.handle.pid, signal.SIGKILL)
                process.handle.wait()


def _environment(host: str) -> dict[str, str]:
    """Plain HTTP, for one person at this machine; the host that was asked for is allowed."""
    everywhere = host in ("0.0.0.0", "::")  # noqa: S104 - the person's own choice
    hosts = "*" if everywhere else f"localhost,127.0.0.1,[::1],{host}"
    return {"DPGOV_ALLOWED_HOSTS": hosts, **os.environ, "DPGOV_HTTPS": "0"}


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:  # noqa: S310 - http
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
