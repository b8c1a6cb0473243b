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
from typing import Protocol

from dpgov.demo.site import SiteProcess
from dpgov.operation.stopping import StopRequest

_PATIENCE = 180
_POLL = 0.1
_POLL_AT_THE_END = 0.05
_LAST_SECONDS = 15
_LAST_LINES = 15
_SITE = "web"
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


class Handle(Protocol):
    """What is needed of a process: a `Popen` has it, and a site that was copied has it too."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...

    def send_signal(self, number: int, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Process:
    """A started process and where its output goes."""

    name: str
    log: Path
    handle: Handle
    started: float


def commands(organisations: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """What to start beside the site, by name; of joint answers a worker for each organisation.

    One for all would hold every key: what keeps the organisations' numbers apart are processes.
    """
    # One process without a pool: over a filesystem broker, a pool child that is killed while it
    # waits takes the pool's lock with it, and its worker would never answer again.
    celery = ["celery", "-A", "dpgov", "worker", "--pool", "solo", "--loglevel", "INFO"]
    python = sys.executable
    return {
        "worker": [python, "-m", *celery, *_ALONE],
        # Of its own: a large file is read for minutes, and questions go on.
        "reader": [python, "-m", *celery, *_ALONE, "--queues", "reading", "-n", "reader@%h"],
        "sweep": [python, "manage.py", "sweep", "--every", "5"],
        **{
            f"joint-{one}": [python, "manage.py", "joint_worker", one, "--every", "5"]
            for one in organisations
        },
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
    """The site from entering on, the others from `start_work` on; all are stopped on leaving."""

    def __init__(self, host: str, port: int, *, home: Path, code: Path) -> None:
        self._address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        asked = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104
        self._healthz = f"http://{f'[{asked}]' if ':' in asked else asked}:{port}/healthz"
        self.url = f"http://{self._address}/"
        self._commands = commands()
        self._logs = home / "logs"
        self._code = code
        self._running: list[Process] = []

    def __enter__(self) -> "Processes":
        self._logs.mkdir(mode=0o700, exist_ok=True)
        self._running.append(self._start(_SITE))
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def start_work(self, organisations: tuple[str, ...] = ()) -> None:
        """What answers questions, reads files, sweeps, and answers jointly for each of these."""
        self._commands = commands(organisations)
        for name in self._commands:
            self._running.append(self._start(name))

    def wait_until_up(self, stopped: StopRequest) -> None:
        """Return when the site answers or `stopped` is set; raises ProcessEnded, NotAnswering."""
        for _ in range(int(_PATIENCE / _POLL)):
            self.require_all()
            if _answers(self._healthz) or stopped.wait(_POLL):
                return
        raise NotAnswering(self._healthz)

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
        handle = SiteProcess(self._address, log) if name == _SITE else self._popen(name, log)
        return Process(name, log, handle, time.monotonic())

    def _popen(self, name: str, log: Path) -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            return subprocess.Popen(  # noqa: S603 - our own commands
                self._commands[name],
                cwd=self._code,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C reaches us alone; we pass it on in order
            )

    def _stop(self) -> None:
        for process in self._running:
            if process.handle.poll() is None:
                process.handle.send_signal(signal.SIGTERM)
        until = time.monotonic() + _LAST_SECONDS
        for process in self._running:
            while process.handle.poll() is None and time.monotonic() < until:
                time.sleep(_POLL_AT_THE_END)
            if process.handle.poll() is None:
                os.killpg(process.handle.pid, signal.SIGKILL)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:  # noqa: S310 - http
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
