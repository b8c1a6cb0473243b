"""Groups by the calendar in SQL: DATE_TRUNC('month', d), EXTRACT(ISODOW FROM d), YEAR(d)."""

from typing import Any

from sqlglot import exp

from dpgov.privacy.plan.by_calendar import CalendarPart
from dpgov.queries.sql.text import NameReader

EXTRACTED = {
    "YEAR": CalendarPart.YEAR,
    "QUARTER": CalendarPart.QUARTER_OF_YEAR,
    "MONTH": CalendarPart.MONTH_OF_YEAR,
    "DOW": CalendarPart.WEEKDAY,
    "ISODOW": CalendarPart.WEEKDAY,
    "HOUR": CalendarPart.HOUR_OF_DAY,
}
_NAMED: dict[type[exp.Expr], CalendarPart] = {
    exp.Year: CalendarPart.YEAR,
    exp.Quarter: CalendarPart.QUARTER_OF_YEAR,
    exp.Month: CalendarPart.MONTH_OF_YEAR,
}
OF_DATES = exp.DateTrunc | exp.TimestampTrunc | exp.Extract | exp.Year | exp.Quarter | exp.Month


def read_calendar(node: exp.Expr, names: NameReader) -> dict[str, Any] | None:
    """The grouping as a plan's form; None where it is another one, or of no known part.

    Whether the column has such a part is decided where plans are read.
    """
    if isinstance(node, exp.DateTrunc | exp.TimestampTrunc):
        part = str(node.args["unit"].name).lower()
        known = part in tuple(CalendarPart) and CalendarPart(part).in_order
        return {"column": names.name(node.this), "by": part} if known else None
    if isinstance(node, exp.Extract):
        extracted = EXTRACTED.get(str(node.this.name).upper())
        if extracted is None:
            return None
        return {"column": names.name(node.expression), "by": extracted.value}
    if named := _NAMED.get(type(node)):
        return {"column": names.name(node.this), "by": named.value}
    return None
