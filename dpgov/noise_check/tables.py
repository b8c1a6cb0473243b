"""Pairs of small made-up tables that differ by one row or one person, and their files."""

import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings

from dpgov.engines.child import Limits, derive, ingest
from dpgov.engines.deriving import Parent
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.request import UnitNames
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.release import Engine
from dpgov.privacy.plan.schema import DatasetSchema

HEADER = "person,value,level,colour,size"
TOP, TOP_LEVEL = 100, 15


@dataclass(frozen=True, slots=True)
class InventedRow:
    """One line of a table."""

    person: str
    value: int = 0
    level: int = 0
    colour: str = "red"
    size: str = "small"

    def line(self) -> str:
        """As CSV."""
        return f"{self.person},{self.value},{self.level},{self.colour},{self.size}"


Table = tuple[InventedRow, ...]
Pair = tuple[Table, Table]

ROWS = tuple(InventedRow(f"p{at}", value=10 * at, level=at) for at in range(6))
_MORE = InventedRow("new", TOP, TOP_LEVEL, "blue", "large")
# More than a person may have: those over the limit must not count.
_ROWS_OF_NEW_PERSON = 5


def csv(table: Table) -> str:
    """The table as a file."""
    return "\n".join([HEADER, *(row.line() for row in table), ""])


def one_more_row(mode: Mode, beyond: int) -> Pair:
    """A row at the upper bounds, in the last category of each column of them."""
    return ROWS, (*ROWS, _MORE)


def one_more_like_them(mode: Mode, beyond: int) -> Pair:
    """A row in the cell that all others are in: what is chosen by the rows moves the most."""
    return ROWS, (*ROWS, replace(ROWS[0], person=_MORE.person))


def one_more_person(mode: Mode, beyond: int) -> Pair:
    """A person with more rows than allowed, all at the upper bound."""
    return ROWS, ROWS + (_MORE,) * _ROWS_OF_NEW_PERSON


def one_row_raised(mode: Mode, beyond: int) -> Pair:
    """A row at the lower bound becomes one at the upper."""
    return ROWS, (replace(ROWS[0], value=TOP), *ROWS[1:])


def one_row_recoloured(mode: Mode, beyond: int) -> Pair:
    """A row goes from one bin to the other."""
    return ROWS, (replace(ROWS[0], colour="blue"), *ROWS[1:])


# A row at one end moves every score: candidates on the one side of what is looked for gain by it,
# those on the other lose as much. Under pure ε the worst event is that one of a few that gain wins
# where a hundred lose: as rare as can still be counted. The divergence that counts under zCDP is
# largest where about a fifth of the candidates win.


def _few(mode: Mode, pure: int, zcdp: int) -> int:
    return pure if mode is Mode.PURE else zcdp


def around_the_median(mode: Mode, beyond: int) -> Pair:
    """As many rows at each bound, one near the top; then one more at the top."""
    ends = _few(mode, 1, 3)
    before = _values([0] * ends + [TOP - _few(mode, 1, 20)] + [TOP] * ends)
    return before, (*before, _MORE)


def around_nine_tenths(mode: Mode, beyond: int) -> Pair:
    """Nine rows, of which the last holds the rank 8.1; with one more at the top, just so."""
    before = _values([0] * 8 + [TOP - _few(mode, 3, 30)])
    return before, (*before, _MORE)


def around_the_median_level(mode: Mode, beyond: int) -> Pair:
    """As for the median, of the column with few values; for the upper quartile as well."""
    levels = [1, 1, 5, 8, 15] if mode is Mode.PURE else [0] * 3 + [14] + [15] * 3
    before = tuple(InventedRow(f"p{at}", 0, level) for at, level in enumerate(levels))
    return before, (*before, _MORE)


def around_the_least(mode: Mode, beyond: int) -> Pair:
    """One row too few below the first value that has any; then one more."""
    return _extreme(mode, beyond, lambda value: value)


def around_the_largest(mode: Mode, beyond: int) -> Pair:
    """The same from above."""
    return _extreme(mode, beyond, lambda value: TOP - value)


def _extreme(mode: Mode, beyond: int, place: Callable[[int], int]) -> Pair:
    end, holder = place(0), place(_few(mode, 3, 20))
    before = _values([end] * (beyond - 1) + [holder] * _few(mode, 1, 2))
    return before, (*before, InventedRow("new", end))


def _values(values: list[int]) -> Table:
    return tuple(InventedRow(f"p{at}", value) for at, value in enumerate(values))


class TableFiles:
    """Tables in a folder, each stored once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = secrets.token_bytes(32)
        self._paths: dict[tuple[str | None, Table, str], Path] = {}
        self._engines: dict[Path, DuckDBEngine] = {}

    def engine(self, schema: DatasetSchema, table: Table, kept: int | None = None) -> Engine:
        """What answers about this table; about two files of it put together, where `kept` says how
        many rows of a person are. Raises EngineFailure, RefusedFile.
        """
        path = self._stored(schema, table) if kept is None else self._joined(schema, table, kept)
        if path not in self._engines:
            self._engines[path] = DuckDBEngine(
                path,
                seconds=settings.DPGOV_QUERY_SECONDS,
                memory_bytes=settings.DPGOV_QUERY_MEMORY_BYTES,
            )
        return self._engines[path].answer

    def _stored(self, schema: DatasetSchema, table: Table, copy: str = "") -> Path:
        unit = schema.unit.private_id
        key = unit, table, copy
        if key not in self._paths:
            target = self._path()
            source = target.with_suffix(".csv")
            source.write_text(csv(table))
            ingest(
                source,
                target,
                columns=schema.declared.columns,
                max_rows=schema.max_rows,
                limits=_limits(),
                key=self._key,
                unit=None if unit is None else UnitNames(unit),
            )
            self._paths[key] = target
        return self._paths[key]

    def _joined(self, schema: DatasetSchema, table: Table, kept: int) -> Path:
        """The first half of the columns from one file, the others from another one."""
        key = schema.unit.private_id, table, f"{kept} pairs"
        if key not in self._paths:
            columns = range(len(schema.columns))
            half = len(columns) // 2
            halves = {"first": tuple(columns[:half]), "second": tuple(columns[half:])}
            first, second = (
                Parent(str(self._stored(schema, table, copy)), kept, columns)
                for copy, columns in halves.items()
            )
            target = self._path()
            derive(
                first,
                second,
                target,
                columns=schema.columns,
                rows_of_unit=kept,
                max_rows=schema.max_rows,
                # Of the two files, and of what is made of them.
                rows_at_most=3 * schema.max_rows,
                limits=_limits(),
            )
            self._paths[key] = target
        return self._paths[key]

    def _path(self) -> Path:
        return self._folder / f"{secrets.token_hex(8)}.duckdb"


def _limits() -> Limits:
    return Limits(settings.DPGOV_INGEST_MEMORY_BYTES, settings.DPGOV_INGEST_SECONDS)


@contextmanager
def table_files() -> Iterator[TableFiles]:
    """A folder for one run, removed at its end."""
    with tempfile.TemporaryDirectory(prefix="dpgov-noise-check-") as folder:
        yield TableFiles(Path(folder))
