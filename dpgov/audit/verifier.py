"""Checks a log from its entries alone: from the database or from an exported file.

Pure: no database, no clock. Reads one entry at a time, so a log of any length fits in memory.
It proves that nothing before the head was changed, dropped, added or moved; whether the head
itself is the right one is for whoever noted it down elsewhere.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dpgov.audit.entry import FACT_NAMES, GENESIS, HASH_NAMES, facts_of, link_hash

_NAMES = frozenset(FACT_NAMES + HASH_NAMES)


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a log: the sequence number and hash of its newest entry."""

    sequence: int
    entry_hash: str


START = Head(sequence=0, entry_hash=GENESIS)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong first, and the sequence number at which it shows."""

    sequence: int
    message: str

    def __str__(self) -> str:
        return f"entry {self.sequence}: {self.message}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result: how many entries hold, the head that they lead to, and the first problem."""

    entries: int
    head: Head
    problem: Problem | None = None

    @property
    def intact(self) -> bool:
        """Whether every entry holds and the log ends where it was expected to."""
        return self.problem is None


def verify(entries: Iterable[Mapping[str, Any]], *, expected: Head | None = None) -> Verdict:
    """Follow the log from its first entry and stop at the first problem.

    With `expected`, the log must end there exactly; without it a cut tail cannot be noticed.
    """
    head, tenant_id = START, None
    for entry in entries:
        tenant_id = tenant_id or str(entry.get("tenant_id"))
        if message := _problem(entry, head, tenant_id):
            return Verdict(head.sequence, head, Problem(head.sequence + 1, message))
        head = Head(entry["sequence"], entry["entry_hash"])
    return Verdict(head.sequence, head, _end_problem(head, expected))


def _problem(entry: Mapping[str, Any], head: Head, tenant_id: str) -> str | None:
    if set(entry) != _NAMES:
        return "has missing or unknown fields"
    if type(entry["sequence"]) is not int or entry["sequence"] != head.sequence + 1:
        return f"is not there; found number {entry['sequence']} in its place"
    if str(entry["tenant_id"]) != tenant_id:
        return "belongs to another tenant's log"
    if entry["previous_hash"] != head.entry_hash:
        return "does not link to the entry before it"
    if entry["entry_hash"] != _expected_hash(head, entry):
        return "does not match its own hash: something in it was changed"
    return None


def _expected_hash(head: Head, entry: Mapping[str, Any]) -> str | None:
    try:
        return link_hash(head.entry_hash, facts_of(entry))
    except (TypeError, ValueError):
        return None


def _end_problem(head: Head, expected: Head | None) -> Problem | None:
    if expected is None or head == expected:
        return None
    if head.sequence == expected.sequence:
        return Problem(head.sequence, "is the newest, but its hash is not the expected head")
    if head.sequence < expected.sequence:
        return Problem(head.sequence + 1, f"is missing; the log should reach {expected.sequence}")
    return Problem(expected.sequence + 1, "comes after the expected head")
