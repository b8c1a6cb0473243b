"""The bounds that the child puts on itself before it looks at the file."""

import ctypes
import errno
import os
import resource
import signal
from pathlib import Path

MAX_COLUMNS = 500
MAX_NAME_LENGTH = 200
MAX_HEADER_BYTES = 1_000_000
MAX_ROW_BYTES = 8_000_000
# Of a text, while its uploader waits; all of it is looked at when it is read.
LOOKED_AT_BYTES = 16_000_000
_PR_SET_PDEATHSIG = 1
_FULL = {errno.ENOSPC, errno.EDQUOT}
# A file may unpack to this much, plus this many times its own size.
FREE_UNPACKED_BYTES = 1_000_000_000
UNPACKED_RATIO = 100


def largest_unpacked(file_bytes: int) -> int:
    """How many bytes of decoded values a file of this size may hold."""
    return FREE_UNPACKED_BYTES + UNPACKED_RATIO * file_bytes


def die_with(parent: int) -> None:
    """Be killed when the parent is gone: nobody would take the answer, or count this one."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def is_full(problem: BaseException | None) -> bool:
    """Whether this came of a disk without room; DuckDB says so in words only."""
    words = [os.strerror(number) for number in _FULL]
    while problem is not None:
        if isinstance(problem, OSError) and problem.errno in _FULL:
            return True
        if any(word in str(problem) for word in words):
            return True
        problem = problem.__cause__ or problem.__context__
    return False


def limit_self(*, memory_bytes: int, seconds: int, written_bytes: int) -> None:
    """Bound this process: memory beyond what it holds already, processor time, bytes written.

    Threads may use several processors at once, hence twice the time that the caller waits.
    """
    _lower(resource.RLIMIT_AS, _held_bytes() + memory_bytes)
    _lower(resource.RLIMIT_CPU, 2 * seconds + 1)
    _lower(resource.RLIMIT_FSIZE, written_bytes)
    _lower(resource.RLIMIT_CORE, 0)


def most_written() -> int:
    """How many bytes this process may write into one file, by the bound that it has put on itself.

    As many as it likes where it has not, as in a test.
    """
    bound = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return 2**62 if bound == resource.RLIM_INFINITY else bound


def _lower(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))


def _held_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()
