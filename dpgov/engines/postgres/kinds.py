"""The types of the server whose values have one meaning here, by their numbers.

Types of others are refused: what a cast of theirs runs is somebody's code, and may fail by what a
row holds. A narrow float is refused too, since its decimal text is another number here and there.
"""

from dpgov.engines.live import CellKind

KIND_OF_TYPE = {
    16: CellKind.BOOLEAN,
    20: CellKind.INTEGER,
    21: CellKind.SHORT,
    23: CellKind.SHORT,
    25: CellKind.TEXT,
    701: CellKind.FLOAT,
    1042: CellKind.TEXT,
    1043: CellKind.TEXT,
    1082: CellKind.DAY,
    1114: CellKind.CLOCK,
    1184: CellKind.MOMENT,
    1700: CellKind.NUMERIC,
    2950: CellKind.UUID,
}
"""By the number of a type, which is the same on every server."""
