"""Random declarations, rows and requests: cells as texts for the server, and as arrays for a file.

What a file cannot hold, an infinite date or a year before the first, is a null there.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from dpgov.privacy.plan.bins import ROWS_OF_UNIT, CodeGrouping, EvenRanges
from dpgov.privacy.plan.domains import date_domain
from dpgov.privacy.plan.request import (
    ON_CURVE,
    WEIGHT,
    AllOf,
    AnyOf,
    Bilinear,
    CodeFilter,
    CodeOfTwo,
    ExactRequest,
    Factor,
    Measure,
    MeasureKind,
    RowFilter,
    TabulatedCurve,
    UnitBounds,
)
from dpgov.privacy.plan.schema import ColumnSpec, MissingRule
from tests.unit.engines.tables import category, number

Cell = str | None
MOST_ROWS = 10
_NUMBERS = (("0", "10", "1"), ("-5", "5", "0.5"), ("-1", "1", "0.1"), ("-70", "-7", "7"))
_WORDS = ("a", "b c", "1", "true", "é", "Ω")
_STEPS = ("hour", "day", "week", "month", "quarter", "year")
_SPELT_ONLY_THERE = ("infinity", "-infinity", "0044-03-15 BC")
_FLOATS = ("nan", "inf", "-inf", "-0.0", "5e-324", "1.7976931348623157e308", "0.25", "0.75", "2.5")
_NUMERICS = ("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "0.05", "0.15", "-0.05")
_TEXTS = (
    "",
    " ",
    " a ",
    "\u2003b c\u3000",
    "\tb c",
    "A",
    "a\u0301",
    "\u0661",
    "TRUE",
    "'; --",
    "\\",
)


@dataclass(frozen=True)
class Kind:
    """A type of the server, that of the same column in a file, and its cells."""

    sql: str
    arrow: pa.DataType
    cells: st.SearchStrategy[Cell]


def _days() -> st.SearchStrategy[str]:
    return st.dates(dt.date(1, 1, 1)).map(str) | st.dates(
        dt.date(2023, 12, 1), dt.date(2025, 2, 1)
    ).map(str)


def _moments() -> st.SearchStrategy[str]:
    near = st.datetimes(dt.datetime(2024, 3, 30), dt.datetime(2024, 11, 1))  # noqa: DTZ001
    return (st.datetimes(dt.datetime(1, 1, 1)) | near).map(lambda moment: moment.isoformat(" "))  # noqa: DTZ001


def _some(*of: st.SearchStrategy[str]) -> st.SearchStrategy[Cell]:
    return st.one_of(st.none(), *of)


_INTEGERS = st.one_of(st.integers(-12, 12), st.integers(-(2**63), 2**63 - 1)).map(str)
INTEGER = Kind("bigint", pa.int64(), _some(_INTEGERS))
BOOLEAN = Kind("boolean", pa.bool_(), _some(st.sampled_from(["true", "false"])))
FLOAT = Kind(
    "double precision",
    pa.float64(),
    _some(st.floats().map(repr), st.floats(-12, 12).map(repr), st.sampled_from(_FLOATS)),
)
NUMERIC = Kind(
    "numeric",
    pa.string(),
    _some(st.decimals(-12, 12, places=3).map(str), st.sampled_from(_NUMERICS)),
)
# In a Parquet file, which says how many digits there are.
DECIMAL = Kind(
    "decimal(20,3)",
    pa.decimal128(20, 3),
    _some(
        st.decimals(-12, 12, places=3).map(str),
        st.sampled_from(["0.250", "0.750", "-0.250", "0.050", "99999999999999999.999"]),
    ),
)
TEXT = Kind("text", pa.string(), _some(st.sampled_from([*_WORDS, *_TEXTS])))
DAY = Kind("date", pa.date32(), _some(_days(), st.sampled_from(_SPELT_ONLY_THERE)))
CLOCK = Kind("timestamp", pa.timestamp("us"), _some(_moments(), st.sampled_from(_SPELT_ONLY_THERE)))
MOMENT = Kind(
    "timestamptz",
    pa.timestamp("us", "UTC"),
    _some(_moments().map(lambda text: f"{text}+00"), st.sampled_from(_SPELT_ONLY_THERE)),
)


def array_of(kind: Kind, cells: Sequence[Cell]) -> pa.Array:
    """The column of a file with the same cells."""
    if pa.types.is_temporal(kind.arrow):
        spelt = [None if cell in _SPELT_ONLY_THERE else cell for cell in cells]
        plain = pa.array([cell and cell.removesuffix("+00") for cell in spelt], pa.string())
        naive = kind.arrow if kind is DAY else pa.timestamp("us")
        return plain.cast(naive).cast(kind.arrow)
    if kind in (NUMERIC, TEXT):
        return pa.array(cells, pa.string())
    reading: dict[Kind, Callable[[str], Any]] = {INTEGER: int, FLOAT: float, BOOLEAN: "true".__eq__}
    read = reading.get(kind, Decimal)
    return pa.array([None if cell is None else read(cell) for cell in cells], kind.arrow)


IDS = (
    st.sampled_from(["1", "2", "-7", None]),
    st.sampled_from(
        ["p", " p", "P", "q\u00a0", "1", "nan", "NaN ", "", None, "NULL", " NA", "\\N"]
    ),
)
"""Of units, as whole numbers and as texts; None, blanks, NaN and NULL name nobody."""


@st.composite
def columns(draw: st.DrawFn, name: str, numeric: Kind = NUMERIC) -> tuple[ColumnSpec, Kind]:
    """A declared column and the kind of its cells; exact decimals are of the kind `numeric`."""
    impute = draw(st.sampled_from([None, None, 1]))
    shape = draw(st.sampled_from(["number", "category", "date"]))
    if shape == "number":
        kind = draw(st.sampled_from([INTEGER, FLOAT, numeric, BOOLEAN]))
        return number(name, *draw(st.sampled_from(_NUMBERS)), impute_code=impute), kind
    if shape == "category":
        kind = draw(st.sampled_from([TEXT, TEXT, INTEGER, BOOLEAN]))
        return category(name, *draw(st.permutations(_WORDS)), impute_code=impute), kind
    step = draw(st.sampled_from(_STEPS))
    kind = draw(st.sampled_from([CLOCK, MOMENT] if step == "hour" else [DAY, CLOCK, MOMENT]))
    zone = draw(st.sampled_from(["UTC", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"]))
    domain = (
        date_domain("2024-03-31", "2024-11-03", step, "", zone)
        if step != "year"
        else (date_domain("2019", "2030", step, "", zone))
    )
    rule = MissingRule.DROP if impute is None else MissingRule.IMPUTE
    return ColumnSpec(name, domain, rule, impute), kind


@st.composite
def _ranges(draw: st.DrawFn) -> tuple[tuple[int, int], ...]:
    cuts = sorted(draw(st.sets(st.integers(0, 24), max_size=5)))
    return tuple(draw(st.permutations([(low, high - 1) for low, high in pairwise(cuts)])))


def _filters(column: st.SearchStrategy[int]) -> st.SearchStrategy[RowFilter]:
    own: st.SearchStrategy[RowFilter] = st.builds(CodeFilter, column, _ranges(), st.booleans())
    return st.recursive(
        own,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda members: AllOf(tuple(members))),
            st.lists(inner, max_size=3).map(lambda members: AnyOf(tuple(members))),
        ),
        max_leaves=3,
    )


@st.composite
def _curves(draw: st.DrawFn, column: st.SearchStrategy[int]) -> TabulatedCurve:
    factors = st.builds(Factor, column, st.integers(1, 3), st.sampled_from([None, 0, 1]))
    weights = draw(st.lists(st.tuples(factors, st.integers(-9, 9)), min_size=1, max_size=2))
    table = sorted(draw(st.lists(st.integers(0, 50), min_size=2, max_size=6)))
    plus, step, coarse = (draw(st.integers(low, 9)) for low in (-9, 1, 1))
    return TabulatedCurve(tuple(weights), plus, tuple(table), step, 50, coarse)


@st.composite
def _measures(
    draw: st.DrawFn, column: st.SearchStrategy[int], *, by_unit: bool, curved: bool
) -> Measure:
    kind = draw(st.sampled_from(list(MeasureKind)))
    if kind is MeasureKind.ROWS or (kind is MeasureKind.UNITS and not by_unit):
        return Measure(MeasureKind.ROWS)
    if kind is MeasureKind.UNITS:
        return Measure(kind)
    width, clip = draw(st.integers(1, 3)), draw(st.sampled_from([None, (0, 3), (2, 9)]))
    if kind is not MeasureKind.PRODUCT_SUM:
        return Measure(kind, draw(column), width, clip)
    factors = st.builds(Factor, column, st.integers(1, 3), st.sampled_from([None, None, 0, 1]))
    if curved:
        factors |= st.sampled_from([Factor(ON_CURVE), Factor(WEIGHT)])
    return Measure(kind, factors=tuple(draw(st.lists(factors, min_size=1, max_size=3))))


# None of them makes a code negative: no column here has 7,000 values.
_FORMS = st.builds(
    Bilinear, st.integers(0, 3), st.integers(0, 3), st.integers(0, 1), st.integers(0, 5)
) | st.just(Bilinear(1, -1, 0, 7_000))


@st.composite
def _of_two(draw: st.DrawFn, width: int) -> tuple[CodeOfTwo, ...]:
    """Up to two columns after those of the table."""
    pairs = st.tuples(st.integers(0, width - 1), st.integers(0, width - 1), _FORMS)
    drawn = draw(st.lists(pairs, max_size=2))
    return tuple(CodeOfTwo(width + at, *pair) for at, pair in enumerate(drawn))


@st.composite
def requests(draw: st.DrawFn, width: int, *, by_unit: bool) -> ExactRequest:
    """Any question of this many columns; of units it keeps all that a small table can have."""
    of_two = draw(_of_two(width))
    column = st.integers(0, width + len(of_two) - 1)
    curve = draw(st.none() | _curves(column))
    grouped = column | st.just(ROWS_OF_UNIT) if by_unit else column
    plain = st.builds(CodeGrouping, grouped, _ranges())
    turned = st.builds(CodeGrouping, column, st.just(((0, 2), (5, 6))), st.just(7), st.just(3))
    even = st.builds(CodeGrouping, column, st.builds(EvenRanges, st.just(60), st.integers(1, 3)))
    folded = st.builds(
        CodeGrouping, column, _ranges(), folds=st.integers(2, 4), enters=st.integers(0, 3)
    )
    groupings = draw(st.lists(plain | turned | folded, max_size=2))
    filters = tuple(draw(st.lists(_filters(column), max_size=2)))
    bounds = UnitBounds(MOST_ROWS, *draw(_kept(len(groupings)))) if by_unit else None
    if draw(st.integers(0, 5)) == 0:
        many = tuple(draw(st.lists(even, min_size=2, max_size=2)))
        return ExactRequest(filters, many, (Measure(MeasureKind.ROWS),), bounds, None, of_two)
    own = _measures(column, by_unit=by_unit, curved=curve is not None)
    measures = draw(st.lists(own, min_size=1, max_size=4))
    return ExactRequest(filters, tuple(groupings), tuple(measures), bounds, curve, of_two)


def _kept(groupings: int) -> st.SearchStrategy[tuple[int | None, int, int | None]]:
    limit = st.sampled_from([None, MOST_ROWS])
    return st.tuples(limit, st.integers(0, groupings), limit)
