"""The bounds that the child puts on itself before it looks at the file."""

import resource
from pathlib import Path

MAX_COLUMNS = 500
MAX_NAME_LENGTH = 200
MAX_HEADER_BYTES = 1_000_000
MAX_ROW_BYTES = 8_000_000
# A file may unpack to this much, plus this many times its own size.
FREE_UNPACKED_BYTES = 1_000_000_000
UNPACKED_RATIO = 100


def largest_unpacked(file_bytes: int) -> int:
    """How many bytes of decoded values a file of this size may hold."""
    return FREE_UNPACKED_BYTES + UNPACKED_RATIO * file_bytes


def limit_self(*, memory_bytes: int, seconds: int, written_bytes: int) -> None:
    """Bound this process: memory beyond what it holds already, processor time, bytes written.

    Threads may use several processors at once, hence twice the time that the caller waits.
    """
    _lower(resource.RLIMIT_AS, _held_bytes() + memory_bytes)
    _lower(resource.RLIMIT_CPU, 2 * seconds + 1)
    _lower(resource.RLIMIT_FSIZE, written_bytes)
    _lower(resource.RLIMIT_CORE, 0)


def _lower(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))


def _held_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()
