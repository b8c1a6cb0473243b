"""Whether files may be read as a dataset: by their forms alone, never by what is in them.

Looked at when they are registered and again before each answer, in the session that answers: which
files there are and what form they have is found once there, and read so.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum

from dpgov.engines.live import NAMES_A_UNIT, Kind, fits
from dpgov.engines.spark.computed import is_within_reach
from dpgov.engines.spark.dates import zone_sql
from dpgov.engines.spark.rows import VIEW, Source
from dpgov.engines.spark.server import Session
from dpgov.privacy.plan.schema import DateDomain, MissingRule

# Types of others are refused, and texts of a collation, in which two that differ may be equal. A
# narrow float is refused too, since its decimal text is another number here and there.
_KINDS = {
    "boolean": Kind.BOOLEAN,
    "tinyint": Kind.INTEGER,
    "smallint": Kind.INTEGER,
    "int": Kind.INTEGER,
    "bigint": Kind.INTEGER,
    "double": Kind.FLOAT,
    "string": Kind.TEXT,
    "date": Kind.DAY,
    "timestamp_ntz": Kind.CLOCK,
    "timestamp": Kind.MOMENT,
}
_DECIMAL = re.compile(r"decimal\([0-9]{1,2},[0-9]{1,2}\)")
# A plan of more is too large to be compiled as one.
_MOST_COLUMNS = 1_500


class Problem(StrEnum):
    """Why a source is not read; who registers it says so in words."""

    NOT_FOUND = "not_found"
    MISSING_COLUMN = "missing_column"
    TYPE = "type"
    MOMENTS = "moments"
    UNIT_TYPE = "unit_type"
    NEVER_MISSING = "never_missing"
    FORMULA = "formula"
    TIME_ZONE = "time_zone"
    TOO_MANY_COLUMNS = "too_many_columns"


class SourceRefused(Exception):
    """The source is not read as declared: a problem, and the column that has it, if one does."""

    def __init__(self, problem: Problem, column: str = "") -> None:
        super().__init__(f"{problem.value}: {column}" if column else problem.value)
        self.problem, self.column = problem, column


def checked(session: Session, source: Source) -> dict[str, Kind]:
    """The kinds of the source's columns by their names, which stay so in this session.

    Raises SourceRefused.
    """
    _check_declared(source)
    there = _described(session, source)
    found: dict[str, Kind] = {}
    for name in source.names:
        if name not in there:
            raise SourceRefused(Problem.MISSING_COLUMN, name)
        kind = Kind.NUMERIC if _DECIMAL.fullmatch(there[name]) else _KINDS.get(there[name])
        if kind is None:
            raise SourceRefused(Problem.TYPE, name)
        found[name] = kind
    _check_fit(found, source)
    return found


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


def _check_fit(kinds: Mapping[str, Kind], source: Source) -> None:
    if source.unit.private_id and kinds[source.unit.private_id] not in NAMES_A_UNIT:
        raise SourceRefused(Problem.UNIT_TYPE, source.unit.private_id)
    for spec in source.columns:
        if spec.formula is not None:
            continue
        if not fits(kinds[spec.name], spec):
            raise SourceRefused(Problem.TYPE, spec.name)
        if kinds[spec.name] in (Kind.CLOCK, Kind.MOMENT) and not source.in_microseconds:
            raise SourceRefused(Problem.MOMENTS, spec.name)
