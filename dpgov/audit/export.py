"""The log as a file, written as a stream: JSON lines for a verifier, CSV for a spreadsheet.

A JSON line is the canonical JSON of an entry, the very bytes that were hashed; `audit.verify` needs
no more. The CSV is for reading: cells that a spreadsheet would run as a formula are neutralised.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from dpgov.audit.entry import FACT_NAMES, facts_of, line_of
from dpgov.web.spreadsheet import safe_text


def json_lines(entries: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """One canonical JSON object a line."""
    for entry in entries:
        yield line_of(entry) + b"\n"


def csv_lines(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A heading and one row an entry, with dangerous beginnings neutralised (catalogue I3)."""
    yield _row((*FACT_NAMES, "leaf_hash"))
    for entry in entries:
        cells = (*facts_of(entry).as_dict().values(), bytes(entry["leaf_hash"]).hex())
        yield _row([safe_text(value) for value in cells])


def _row(cells: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
