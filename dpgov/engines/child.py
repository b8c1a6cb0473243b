"""Runs the reader of files in a process of its own and puts its answer into values.

The child gets no secret but the key of fingerprints, by its input. Whatever it does or dies of, the
caller sees an answer, a RefusedFile or FullDisk; what only the operator can mend goes to the log,
by the name of its kind and without a word of the file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from typing import Any

import structlog

from dpgov.engines.child_process import Died, Limits, Progress, TooSlow, Watch, converse
from dpgov.engines.deriving import Parent
from dpgov.engines.fingerprint import TableFingerprint, from_json
from dpgov.engines.ingest.drafts import remove_drafts
from dpgov.engines.ingest.request import Before, Join, UnitNames, columns_as_json
from dpgov.language.said import from_values, said
from dpgov.privacy.plan.schema import ColumnSpec

__all__ = [
    "CheckReport",
    "FullDisk",
    "Ingested",
    "Inspection",
    "Join",
    "Limits",
    "Progress",
    "RefusedFile",
    "Watch",
    "check",
    "check_public",
    "derive",
    "ingest",
    "inspect",
]

_log = structlog.get_logger("dpgov.reading")
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


class FullDisk(Exception):
    """The disk is full: nothing was stored, and nothing is wrong with the file."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a file is ("csv", "parquet" or "xlsx"), its columns, their types, how it is read.

    `kinds` has the type that a Parquet file states for each column: "number", "category", "truth",
    "date", or "" for no such type, which is all that other files say.
    `reading` holds a FileFormat and what its owner is told of it: `sheets`, `left_out` (columns
    that cannot be used) and `first_line_is_data`.
    """

    format: str
    headers: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    reading: dict[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Coarse words for each column, by its name; see `ingest.checking`. Its owner's alone.

    `whole` says whether all of the file was looked at.
    """

    columns: dict[str, dict[str, str]]
    whole: bool


@dataclass(frozen=True, slots=True)
class Ingested:
    """The true number of rows and the fingerprint of the content: the owner's side only.

    `units` is the number of units where a column names them, `beside` the files that said in what
    part of a partition each unit lies already, and `newcomers` how many are in none of them. Where
    rows were added to earlier ones `rows` are the new ones, `fingerprint` is of all together and
    `addition` of the new ones.
    """

    rows: int
    fingerprint: TableFingerprint
    units: int | None = None
    beside: tuple[str, ...] = ()
    addition: TableFingerprint | None = None
    newcomers: int | None = None


def _unwatched(_: Progress) -> None:
    """Nobody waits for this file but its caller."""


def inspect(path: Path, *, limits: Limits, wanted: Mapping[str, Any] | None = None) -> Inspection:
    """Which format, which columns; raises RefusedFile for anything but a clean table.

    `wanted` is what its owner says about how it is to be read, by the names of a FileFormat.
    """
    request = {"do": "inspect", "path": str(path), "wanted": dict(wanted or {})}
    answer = _ask(request, limits, _unwatched)
    headers, kinds = tuple(answer["headers"]), tuple(answer["kinds"])
    return Inspection(answer["format"], headers, kinds, answer["reading"])


def check(
    path: Path,
    *,
    columns: Sequence[ColumnSpec],
    private_id: str | None,
    reading: Mapping[str, Any],
    limits: Limits,
    join: Join | None = None,
) -> CheckReport:
    """How well a file and its declarations fit, for its owner alone; raises RefusedFile."""
    request = {
        "do": "check",
        "path": str(path),
        "columns": columns_as_json(columns),
        "private_id": private_id,
        "reading": dict(reading),
        "join": None if join is None else join.as_json(),
    }
    answer = _ask(request, limits, _unwatched)
    return CheckReport(answer["columns"], answer["whole"])


def check_public(join: Join, *, limits: Limits) -> str:
    """The SHA-256 of a public table that can be joined like this; raises RefusedFile."""
    answer = _ask({"do": "public", "join": join.as_json()}, limits, _unwatched)
    return str(answer["digest"])


def ingest(
    source: Path,
    target: Path,
    *,
    columns: Sequence[ColumnSpec],
    max_rows: int,
    limits: Limits,
    key: bytes,
    unit: UnitNames | None = None,
    before: Before | None = None,
    reading: Mapping[str, Any] | None = None,
    join: Join | None = None,
    watch: Watch = _unwatched,
) -> Ingested:
    """Store the codes of the declared columns in `target`, after the rows of `before`.

    The fingerprint is of the whole file, made with `key`, and of nothing that is joined. Raises
    RefusedFile, FullDisk and whatever `watch` raises, which is told how far it is; then nothing is
    left.
    """
    request = {
        "do": "ingest",
        "path": str(source),
        "target": str(target),
        "columns": columns_as_json(columns),
        "max_rows": max_rows,
        "key": key.hex(),
        "unit": None if unit is None else unit.as_json(),
        "before": None if before is None else before.as_json(),
        "reading": dict(reading or {}),
        "join": None if join is None else join.as_json(),
    }
    try:
        answer = _ask(request, limits, watch)
    except BaseException:
        remove_drafts(target)
        raise
    beside = () if unit is None else tuple(file.path for file in unit.earlier)
    return Ingested(
        answer["rows"],
        from_json(answer["fingerprint"]),
        answer["units"],
        beside,
        None if answer["addition"] is None else from_json(answer["addition"]),
        answer["newcomers"],
    )


def derive(
    first: Parent,
    second: Parent,
    target: Path,
    *,
    columns: Sequence[ColumnSpec],
    rows_of_unit: int,
    max_rows: int,
    rows_at_most: int,
    limits: Limits,
    watch: Watch = _unwatched,
) -> None:
    """Store in `target` the rows of two stored files, put together; see `engines.deriving`.

    `columns` are those of both, as declared; `rows_at_most` bounds the rows of all three files.

    Raises RefusedFile, which is not for anybody's eyes, FullDisk and whatever `watch` raises; then
    nothing is left.
    """
    request = {
        "do": "derive",
        "first": first.as_json(),
        "second": second.as_json(),
        "target": str(target),
        "columns": columns_as_json(columns),
        "rows_of_unit": rows_of_unit,
        "max_rows": max_rows,
        "rows_at_most": rows_at_most,
    }
    try:
        _ask(request, limits, watch)
    except BaseException:
        remove_drafts(target)
        raise


def _ask(request: dict[str, Any], limits: Limits, watch: Watch) -> dict[str, Any]:
    try:
        answer = converse(request, limits, watch)
    except TooSlow:
        raise RefusedFile(
            said(
                "Reading the file took longer than {most} seconds. Upload a smaller one.",
                most=limits.seconds,
            )
        ) from None
    except Died as death:
        _log.warning("the reader of a file died", do=request["do"], code=death.code)
        raise RefusedFile(_DIED) from None
    return _answered(answer, request["do"])


def _answered(answer: dict[str, Any], do: str) -> dict[str, Any]:
    if "no_room" in answer:
        _log.error("no room to store a file", do=do)
        raise FullDisk
    if "refused" in answer:
        cause = str(answer.get("cause", ""))
        if cause.isidentifier():
            _log.warning("a file could not be read", do=do, kind=cause)
        raise RefusedFile(
            _sentence(answer), field=answer.get("field", ""), column=answer.get("column", "")
        )
    return answer


def _sentence(answer: dict[str, Any]) -> str:
    """With its pattern, if that is one: the child has read a stranger's file."""
    text, kept = answer.get("refused"), answer.get("kept")
    try:
        if isinstance(kept, dict) and _is_plain(kept) and (found := from_values(kept)) == text:
            return found
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        pass
    return str(text)


def _is_plain(kept: dict[str, Any]) -> bool:
    """A pattern that is filled in with all of its values and nothing else, and so are these."""
    parts = list(Formatter().parse(kept["pattern"]))
    named = {name for _, name, _, _ in parts if name is not None}
    plain = all(name.isidentifier() and spec in ("", ",") for _, name, spec, _ in parts if name)
    inner = [value for value in kept["values"].values() if "value" not in value]
    return plain and named == set(kept["values"]) and all(map(_is_plain, inner))
