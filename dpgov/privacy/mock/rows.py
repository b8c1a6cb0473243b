"""An invented table that fits a dataset's declarations, always the same for the same declarations.

Made from the schema alone, by hashing: nobody's row is in it, and it says nothing of any data. It
must never be taken for the data: its shapes (a hill for numbers, a falling row for categories) are
made up.
"""

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy.plan.computed.computing import computed_codes
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, DatasetSchema

Codes = NDArray[np.int64]

USUAL_ROWS = 1_000
MOST_ROWS = 50_000
MISSING = -1
_ONE_MISSING_IN = 25
_MOST_ROWS_OF_ONE = 5
_DRAWS = 4
_KEY_BITS = 2**62


@dataclass(frozen=True, slots=True)
class MockUnits:
    """Whose row each row is: the unit's number, the row's place there, all its rows, its key."""

    number: Codes
    rank: Codes
    size: Codes
    key: Codes


@dataclass(frozen=True, slots=True)
class MockTable:
    """The first `rows` invented rows of a schema; a longer table begins with the shorter one."""

    schema: DatasetSchema
    rows: int
    _made: dict[int, Codes] = field(default_factory=dict, compare=False, repr=False)

    def column(self, index: int) -> Codes:
        """The codes of one column; MISSING where there is none."""
        if index not in self._made:
            spec = self.schema.columns[index]
            made = _codes(spec, self.rows) if spec.formula is None else self._computed(spec)
            self._made[index] = made
        return self._made[index]

    def _computed(self, spec: ColumnSpec) -> Codes:
        """As of real rows, so that the invented ones do not contradict themselves."""
        names = spec.formula.operands if spec.formula else ()
        places = [place for name in names if (place := self.schema.index_of(name)) is not None]
        operands = [self.schema.columns[place] for place in places]
        found = computed_codes(spec, operands, [self.column(place) for place in places])
        if spec.may_be_missing:
            return found
        return np.where(found == MISSING, spec.impute_code or 0, found)

    def units(self) -> MockUnits:
        """Whose rows they are; each row is a unit of its own where no column names it."""
        return _units(self.schema, self.rows)


def mock_rows(schema: DatasetSchema, guess: int | None = None) -> int:
    """How many rows to invent: the reader's guess, else the public number, within what is quick."""
    wanted = guess or schema.public_rows or USUAL_ROWS
    return max(1, min(wanted, schema.max_rows, MOST_ROWS))


def mock_table(schema: DatasetSchema, rows: int) -> MockTable:
    """A table of 1 to MOST_ROWS rows. Raises ValueError for any other number."""
    if not 1 <= rows <= MOST_ROWS:
        raise ValueError(f"A table of invented rows has 1 to {MOST_ROWS} of them.")
    return MockTable(schema, rows)


def _codes(spec: ColumnSpec, rows: int) -> Codes:
    """Within the domain; a category that was not declared never comes."""
    drawn = stream(f"{spec.name} {spec.domain!r}", rows)
    if isinstance(spec.domain, CategoryDomain):
        places = drawn % np.uint64(len(spec.domain.categories))
        # The smallest of three: the last of sixteen categories has a row in four thousand, as rare
        # groups of real tables have.
        codes = places[:, :3].min(axis=1)
    else:
        codes = (drawn % np.uint64(spec.domain.top + 1))[:, :3].sum(axis=1) // np.uint64(3)
    found: Codes = codes.astype(np.int64)
    if spec.may_be_missing:
        found[drawn[:, 3] % np.uint64(_ONE_MISSING_IN) == 0] = MISSING
    return found


def _units(schema: DatasetSchema, rows: int) -> MockUnits:
    alone = schema.unit.private_id is None
    most = 1 if alone else min(schema.unit.max_rows_per_unit, _MOST_ROWS_OF_ONE)
    drawn = stream(f"unit {schema.unit.private_id}", rows)
    sizes = 1 + (drawn[:, 0] % np.uint64(most)).astype(np.int64)
    number = np.repeat(np.arange(rows), sizes)[:rows]
    begins = np.cumsum(sizes) - sizes
    return MockUnits(
        number=number,
        rank=np.arange(rows) - begins[number],
        size=np.bincount(number, minlength=rows)[number],
        key=(drawn[:, 1] % np.uint64(_KEY_BITS)).astype(np.int64)[number],
    )


def stream(name: str, rows: int) -> NDArray[np.uint64]:
    """Four numbers a row, always the same for a name; more rows only add to the end."""
    digest = hashlib.shake_256(f"dpgov mock data 1: {name}".encode())
    bits = digest.digest(8 * _DRAWS * rows)
    return np.frombuffer(bits, dtype="<u8").astype(np.uint64).reshape(rows, _DRAWS)
