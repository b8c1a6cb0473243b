"""How long a question may take, as a bound out of its plan and public declarations alone.

A documented model and never a measurement: the moment at which an answer appears is made of it, so
that it must not know the true number of rows, nor what earlier questions took. The constants are
constants; `uv run bench/duration.py` compares them with the truth, and they were set so that the
bound is at least twice of what an ordinary machine of two cores needs (docs/benchmarks.md).
"""

from collections.abc import Iterator
from math import isqrt, prod
from typing import Any

from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.privacy.answer.body import MAX_CELLS
from dpgov.privacy.answer.rounds import needs_of_rounds
from dpgov.privacy.mechanisms.chosen import ChosenTables
from dpgov.privacy.mechanisms.grid import MOST_PLACES, places_for
from dpgov.privacy.mechanisms.logistic import Logistic
from dpgov.privacy.noise.noise import NoiseKind
from dpgov.privacy.plan.bins import ROWS_OF_UNIT, CodeGrouping
from dpgov.privacy.plan.request import CodeFilter, ExactRequest, RowFilter
from dpgov.privacy.plan.schema import DatasetSchema, NumericDomain

# Without a declared figure a table is taken to have this many rows, or its bound if that is less.
ASSUMED_ROWS = 1_000_000

# Nanoseconds for each row: of a scan, of each range of a filter, of each grouping and, where bins
# are searched through, of each of them, of each sum, of telling units apart, of a curve, of a
# column of two others and of ranking the rows or cells of units.
_SCAN = 10
_FILTER = 4
_GROUPING = 30
_ARM = 8
_MEASURE = 15
_UNITS = 800
_CURVE = 150
_OF_TWO = 15
_RANK = 1_500
# Microseconds: of a scan, of a range or a bin in its text, of a row that it returns, of a cell.
_REQUEST = 60_000
_TEXT = 250
_RETURNED = 5
_CELL = 4
# Microseconds: of adding up a cube, the first time in a process with its file to be opened.
_CUBE = 15_000
# Microseconds: of a draw, of each of its noisy numbers, of a bin of a tree, of a candidate, of a
# coefficient, and of a moment's part in one.
_DRAW = 40_000
_NOISE = 120
_BIN = 700
_CANDIDATE = 12
_COEFFICIENT = 5_000
_WEIGHT = 60
# Of more cells than are written out: nanoseconds of a cell and of a row that is returned,
# and of a noisy number by its noise.
_MANY_CELL = 300
_MANY_RETURNED = 600
_MANY_NOISE = {NoiseKind.LAPLACE: 14_000, NoiseKind.GAUSSIAN: 23_000}
# Of a live table, in a server whose speed nobody here knows: microseconds to connect twice, to
# look at its form and to send a statement over some network; how much longer it takes for the same
# work; and nanoseconds for a row's cells as they lie there, and for the row of a unit.
_LIVE_REQUEST = 1_000_000
_LIVE_FACTOR = 8
# The same where tasks are started in several processes: two sessions, each with a look at the
# footers, and the stages of a statement, at half a second each.
_CLUSTER_REQUEST = 4_000_000
_LIVE_SCAN = 1_500
_LIVE_UNITS = 20_000
# An engine may group by the code itself where there are so few, and put bins together afterwards.
_FEW_CODES = 256


def expected_microseconds(blueprint: Blueprint) -> int:
    """The model's bound for reading the data and drawing the noise, in whole microseconds."""
    return _bound(blueprint, rows_taken(blueprint.schema))


def added_microseconds(blueprint: Blueprint) -> int:
    """The same where each request is answered by adding up a cube instead of reading rows."""
    cells = sum(request.cells * len(request.measures) for request in blueprint.requests)
    return _CUBE * len(blueprint.requests) + _CELL * cells + _draws(blueprint)


def is_chosen(blueprint: Blueprint) -> bool:
    """Whether a part of the answer is chosen among candidates, and not a number with noise.

    A choice takes longer where many candidates are nearly the best.
    """
    described = (mechanism.describe() for mechanism in blueprint.mechanisms)
    return blueprint.chooses is not None or any(each.get("candidates") for each in described)


def longest_microseconds(blueprint: Blueprint) -> int:
    """The same for as many rows as there may be at all."""
    return _bound(blueprint, blueprint.schema.max_rows)


def rows_taken(schema: DatasetSchema) -> int:
    """How many rows the model reckons with: twice the declared figure, never above the bound."""
    declared = ASSUMED_ROWS if schema.public_rows is None else 2 * schema.public_rows
    return min(schema.max_rows, declared)


def _bound(blueprint: Blueprint, rows: int) -> int:
    scans = sum(_scan(request, blueprint.schema, rows) for request in scans_of(blueprint))
    return scans + _draws(blueprint)


def scans_of(blueprint: Blueprint) -> Iterator[ExactRequest]:
    """What is asked of the data, in its order.

    Those of a descent that follow its first one, too: their number is fixed beforehand.
    """
    yield from blueprint.requests
    for mechanism, place in zip(blueprint.mechanisms, blueprint.reads, strict=True):
        if isinstance(mechanism, Logistic):
            yield from mechanism.later(blueprint.requests[place])


def _scan(request: ExactRequest, schema: DatasetSchema, rows: int) -> int:
    ranges = sum(map(_ranges, request.filters))
    searched = sum(map(_searched, request.groupings))
    each = _SCAN + _FILTER * ranges + _GROUPING * len(request.groupings) + _ARM * searched
    each += _MEASURE * len(request.measures) + _OF_TWO * len(request.of_two)
    if request.curve is not None:
        each += _CURVE + _MEASURE * len(request.curve.weights)
    each += _UNITS * sum(measure.is_distinct for measure in request.measures)
    if request.bounds is not None:
        ranked = (request.bounds.max_groups, request.bounds.max_rows_per_group)
        each += _RANK * sum(most is not None for most in ranked)
    if schema.is_live:
        each = _LIVE_SCAN + _LIVE_FACTOR * each + _LIVE_UNITS * (request.bounds is not None)
    cells = request.cells * (len(request.measures) + len(request.groupings))
    returned = min(rows, prod(_keys(grouping, schema) for grouping in request.groupings))
    once = _REQUEST + _TEXT * (ranges + searched)
    if request.cells > MAX_CELLS and request.counts_many:
        once += (_MANY_CELL * cells + _MANY_RETURNED * returned) // 1_000
    else:
        once += _CELL * cells + _RETURNED * returned
    once += _LIVE_REQUEST * schema.is_live + _CLUSTER_REQUEST * schema.is_cluster
    return once + rows * each // 1_000


def _ranges(tree: RowFilter) -> int:
    if isinstance(tree, CodeFilter):
        return 1 + len(tree.ranges)
    return sum(map(_ranges, tree.members))


def _searched(grouping: CodeGrouping) -> int:
    return 0 if grouping.even_width else len(grouping.ranges)


def _keys(grouping: CodeGrouping, schema: DatasetSchema) -> int:
    """How many values a scan may tell apart for a grouping; one more stands for what is missing."""
    if grouping.column == ROWS_OF_UNIT:
        return grouping.bins
    domain = schema.columns[grouping.column].domain
    codes = domain.top + 1 if isinstance(domain, NumericDomain) else len(domain.categories) + 1
    return max(grouping.bins, codes + 1) if codes <= _FEW_CODES else grouping.bins


def _draws(blueprint: Blueprint) -> int:
    choosing = blueprint.chooses
    if choosing is not None:
        return _rounds(choosing)
    return sum(_draw(mechanism.describe(), blueprint.cells) for mechanism in blueprint.mechanisms)


def _rounds(mechanism: ChosenTables) -> int:
    """Of each round its choice, the largest table that it may draw, and a fit after it."""
    largest = max(mechanism.adaptive.cells)
    each = 2 * _DRAW + _NOISE * largest + _CANDIDATE * len(mechanism.tables)
    return mechanism.adaptive.rounds * each + int(needs_of_rounds(mechanism).seconds * 1e6)


def _draw(fields: dict[str, Any], cells: int) -> int:
    if cells > MAX_CELLS:
        return _DRAW + cells * _MANY_NOISE[NoiseKind(fields["mechanism"])] // 1_000
    numbers = len(fields.get("moments", fields.get("readings", ()))) or 1
    each = _NOISE * numbers + _CANDIDATE * _choices(fields, cells)
    each += _BIN if "strategy" in fields else 0
    return _DRAW + cells * each + _lines(len(fields.get("moments", ())))


def _lines(moments: int) -> int:
    """For each coefficient of a regression, of which so many moments tell, the weight of each."""
    coefficients = isqrt(2 * moments)
    return coefficients * (_COEFFICIENT + _WEIGHT * moments)


def _choices(fields: dict[str, Any], cells: int) -> int:
    """How many candidates are looked at: of several quantiles their finer places too."""
    candidates, depth = int(fields.get("candidates", 0)), int(fields.get("depth", 1))
    if depth == 1:
        return candidates
    return depth * min(candidates * MOST_PLACES, places_for(cells))
