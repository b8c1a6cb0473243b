"""The log as a file, written as a stream: JSON lines for a verifier, CSV for a spreadsheet.

A JSON line holds the facts exactly as hashed, with the two hashes; `audit.verifier` needs no more.
The CSV is for reading: cells that a spreadsheet would run as a formula are neutralised.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dpgov.audit.entry import FACT_NAMES, HASH_NAMES, canonical_json, facts_of
from dpgov.audit.spreadsheet import safe_cell

_LONGEST_LINE = 1_000_000


class UnreadableExport(ValueError):
    """A line of the file is not an exported entry; `str` names the line."""


def json_lines(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One canonical JSON object a line."""
    for entry in entries:
        yield canonical_json(_exported(entry)) + "\n"


def read_json_lines(file: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The entries of an exported file, one at a time; raises UnreadableExport."""
    for number, line in enumerate(file, start=1):
        yield _entry(number, line)


def csv_lines(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A heading and one row an entry, with dangerous beginnings neutralised (catalogue I3)."""
    yield _row((*FACT_NAMES, *HASH_NAMES))
    for entry in entries:
        yield _row([safe_cell(value) for value in _exported(entry).values()])


def _exported(entry: Mapping[str, Any]) -> dict[str, Any]:
    return facts_of(entry).as_dict() | {name: entry[name] for name in HASH_NAMES}


def _entry(number: int, line: str) -> dict[str, Any]:
    if len(line) > _LONGEST_LINE:
        raise UnreadableExport(f"Line {number} is longer than any entry.")
    try:
        entry = json.loads(line)
        canonical = canonical_json(entry) + "\n"
    except (ValueError, RecursionError) as error:
        raise UnreadableExport(f"Line {number} is not JSON.") from error
    if not isinstance(entry, dict) or canonical != line:
        raise UnreadableExport(f"Line {number} is not an entry as it was exported.")
    return entry


def _row(cells: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
