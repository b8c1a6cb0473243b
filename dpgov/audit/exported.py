"""Reads an exported log as fast as its lines can be hashed; knows nothing but bytes.

A line is the canonical JSON of an entry: what is hashed is the line itself, and nothing has to be
parsed. Inside a JSON text every quote is escaped, so `"sequence":7,` with plain quotes stands in a
line once, as the entry's number, whatever anybody typed into a field.
"""

import os
import re
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

from dpgov.audit.tree import Hash, parted

_CHUNK = 1 << 19
_WORTH_A_PROCESS = 1 << 25
_MOST_PROCESSES = 8
_LONGEST_LINE = 1_000_000
_NEAR_END = -200
_NUMBER = re.compile(rb'"sequence":(\d{1,18}),')
_TENANT = re.compile(rb'"tenant_id":"([0-9a-f-]{36})"\}$')


class BrokenExport(ValueError):
    """A line of the export is not the entry that has to be there; `str` says which and why."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A part of the file, from the beginning of a line on, and how every line has to end."""

    path: Path
    start: int
    stop: int
    ending: bytes


@dataclass(frozen=True, slots=True)
class _Part:
    """What a part holds: the hashes of its good lines, the first bad line, and how many
    bytes of a line without an end follow.

    `first` is the number in the first line; the caller knows which it has to be.
    """

    first: int
    hashes: bytes
    bad: bytes | None
    rest: int


def leaf_hashes(path: Path, *, begin: int = 1) -> Iterator[list[Hash]]:
    """The leaf hashes of the file's entries, part by part; raises BrokenExport, OSError.

    The numbers must run from `begin` without a gap, and every entry must be of one tenant.
    """
    number = begin - 1
    for job, part in _parts(path):
        if part.hashes and part.first != number + 1:
            raise BrokenExport(_misplaced(number + 1, part.first, begin))
        leaves = parted(part.hashes)
        yield leaves
        number += len(leaves)
        if part.bad is not None:
            raise BrokenExport(_why(part.bad, number + 1, job.ending, begin))
        if part.rest:
            raise BrokenExport(_unfinished(part.rest))


def tenant_of(path: Path) -> str:
    """The tenant whose log the file says it is; "" for an empty file."""
    found = _TENANT.search(_first_line(path))
    return found[1].decode() if found else ""


def first_number(path: Path) -> int:
    """The number of the first entry; 0 where the file does not begin with one."""
    return _number(_first_line(path)) or 0


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline(_LONGEST_LINE).rstrip(b"\n")


def _parts(path: Path) -> Iterator[tuple[_Job, _Part]]:
    """The parts in order, hashed by as many processes as there are processors.

    A process is only copied while nothing else runs in it: a lock that another thread holds at
    that moment would never be given back in the copy.
    """
    jobs = list(_jobs(path))
    processes = min(os.cpu_count() or 1, _MOST_PROCESSES)
    alone = processes == 1 or threading.active_count() > 1
    if alone or path.stat().st_size < _WORTH_A_PROCESS:
        yield from zip(jobs, map(_hash_part, jobs), strict=True)
        return
    # Ended by SIGTERM, whatever the process that it was copied from does then.
    quiet = (signal.SIGTERM, signal.SIG_DFL)
    with get_context("fork").Pool(processes, signal.signal, quiet) as pool:
        yield from zip(jobs, pool.imap(_hash_part, jobs), strict=True)


def _jobs(path: Path) -> Iterator[_Job]:
    size, start = path.stat().st_size, 0
    found = _TENANT.search(_first_line(path))
    ending = found[0] if found else b""
    with path.open("rb") as file:
        while start < size:
            file.seek(start + _CHUNK)
            file.readline(_LONGEST_LINE)
            stop = min(file.tell(), size)
            yield _Job(path, start, stop, ending)
            start = stop


def _hash_part(job: _Job) -> _Part:
    with job.path.open("rb") as file:
        file.seek(job.start)
        data = file.read(job.stop - job.start)
    *lines, rest = data.split(b"\n")
    first = _number(lines[0]) if lines else None
    good = 0 if first is None or not job.ending else _good_lines(data, lines, first, job.ending)
    hashes = b"".join([sha256(b"\x00" + line).digest() for line in lines[:good]])
    bad = lines[good] if good < len(lines) else None
    return _Part(first=first or 0, hashes=hashes, bad=bad, rest=len(rest))


def _good_lines(data: bytes, lines: list[bytes], first: int, ending: bytes) -> int:
    """How many lines from the first on are numbered one after another and end as they must."""
    wanted = [b'"sequence":%d,' % number for number in range(first, first + len(lines))]
    # All at once: an ending with its newline stands in a line once, a number near the line's end.
    endings = data.count(ending + b"\n")
    if endings == len(lines) and min(map(bytes.find, lines, wanted, repeat(_NEAR_END))) >= 0:
        return len(lines)
    for place, (line, number) in enumerate(zip(lines, wanted, strict=True)):
        if number not in line or not line.endswith(ending):
            return place
    return len(lines)


def _number(line: bytes) -> int | None:
    found = _NUMBER.search(line)
    return int(found[1]) if found else None


def _why(line: bytes, place: int, ending: bytes, begin: int) -> str:
    number = _number(line)
    if number is None or not ending:
        return f"Line {place - begin + 1} is not an entry of an exported log."
    if number != place:
        return _misplaced(place, number, begin)
    return f"Entry {place} belongs to another tenant's log, or is damaged."


def _misplaced(place: int, found: int, begin: int) -> str:
    line = place - begin + 1
    said = f"Entry {place} is not in its place: line {line} holds entry {found}."
    if (place, line) == (1, 1):
        said += f" Entries 1 to {found - 1} may be in archive files: give these with --archive."
    return said


def _unfinished(length: int) -> str:
    if length >= _LONGEST_LINE:
        return "A line is longer than any entry."
    return "The last line is cut off: it has no newline at its end."
