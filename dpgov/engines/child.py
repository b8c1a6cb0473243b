"""Runs the reader of files in a process of its own and puts its answer into values.

The child gets no secret but the key of fingerprints, by its input: a bare environment, no settings,
no database. Whatever it does, dies of or writes to its error output, the caller sees an answer or a
RefusedFile.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from dpgov.engines.fingerprint import TableFingerprint, from_json
from dpgov.engines.ingest.drafts import remove_drafts
from dpgov.engines.ingest.request import UnitNames, columns_as_json
from dpgov.privacy.said import said
from dpgov.privacy.schema import ColumnSpec

_ROOT = Path(__file__).resolve().parent.parent.parent
# One allocator and few arenas keep address space, which is what is limited, near to memory used.
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
_DIED = said(
    "The file could not be read within the memory that is allowed. It may be damaged, or made to "
    "unpack to a huge size."
)


class RefusedFile(Exception):
    """The file was not taken. `str` is for its owner alone; `field` or `column` say where."""

    def __init__(self, message: str, *, field: str = "", column: str = "") -> None:
        super().__init__(message)
        self.field = field
        self.column = column


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child may use: memory on top of the reader itself, and seconds on the clock."""

    memory_bytes: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a file is ("csv" or "parquet") and the names of its columns."""

    format: str
    headers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ingested:
    """The true number of rows and the fingerprint of the content: the owner's side only.

    `units` is the number of units where a column names them, `beside` the files that said in what
    part of a partition each unit lies already.
    """

    rows: int
    fingerprint: TableFingerprint
    units: int | None = None
    beside: tuple[str, ...] = ()


def inspect(path: Path, *, limits: Limits) -> Inspection:
    """Which format, which columns; raises RefusedFile for anything but clean CSV or Parquet."""
    answer = _ask({"do": "inspect", "path": str(path)}, limits)
    return Inspection(answer["format"], tuple(answer["headers"]))


def ingest(
    source: Path,
    target: Path,
    *,
    columns: Sequence[ColumnSpec],
    max_rows: int,
    limits: Limits,
    key: bytes,
    unit: UnitNames | None = None,
) -> Ingested:
    """Store the codes of the declared columns in `target`; raises RefusedFile, leaving nothing.

    The fingerprint is of the whole file, made with `key`.
    """
    request = {
        "do": "ingest",
        "path": str(source),
        "target": str(target),
        "columns": columns_as_json(columns),
        "max_rows": max_rows,
        "key": key.hex(),
        "unit": None if unit is None else unit.as_json(),
    }
    try:
        answer = _ask(request, limits)
    except RefusedFile:
        remove_drafts(target)
        raise
    beside = () if unit is None else tuple(file.path for file in unit.earlier)
    return Ingested(answer["rows"], from_json(answer["fingerprint"]), answer["units"], beside)


def _ask(request: dict[str, Any], limits: Limits) -> dict[str, Any]:
    body = request | {"memory_bytes": limits.memory_bytes, "seconds": limits.seconds}
    try:
        child = subprocess.run(
            [sys.executable, "-m", "dpgov.engines.ingest"],
            input=json.dumps(body).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            env=_ENVIRONMENT,
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RefusedFile(
            said(
                "Reading the file took longer than {most} seconds. Upload a smaller one.",
                most=limits.seconds,
            )
        ) from None
    return _answer(child)


def _answer(child: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(child.stdout)
    except ValueError:
        raise RefusedFile(_DIED) from None
    if "refused" in answer:
        raise RefusedFile(
            _sentence(answer), field=answer.get("field", ""), column=answer.get("column", "")
        )
    return answer


def _sentence(answer: dict[str, Any]) -> str:
    """With its pattern, if that is one: the child has read a stranger's file."""
    text, pattern, values = (answer.get(name) for name in ("refused", "pattern", "values"))
    try:
        parts = list(Formatter().parse(pattern or ""))
        named = {name for _, name, _, _ in parts if name is not None}
        plain = all(name.isidentifier() and not spec for _, name, spec, _ in parts if name)
        if plain and isinstance(values, dict) and named == set(values):
            found = said(str(pattern), **values)
            return found if found == text else str(text)
    except (ValueError, TypeError, KeyError, IndexError):
        pass
    return str(text)
