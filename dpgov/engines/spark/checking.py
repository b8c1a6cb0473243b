"""Whether files may be read as a dataset: by their forms alone, never by what is in them.

Looked at when they are registered and again before each answer, in the session that answers: which
files there are and what form they have is found once there, and read so.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from enum import StrEnum

from dpgov.engines.live import NAMES_A_UNIT, CellKind, SourceRefused, fits
from dpgov.engines.spark.computed import is_within_reach
from dpgov.engines.spark.dates import zone_sql
from dpgov.engines.spark.rows import VIEW, Source
from dpgov.engines.spark.server import Session
from dpgov.privacy.plan.schema import DateDomain, MissingRule

# Types of others are refused, and texts of a collation, in which two that differ may be equal. A
# narrow float is refused too, since its decimal text is another number here and there.
_KINDS = {
    "boolean": CellKind.BOOLEAN,
    "tinyint": CellKind.INTEGER,
    "smallint": CellKind.INTEGER,
    "int": CellKind.INTEGER,
    "bigint": CellKind.INTEGER,
    "double": CellKind.FLOAT,
    "string": CellKind.TEXT,
    "date": CellKind.DAY,
    "timestamp_ntz": CellKind.CLOCK,
    "timestamp": CellKind.MOMENT,
}
_MOMENTS = frozenset({CellKind.CLOCK, CellKind.MOMENT})
_DECIMAL = re.compile(r"decimal\([0-9]{1,2},[0-9]{1,2}\)")
# What Delta, Hudi and Iceberg keep beside their files.
_OF_A_TABLE = "{_delta_log,.hoodie,metadata/*.metadata.json}"
# A plan of more is too large to be compiled as one.
_MOST_COLUMNS = 1_500


class Problem(StrEnum):
    """Why a source is not read; who registers it says so in words."""

    NOT_FOUND = "not_found"
    TABLE_FORMAT = "table_format"
    MISSING_COLUMN = "missing_column"
    TYPE = "type"
    MOMENTS = "moments"
    UNIT_TYPE = "unit_type"
    NEVER_MISSING = "never_missing"
    FORMULA = "formula"
    TIME_ZONE = "time_zone"
    TOO_MANY_COLUMNS = "too_many_columns"


def checked(session: Session, source: Source) -> dict[str, CellKind]:
    """The kinds of the source's columns by their names, which stay so in this session.

    Raises SourceRefused.
    """
    _check_declared(source)
    there = _described(session, source)
    found: dict[str, CellKind] = {}
    for name in source.names:
        if name not in there:
            raise SourceRefused(Problem.MISSING_COLUMN, name)
        kind = _kind_of(there[name])
        if kind is None:
            raise SourceRefused(Problem.TYPE, name)
        found[name] = kind
    _check_fit(found, source)
    return found


def known(session: Session, source: Source) -> dict[str, CellKind | None]:
    """All columns there are, by their names, of a source that is `checked` in this session.

    None is one that is not read: by its type, or a moment of which nobody saw how it is kept.
    """
    unread = frozenset() if source.in_microseconds else _MOMENTS
    kinds = {name: _kind_of(text) for name, text in _described(session, source).items()}
    return {name: None if kind in unread else kind for name, kind in kinds.items()}


def check_no_table_format(session: Session, source: Source, roots: Iterable[str]) -> None:
    """Whether the files are those of Delta, Iceberg or Hudi, whose folders hold rows that went.

    Such a table is known by what lies beside its files, in the path or above it up to the allowed
    folder; what cannot be told is refused. Raises SourceRefused.
    """
    for folder in _folders(source.path, roots):
        if not session.has_nothing_at(f"{folder}/{_OF_A_TABLE}"):
            raise SourceRefused(Problem.TABLE_FORMAT)


def _folders(path: str, roots: Iterable[str]) -> Iterator[str]:
    """The path and the folders that it lies in, down to the innermost that is allowed."""
    root = max((root for root in roots if path.startswith(root)), key=len)
    steps = path.removeprefix(root).removesuffix("/").split("/")
    for size in range(len(steps), -1, -1):
        yield "/".join([root.removesuffix("/"), *steps[:size]])


def _kind_of(text: str) -> CellKind | None:
    return CellKind.NUMERIC if _DECIMAL.fullmatch(text) else _KINDS.get(text)


def check_zones(session: Session, source: Source) -> None:
    """Whether the cluster knows the declared time zones; raises SourceRefused."""
    for spec in source.columns:
        if isinstance(spec.domain, DateDomain) and not _knows(session, spec.domain.zone):
            raise SourceRefused(Problem.TIME_ZONE, spec.name)


def _knows(session: Session, zone: str) -> bool:
    with suppress(Exception):
        return bool(session.rows(zone_sql(zone)))
    return False


def _check_declared(source: Source) -> None:
    """What may change cannot promise that no cell is missing; failing by one would tell it."""
    if len(source.columns) > _MOST_COLUMNS:
        raise SourceRefused(Problem.TOO_MANY_COLUMNS)
    for number, spec in enumerate(source.columns):
        if spec.missing is MissingRule.REQUIRE:
            raise SourceRefused(Problem.NEVER_MISSING, spec.name)
        if not is_within_reach(number, source.columns):
            raise SourceRefused(Problem.FORMULA, spec.name)


def _described(session: Session, source: Source) -> Mapping[str, str]:
    """The type of each column as a text. Files whose forms cannot be put together are not found."""
    with suppress(Exception):
        session.looks_at(source.path)
        return {row[0]: row[1] for row in session.rows(f"DESCRIBE TABLE {VIEW}")}
    # Not from what the server says, which names paths.
    raise SourceRefused(Problem.NOT_FOUND)


def _check_fit(kinds: Mapping[str, CellKind], source: Source) -> None:
    if source.unit.private_id and kinds[source.unit.private_id] not in NAMES_A_UNIT:
        raise SourceRefused(Problem.UNIT_TYPE, source.unit.private_id)
    for spec in source.columns:
        if spec.formula is not None:
            continue
        if not fits(kinds[spec.name], spec):
            raise SourceRefused(Problem.TYPE, spec.name)
        if kinds[spec.name] in _MOMENTS and not source.in_microseconds:
            raise SourceRefused(Problem.MOMENTS, spec.name)
