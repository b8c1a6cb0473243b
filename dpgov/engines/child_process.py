"""One child process: what it is asked, what it tells while it works, and its answer.

It gets a bare environment, no settings and no database, and dies with its parent. What it writes is
data of a stranger: bounded, parsed, and never shown or logged as it is.
"""

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

_ROOT = Path(__file__).resolve().parent.parent.parent
# One allocator and few arenas keep address space, which is what is limited, near to memory used. It
# gives back what it got for blocks of files: else the threshold rises above them, and 200 columns
# of CSV, of which 0.3 GB are held at a time, took 1.2 GB. Smaller pieces come again and again.
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(1 << 22),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 26),
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
_TICK = 0.5
_CHUNK = 1 << 16
_LARGEST_ANSWER = 1 << 30


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child may use: memory on top of the reader itself, and seconds on the clock.

    `disk_bytes` is how large one file of an archive may be that it puts down while it reads it.
    """

    memory_bytes: int
    seconds: int
    disk_bytes: int = 0

    def as_json(self) -> dict[str, int]:
        """For the child."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a file is read: true numbers of the owner's own file, for the owner alone."""

    rows: int = 0
    bytes: int = 0


Watch = Callable[[Progress], None]


class TooSlow(Exception):
    """The child took longer than its limits allow, and is gone."""


class Died(Exception):
    """The child ended without an answer; `code` is how, for whoever runs the installation."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def converse(request: dict[str, Any], limits: Limits, watch: Watch) -> dict[str, Any]:
    """Ask a new child and return its answer.

    `watch` is called at least twice a second; whatever it raises ends the child and is passed on.
    Raises TooSlow and Died.
    """
    body = limits.as_json() | {"parent": os.getpid()}
    with subprocess.Popen(
        [sys.executable, "-m", "dpgov.engines.ingest"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=_ROOT,
        env=ENVIRONMENT,
    ) as child:
        try:
            _say(child, json.dumps(request | body).encode())
            last = _listen(child, time.monotonic() + limits.seconds, watch)
        except BaseException:
            child.kill()
            raise
    if last is None:
        raise Died(child.returncode)
    return last


def _say(child: "subprocess.Popen[bytes]", body: bytes) -> None:
    """It reads everything before it writes anything; one that is dead has nothing to be told."""
    stdin: IO[bytes] | None = child.stdin
    if stdin is not None:
        with suppress(BrokenPipeError):
            stdin.write(body)
        # Closing tries once more to write what is left.
        with suppress(BrokenPipeError):
            stdin.close()


class _Heard:
    """What the child has written so far: lines that tell how far it is, and one that answers."""

    def __init__(self) -> None:
        self.progress = Progress()
        self.answer: dict[str, Any] | None = None
        self._rest = bytearray()

    def take(self, chunk: bytes) -> None:
        """The next bytes; too many of them without an end of line are no answer."""
        self._rest += chunk
        if len(self._rest) > _LARGEST_ANSWER:
            raise Died(0)
        if b"\n" in chunk:
            *lines, rest = bytes(self._rest).split(b"\n")
            self._rest = bytearray(rest)
            for line in lines:
                self._understand(line)

    def _understand(self, line: bytes) -> None:
        found = _object(line)
        rows, read = found.get("told_rows"), found.get("told_bytes")
        if type(rows) is int and type(read) is int:
            self.progress = Progress(rows, read)
        elif found:
            self.answer = found


def _listen(child: "subprocess.Popen[bytes]", until: float, watch: Watch) -> dict[str, Any] | None:
    """Its last answer, if it gave any until it was done."""
    heard = _Heard()
    with selectors.DefaultSelector() as ready:
        stdout: Any = child.stdout
        ready.register(stdout, selectors.EVENT_READ)
        while (left := until - time.monotonic()) > 0:
            if ready.select(min(_TICK, left)):
                chunk = os.read(stdout.fileno(), _CHUNK)
                if not chunk:
                    return heard.answer
                heard.take(chunk)
            watch(heard.progress)
    raise TooSlow


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
