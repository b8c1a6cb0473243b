"""What engines share whose rows stay where they are: forms, declarations and requests, no row."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import index
from typing import Protocol

import numpy as np

from dpgov.engines.base import Engine, EngineFailure
from dpgov.engines.grouping import Column
from dpgov.engines.scan import Scan
from dpgov.privacy.plan.bins import ROWS_OF_UNIT
from dpgov.privacy.plan.calendar import DateStep
from dpgov.privacy.plan.grouping import LARGEST_SIZE
from dpgov.privacy.plan.request import AllOf, AnyOf, ExactAnswer, ExactRequest, RowFilter
from dpgov.privacy.plan.schema import (
    LARGEST_SUM,
    CategoryDomain,
    ColumnSpec,
    DateDomain,
    PrivacyUnit,
)

# What ingest trims: the white space of Unicode, which is more than a database calls by a name.
SPACES = (
    "".join(map(chr, [*range(9, 14), *range(28, 33), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)]))
    + "\u2028\u2029\u202f\u205f\u3000"
)
# What tools write where a person's id is missing: R, databases, spreadsheets and pandas. In lower
# case. Whose id is such a text is dropped like whose id is empty, or all of them were one person.
NOBODY = (
    "",
    *("na", "n/a", "#n/a", "#n/a n/a", "#na", "<na>", "null", "none", "\\n"),
    *("nan", "-nan", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"),
)
# Trimming takes memory by a text's length. A longer one is no category, whatever is around it.
LONGEST_TRIMMED = 100_000


_WORD = 2**63


class CellKind(StrEnum):
    """What a cell is, by the type of its column."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    # A whole number of at most 32 bits, where an engine has another way to read it.
    SHORT = "short"
    NUMERIC = "numeric"
    FLOAT = "float"
    TEXT = "text"
    UUID = "uuid"
    DAY = "day"
    CLOCK = "clock"
    MOMENT = "moment"


class SourceRefused(Exception):
    """The source is not read as declared: a problem, and the column that has it, if one does.

    Each engine has its own problems; who registers a source says them in words.
    """

    def __init__(self, problem: StrEnum, column: str = "") -> None:
        super().__init__(f"{problem.value}: {column}" if column else problem.value)
        self.problem, self.column = problem, column


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view of a server: the number that it has there, and its name."""

    number: str
    name: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the rows of a source come from, as its server calls it; nothing of the rows.

    `relations` are the source itself first and then whatever it reads, and `system` names the
    server. There are none where its place says all.
    """

    relations: tuple[Relation, ...] = ()
    system: str = ""


class LiveEngine(Engine, Protocol):
    """Asks rows that stay where they are."""

    order_key: int

    def reach(self) -> Provenance:
        """Return if it could be asked now: its server lets us in, and its form is as declared.

        It answers from then on as long as its rows come from there. No row is read. Raises
        DataNotOpened.
        """
        ...


WHOLE = frozenset({CellKind.INTEGER, CellKind.SHORT})
NAMES_A_UNIT = WHOLE | {CellKind.TEXT, CellKind.UUID}
_NUMBERS = WHOLE | {CellKind.BOOLEAN, CellKind.NUMERIC, CellKind.FLOAT}
_CATEGORIES = WHOLE | {CellKind.BOOLEAN, CellKind.TEXT, CellKind.UUID}
_DATES = frozenset({CellKind.DAY, CellKind.CLOCK, CellKind.MOMENT})


def fits(kind: CellKind, spec: ColumnSpec) -> bool:
    """Whether cells of this kind can fill the declared column."""
    if isinstance(spec.domain, CategoryDomain):
        return kind in _CATEGORIES
    if isinstance(spec.domain, DateDomain):
        # A day says less than the hour that is counted.
        return kind in _DATES and not (kind is CellKind.DAY and spec.domain.unit is DateStep.HOUR)
    return kind in _NUMBERS


def names_read(columns: Sequence[ColumnSpec], unit: PrivacyUnit) -> tuple[str, ...]:
    """The columns of the owner's that are read for these declarations."""
    own = [spec.name for spec in columns if spec.formula is None]
    return (*own, unit.private_id) if unit.private_id else tuple(own)


def places_of(number: int, columns: Sequence[ColumnSpec]) -> list[int]:
    """The columns that this one is computed from."""
    formula = columns[number].formula
    names = [spec.name for spec in columns]
    return [names.index(name) for name in formula.operands] if formula else []


def columns_of(request: ExactRequest, words: Collection[int] = ()) -> set[int]:
    """The declared columns whose codes a request looks at, or computes others from, by number.

    Those of `words` are grouped by as words.
    """
    found = {grouping.column for grouping in request.groupings}.difference(words)
    found.update(_filtered(request.filters))
    for measure in request.measures:
        found.update(factor.column for factor in measure.factors)
        found.update(() if measure.column is None else (measure.column,))
    if request.curve is not None:
        found.update(factor.column for factor, _ in request.curve.weights)
    found -= {each.column for each in request.of_two}
    found.update(column for each in request.of_two for column in (each.one, each.other))
    return {column for column in found if column >= 0}


def _filtered(filters: Iterable[RowFilter]) -> set[int]:
    found: set[int] = set()
    for item in filters:
        found |= _filtered(item.members) if isinstance(item, AllOf | AnyOf) else {item.column}
    return found


def check_bounds(unit: PrivacyUnit, request: ExactRequest) -> None:
    """No more of a unit than was declared, whatever is asked; by the plan alone.

    Raises EngineFailure.
    """
    bounds = request.bounds
    if (unit.private_id is None) != (bounds is None):
        raise EngineFailure
    if bounds is not None and bounds.max_rows > unit.max_rows_per_unit:
        raise EngineFailure


def tops_of(columns: Sequence[ColumnSpec]) -> dict[int, int]:
    """The largest code of each column, by its number."""
    return {number: spec.largest_code for number, spec in enumerate(columns)} | {
        ROWS_OF_UNIT: LARGEST_SIZE
    }


Word = Sequence[tuple[int, int]]
"""Columns whose codes are one word, by their numbers, and how many codes each has."""


def packed(columns: Sequence[ColumnSpec], made: Iterable[int]) -> list[Word]:
    """As few words of 63 bits as hold the codes of a row, of which null is one more.

    By the columns' names, so that another order of the declarations changes nothing.
    """
    words: list[list[tuple[int, int]]] = []
    size = _WORD
    for number in sorted(made, key=lambda number: columns[number].name):
        codes = columns[number].largest_code + 2
        if size * codes > _WORD:
            words, size = [*words, []], 1
        words[-1].append((number, codes))
        size *= codes
    return list(words)


def row_words(columns: Sequence[ColumnSpec], made: Iterable[int]) -> list[str]:
    """The codes of a row in words of 63 bits, as SQL: no two rows have the same ones."""
    return [_row_word(word) for word in packed(columns, made)]


def _row_word(word: Word) -> str:
    places = [f"coalesce(c{number}, -1) + 1" for number, _codes in word]
    found = f"(CAST({places[0]} AS bigint))"
    for (_number, codes), place in zip(word[1:], places[1:], strict=True):
        found = f"({found} * {codes} + {place})"
    return found


def answer_of(scan: Scan, rows: Sequence[tuple[int | None, ...]]) -> ExactAnswer:
    """The integers of a scan that returned these rows, of which a live table may have too many.

    Sums of codes end at LARGEST_SUM: a row moves one that ends there as a row of a smaller code
    does, which is a row that there could be. That is not so where squares or products are combined
    with others: of those none is cut, and what is made of them ends there (`mechanisms.draw`).
    """
    if scan.is_by_columns:
        counts = scan.counts(_columns(rows, scan))
        return counts if scan.request.counts_many else tuple(map(tuple, counts.tolist()))
    cells = scan.cells(rows)
    if not scan.request.only_counts:
        return cells
    return tuple(tuple(min(number, LARGEST_SUM) for number in cell) for cell in cells)


def _columns(rows: Sequence[tuple[int | None, ...]], scan: Scan) -> list[Column]:
    """By columns, nulls masked."""
    width = len(scan.keys) + len(scan.request.measures)
    columns = zip(*rows, strict=True) if rows else [()] * width
    return [
        np.ma.masked_array(
            np.array([0 if cell is None else index(cell) for cell in cells], np.int64),
            mask=[cell is None for cell in cells],
        )
        for cells in columns
    ]
