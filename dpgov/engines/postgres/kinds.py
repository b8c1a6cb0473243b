"""The types of the server whose values have one meaning here, and which columns they can fill.

Types of others are refused: what a cast of theirs runs is somebody's code, and may fail by what a
row holds. A narrow float is refused too, since its decimal text is another number here and there.
"""

from enum import StrEnum

from dpgov.privacy.plan.calendar import Step
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, DateDomain


class Kind(StrEnum):
    """What a cell is, by the type of its column."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMERIC = "numeric"
    FLOAT = "float"
    TEXT = "text"
    UUID = "uuid"
    DAY = "day"
    CLOCK = "clock"
    MOMENT = "moment"


KIND_OF_TYPE = {
    16: Kind.BOOLEAN,
    20: Kind.INTEGER,
    21: Kind.INTEGER,
    23: Kind.INTEGER,
    25: Kind.TEXT,
    701: Kind.FLOAT,
    1042: Kind.TEXT,
    1043: Kind.TEXT,
    1082: Kind.DAY,
    1114: Kind.CLOCK,
    1184: Kind.MOMENT,
    1700: Kind.NUMERIC,
    2950: Kind.UUID,
}
"""By the number of a type, which is the same on every server."""

NAMES_A_UNIT = frozenset({Kind.INTEGER, Kind.TEXT, Kind.UUID})
_NUMBERS = frozenset({Kind.BOOLEAN, Kind.INTEGER, Kind.NUMERIC, Kind.FLOAT})
_CATEGORIES = frozenset({Kind.BOOLEAN, Kind.INTEGER, Kind.TEXT, Kind.UUID})
_DATES = frozenset({Kind.DAY, Kind.CLOCK, Kind.MOMENT})


def fits(kind: Kind, spec: ColumnSpec) -> bool:
    """Whether cells of this kind can fill the declared column."""
    if isinstance(spec.domain, CategoryDomain):
        return kind in _CATEGORIES
    if isinstance(spec.domain, DateDomain):
        # A day says less than the hour that is counted.
        return kind in _DATES and not (kind is Kind.DAY and spec.domain.unit is Step.HOUR)
    return kind in _NUMBERS
