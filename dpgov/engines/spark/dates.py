"""Dates of Spark as lattice codes, in SQL: the rules of `engines.ingest.dates`.

What lies outside the years 1 to 9999 has no spelling in a file and is missing. A moment is read on
the wall clock of the declared zone, by the cluster's table of time zones; the session itself is in
UTC, so that taking a moment apart moves it nowhere.
"""

from datetime import UTC, datetime, timedelta

from dpgov.engines.ingest.dates import FIRST_SECOND, LAST_SECOND
from dpgov.engines.live import CellKind
from dpgov.engines.spark.words import literal
from dpgov.privacy.plan.calendar import DateStep
from dpgov.privacy.plan.schema import DateDomain

_TYPES = {CellKind.DAY: "DATE", CellKind.CLOCK: "TIMESTAMP_NTZ", CellKind.MOMENT: "TIMESTAMP_LTZ"}
_MONTHS = {DateStep.MONTH: 1, DateStep.QUARTER: 3, DateStep.YEAR: 12}
_ORIGIN = datetime(1, 1, 1, tzinfo=UTC)
# Spark counts days from 1970.
_DAYS_BEFORE = 719_162


def date_code(cell: str, kind: CellKind, domain: DateDomain) -> str:
    """The code of a cell; null where it is missing."""
    ends = ("0001-01-01", "9999-12-31")
    if kind is not CellKind.DAY:
        zone = "Z" if kind is CellKind.MOMENT else ""
        ends = (f"{ends[0]} 00:00:00{zone}", f"{ends[1]} 23:59:59.999999{zone}")
    low, high = (f"{_TYPES[kind]}'{end}'" for end in ends)
    wall = _on_the_wall(cell, domain.zone) if kind is CellKind.MOMENT else cell
    code = f"least({domain.top}, greatest(0, {_number(wall, domain.unit)} - ({domain.first})))"
    return f"CASE WHEN {cell} BETWEEN {low} AND {high} THEN {code} END"


def zone_sql(zone: str) -> str:
    """A select that fails where the cluster does not know the zone; it reads nothing."""
    return f"SELECT from_utc_timestamp(TIMESTAMP_LTZ'2000-01-01 00:00:00Z', {literal(zone)})"


def _on_the_wall(cell: str, zone: str) -> str:
    """So near to the ends of the calendar no zone is applied, as in a file."""
    first = _ORIGIN + timedelta(seconds=FIRST_SECOND)
    after = _ORIGIN + timedelta(seconds=LAST_SECOND + 1)
    low, high = (f"TIMESTAMP_LTZ'{end.isoformat(' ')}'" for end in (first, after))
    inside = f"{cell} >= {low} AND {cell} < {high}"
    return f"CASE WHEN {inside} THEN from_utc_timestamp({cell}, {literal(zone)}) ELSE {cell} END"


def _number(wall: str, step: DateStep) -> str:
    """The number of the period; nothing that is divided is negative."""
    if step in _MONTHS:
        return f"((year({wall}) - 1) * 12 + month({wall}) - 1) div {_MONTHS[step]}"
    days = f"(unix_date(CAST({wall} AS DATE)) + {_DAYS_BEFORE})"
    if step is DateStep.HOUR:
        return f"({days} * 24 + hour({wall}))"
    return f"{days} div 7" if step is DateStep.WEEK else days
