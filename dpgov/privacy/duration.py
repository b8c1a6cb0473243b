"""How long a question may take, as a bound out of its plan and public declarations alone.

A documented model and never a measurement: the moment at which an answer appears is made of it, so
that it must not know the true number of rows, nor what earlier questions took. The constants are
conservative for one ordinary core (they have not been calibrated by a command).
"""

from dpgov.privacy.blueprint import Blueprint
from dpgov.privacy.request import CodeFilter, ExactRequest, MeasureKind, RowFilter
from dpgov.privacy.schema import DatasetSchema

# Without a declared figure a table is taken to have this many rows, or its bound if that is less.
ASSUMED_ROWS = 1_000_000

# Nanoseconds for each row.
_SCAN = 10
_FILTER = 10
_GROUPING = 30
_MEASURE = 15
_UNITS = 4_000
# Microseconds.
_REQUEST = 25_000
_CELL = 4
_NOISE = 20
_CANDIDATE = 15


def expected_microseconds(blueprint: Blueprint) -> int:
    """The model's bound for reading the data and drawing the noise, in whole microseconds."""
    rows = rows_taken(blueprint.schema)
    scans = sum(_scan(request, rows) for request in blueprint.requests)
    return scans + _draws(blueprint)


def rows_taken(schema: DatasetSchema) -> int:
    """How many rows the model reckons with: twice the declared figure, never above the bound."""
    declared = ASSUMED_ROWS if schema.public_rows is None else 2 * schema.public_rows
    return min(schema.max_rows, declared)


def _scan(request: ExactRequest, rows: int) -> int:
    conditions = sum(map(_conditions, request.filters))
    each = _SCAN + _FILTER * conditions + _GROUPING * len(request.groupings)
    each += _MEASURE * len(request.measures)
    if any(measure.kind is MeasureKind.UNITS for measure in request.measures):
        each += _UNITS
    cells = request.cells * (len(request.measures) + len(request.groupings))
    return _REQUEST + rows * each // 1_000 + _CELL * cells


def _conditions(tree: RowFilter) -> int:
    if isinstance(tree, CodeFilter):
        return 1 + len(tree.ranges)
    return sum(map(_conditions, tree.members))


def _draws(blueprint: Blueprint) -> int:
    total = 0
    for mechanism in blueprint.mechanisms:
        said = mechanism.describe()
        choices = int(said.get("candidates", 0)) * int(said.get("depth", 1))
        numbers = len(said.get("readings", ())) or 1
        total += blueprint.cells * (_NOISE * numbers + _CANDIDATE * choices)
    return total
