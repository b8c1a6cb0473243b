"""A hard end to the memory that one question may take, whatever the database in between believes.

The kernel refuses what goes beyond, so that the process lives to say that it failed. It counts
address space, hence the room for threads and their arenas on top of what is asked for.
"""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ROOM_FOR_THREADS = 512_000_000


@contextmanager
def bounded_memory(more_bytes: int) -> Iterator[None]:
    """Let this process grow by so many bytes and no further while the block runs.

    For a process that answers one question at a time: the bound is the whole process's.
    """
    before, hardest = resource.getrlimit(resource.RLIMIT_AS)
    bound = _held_bytes() + more_bytes + _ROOM_FOR_THREADS
    bounds = [b for b in (bound, before, hardest) if b != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(bounds), hardest))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hardest))


def _held_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()
