"""Cells of dates as lattice codes: one rule, whatever the file and its column type.

| cell, as a trimmed text | in a date column |
|---|---|
| null, empty | missing |
| 2024, 2024-Q1, 2024Q1, 2024-01, 2024-W05, 2024-01-31 | the period |
| 2024-01-31T14, 2024-01-31 14:05, 2024-01-31 14:05:59.123 | the period |
| the same with Z, +01, +0100 or +01:00 | the period on the wall clock of the declared zone |
| as the declared layout has it; dates of a Parquet file stay as above | the period |
| 202401.0, as some programs write whole numbers | as 202401 |
| what says less than the step (a month where days are counted), or no such day or hour | missing |
| any other text: two-digit years, 24:00, 23:59:60, names of months | missing |

A date before the first period counts as the first, one after the last as the last, as for numbers.
Wall-clock time is taken as it stands, in an hour that a change of the clock left out or repeated
too. Each rule looks at one cell alone, never at the other rows.
"""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.privacy.plan.calendar import DateStep, days_in, days_of, number_of
from dpgov.privacy.plan.layouts import ISO, NEEDED, pattern_of
from dpgov.privacy.plan.schema import DateDomain

Whole = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]
_DAY = 86_400
_ORIGIN = datetime(1, 1, 1, tzinfo=UTC)
# So near to the ends of the calendar no zone can be applied; bounds are far from there or clip.
FIRST_SECOND, LAST_SECOND = 2 * _DAY, 3_652_057 * _DAY


def date_codes(texts: pa.Array, domain: DateDomain, *, typed: bool) -> pa.Array:
    """The code of each text, as unsigned integers; null where it is missing.

    `typed`: the file says itself that these are dates, which have their one spelling then.
    """
    spelt = pc.replace_substring_regex(texts, r"^([0-9]+)\.0+$", r"\1")
    fields = pc.extract_regex(spelt, ISO if typed else pattern_of(domain.layout))
    parts = {field.name: _whole(fields, field.name) for field in fields.type}
    there = fields.is_valid().to_numpy(zero_copy_only=False) & _says_enough(parts, domain.unit)
    seconds, real = _seconds(parts)
    there &= real
    seconds = _on_the_wall(seconds, fields, there, domain.zone)
    found = np.clip(number_of(domain.unit, seconds) - domain.first, 0, domain.top)
    return pa.array(np.where(there, found, 0).astype(np.uint64), mask=~there)


def _whole(fields: pa.Array, name: str) -> Whole:
    """A group of digits as a number; -1 where nothing stands there."""
    if name == "offset":
        return np.empty(0, np.int64)
    texts = pc.struct_field(fields, name)
    digits = pc.if_else(pc.equal(texts, ""), pa.scalar(None, texts.type), texts)
    found: Whole = pc.fill_null(digits.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
    return found


def _says_enough(parts: dict[str, Whole], step: DateStep) -> Truths:
    """Whether the period is known: by the parts it needs, or by a quarter or week of its own."""
    everywhere = np.full(len(parts["year"]), fill_value=True)
    enough: Truths = everywhere.copy()
    for name in NEEDED[step]:
        enough &= parts.get(name, -everywhere.astype(np.int64)) >= 0
    if "quarter" not in parts:
        return enough
    if step is DateStep.WEEK:
        return enough | (parts["week"] >= 0)
    if step is DateStep.QUARTER:
        enough |= parts["quarter"] >= 0
    return enough & (parts["week"] < 0)


def _seconds(parts: dict[str, Whole]) -> tuple[Whole, Truths]:
    """The first second that a cell names, and whether there is such a day and time."""
    nothing = np.full(len(parts["year"]), -1)
    month, day, hour, minute, second, quarter, week = (
        parts.get(name, nothing)
        for name in ("month", "day", "hour", "minute", "second", "quarter", "week")
    )
    year = np.maximum(parts["year"], 1)
    months = np.where(month >= 0, month, np.where(quarter > 0, 3 * quarter - 2, 1))
    days = np.where(day >= 0, day, 1)
    real = (parts["year"] >= 1) & (months >= 1) & (months <= 12) & (days >= 1)
    months = np.clip(months, 1, 12)
    real &= days <= days_in(year, months)
    number = days_of(year, months, days)
    first = days_of(year, 1, 4)
    first = first - first % 7
    following = days_of(year + 1, 1, 4)
    weeks = (following - following % 7 - first) // 7
    real &= (week < 0) | ((week >= 1) & (week <= weeks))
    number = np.where(week >= 0, first + 7 * (week - 1), number)
    real &= (hour <= 23) & (minute <= 59) & (second <= 59)
    clock = np.maximum(hour, 0) * 3_600 + np.maximum(minute, 0) * 60 + np.maximum(second, 0)
    return number * _DAY + clock, real


def _on_the_wall(seconds: Whole, fields: pa.Array, there: Truths, zone: str) -> Whole:
    """Moments with an offset in the declared zone; all others as they stand."""
    if fields.type.get_field_index("offset") < 0:
        return seconds
    written = pc.fill_null(pc.struct_field(fields, "offset"), "").to_pylist()
    moved = seconds.copy()
    clock = ZoneInfo(zone)
    for place in np.flatnonzero(there):
        if written[place]:
            moved[place] = _wall(int(seconds[place]) - _offset(written[place]), clock)
    return moved


def _offset(text: str) -> int:
    digits = text.strip().upper().replace(":", "")
    if digits == "Z":
        return 0
    ahead = int(digits[1:3]) * 3_600 + int(digits[3:5] or 0) * 60
    return -ahead if digits[0] == "-" else ahead


def _wall(second: int, zone: ZoneInfo) -> int:
    if not FIRST_SECOND <= second <= LAST_SECOND:
        return second
    ahead = (_ORIGIN + timedelta(seconds=second)).astimezone(zone).utcoffset()
    return second + (0 if ahead is None else ahead.days * _DAY + ahead.seconds)
