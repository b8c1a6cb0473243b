"""Dates of the server as lattice codes, in SQL: the rules of `engines.ingest.dates`.

Infinity, and what lies outside the years 1 to 9999, has no spelling in a file and is missing. A
moment is read on the wall clock of the declared zone, by the server's table of time zones.
"""

from datetime import UTC, datetime, timedelta

from psycopg import sql

from dpgov.engines.ingest.dates import FIRST_SECOND, LAST_SECOND
from dpgov.engines.live import CellKind
from dpgov.privacy.plan.calendar import DateStep
from dpgov.privacy.plan.schema import DateDomain

_TYPES = {CellKind.DAY: "date", CellKind.CLOCK: "timestamp", CellKind.MOMENT: "timestamptz"}
_MONTHS = {DateStep.MONTH: 1, DateStep.QUARTER: 3, DateStep.YEAR: 12}
_ORIGIN = datetime(1, 1, 1, tzinfo=UTC)


def date_code(cell: str, kind: CellKind, domain: DateDomain) -> str:
    """The code of a cell; null where it is missing."""
    ends = (
        "'0001-01-01'",
        "'9999-12-31'" if kind is CellKind.DAY else "'9999-12-31 23:59:59.999999'",
    )
    if kind is CellKind.MOMENT:
        ends = "'0001-01-01 00:00:00+00'", "'9999-12-31 23:59:59.999999+00'"
    low, high = (f"{end}::{_TYPES[kind]}" for end in ends)
    wall = _on_the_wall(cell, domain.zone) if kind is CellKind.MOMENT else cell
    code = f"least({domain.top}, greatest(0, {_number(wall, domain.unit)} - ({domain.first})))"
    return f"CASE WHEN {cell} BETWEEN {low} AND {high} THEN {code} END"


def _on_the_wall(cell: str, zone: str) -> str:
    """So near to the ends of the calendar no zone is applied, as in a file."""
    first = _ORIGIN + timedelta(seconds=FIRST_SECOND)
    after = _ORIGIN + timedelta(seconds=LAST_SECOND + 1)
    inside = f"{cell} >= '{first.isoformat(' ')}' AND {cell} < '{after.isoformat(' ')}'"
    named = sql.Literal(zone).as_string()
    return f"CASE WHEN {inside} THEN {cell} AT TIME ZONE {named} ELSE {cell} AT TIME ZONE 'UTC' END"


def _number(wall: str, step: DateStep) -> str:
    """The number of the period; nothing that is divided is negative."""
    if step in _MONTHS:
        months = f"(date_part('year', {wall})::int - 1) * 12 + date_part('month', {wall})::int - 1"
        return f"({months}) / {_MONTHS[step]}"
    days = f"(({wall})::date - '0001-01-01'::date)"
    if step is DateStep.HOUR:
        return f"({days} * 24 + date_part('hour', {wall})::int)"
    return f"{days} / 7" if step is DateStep.WEEK else days
