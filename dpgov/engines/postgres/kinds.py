"""The types of the server whose values have one meaning here, by their numbers.

Types of others are refused: what a cast of theirs runs is somebody's code, and may fail by what a
row holds. A narrow float is refused too, since its decimal text is another number here and there.
"""

from dpgov.engines.live import Kind

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
