"""Reads an exported log as fast as its lines can be hashed; knows nothing but bytes.

A line is the canonical JSON of an entry: what is hashed is the line itself, and nothing has to be
parsed. Inside a JSON text every quote is escaped, so `"sequence":7,` with plain quotes stands in a
line once, as the entry's number, whatever anybody typed into a field.
"""

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from dpgov.audit.tree import Hash

_BLOCK = 1 << 17
_LONGEST_LINE = 1_000_000
_NEAR_END = -200
_NUMBER = re.compile(rb'"sequence":(\d+),')
_TENANT = re.compile(rb'"tenant_id":"([0-9a-f-]{36})"\}$')


class BrokenExport(ValueError):
    """A line of the export is not the entry that has to be there; `str` says which and why."""


def leaf_hashes(path: Path) -> Iterator[list[Hash]]:
    """The leaf hashes of the file's entries, block by block; raises BrokenExport, OSError.

    The numbers must run from 1 without a gap, and every entry must be of one tenant.
    """
    number, ending = 0, b""
    for lines in _blocks(path):
        ending = ending or _ending(lines[0])
        _check_numbers(lines, number)
        if not all(line.endswith(ending) for line in lines):
            _name_the_foreign_line(lines, number, ending)
        number += len(lines)
        yield [sha256(b"\x00" + line).digest() for line in lines]


def tenant_of(path: Path) -> str:
    """The tenant whose log the file says it is; "" for an empty file."""
    with path.open("rb") as file:
        found = _TENANT.search(file.readline(_LONGEST_LINE).rstrip(b"\n"))
    return found[1].decode() if found else ""


def _blocks(path: Path) -> Iterator[list[bytes]]:
    """Whole lines, some at a time, without their newlines."""
    rest = b""
    with path.open("rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            *lines, rest = (rest + block).split(b"\n")
            if len(rest) > _LONGEST_LINE:
                raise BrokenExport("A line is longer than any entry.")
            if lines:
                yield lines
    if rest:
        raise BrokenExport("The last line is cut off: it has no newline at its end.")


def _ending(line: bytes) -> bytes:
    found = _TENANT.search(line)
    if found is None:
        raise BrokenExport("Line 1 is not an entry of an exported log.")
    return found[0]


def _check_numbers(lines: list[bytes], before: int) -> None:
    expected = [b'"sequence":%d,' % n for n in range(before + 1, before + 1 + len(lines))]
    for wanted, line in zip(expected, lines, strict=True):
        # The number stands near the end of a line, so the search begins there.
        if line.find(wanted, _NEAR_END) < 0 and wanted not in line:
            raise BrokenExport(_wrong_number(line, before + 1 + expected.index(wanted)))


def _wrong_number(line: bytes, place: int) -> str:
    found = _NUMBER.search(line)
    if found is None:
        return f"Line {place} is not an entry of an exported log."
    return f"Entry {place} is not in its place: line {place} holds entry {int(found[1])}."


def _name_the_foreign_line(lines: list[bytes], before: int, ending: bytes) -> None:
    for place, line in enumerate(lines, start=before + 1):
        if not line.endswith(ending):
            raise BrokenExport(f"Entry {place} belongs to another tenant's log, or is damaged.")
