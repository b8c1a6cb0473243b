"""Asks an owner's server: one connection, one lock, one statement that reads rows.

Must never let out what the server says of a failure: it can quote rows, roles and hosts.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

import psycopg

from dpgov.engines.base import DataNotOpened, EngineFailure
from dpgov.engines.categories import with_codes, words_in
from dpgov.engines.dialect import POSTGRES, POSTGRES_UNITS
from dpgov.engines.keys import order_key
from dpgov.engines.live import (
    CellKind,
    Provenance,
    Relation,
    answer_of,
    check_bounds,
    tops_of,
)
from dpgov.engines.postgres.checking import (
    Known,
    check_zones,
    checked,
    known,
    provenance,
    relations,
    use_zones,
)
from dpgov.engines.postgres.coding import code_of
from dpgov.engines.postgres.conditions import Conditions
from dpgov.engines.postgres.rows import Source, counts_units, data_sql, has_key
from dpgov.engines.postgres.server import (
    OF_AN_ANSWER,
    Connection,
    Server,
    compile_none_but_short,
    opened,
)
from dpgov.engines.scan import compile_scan
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest

_CHECK_SECONDS = 30
# While a worker holds a question that nothing was read for yet.
_REACH_SECONDS = 5


def check_source(server: Server, source: Source, *, allowed: Collection[str]) -> Known:
    """What is known of a source that can be asked as declared, by metadata and our rights alone.

    Raises SourceRefused, or DataNotOpened where the server cannot be reached.
    """
    try:
        with opened(server, allowed, _CHECK_SECONDS) as connection:
            checked(connection, source)
            check_zones(connection, source)
            return known(connection, source)
    except psycopg.Error:
        # What the server says of it stays here.
        pass
    raise DataNotOpened


class PostgresEngine:
    """Asks one table. `allowed` lists servers as host:port, `seconds` bounds a statement.

    `key` is a secret of this source alone: what is made of it for the order of a unit's rows goes
    to the owner's server, which may log it.
    """

    def __init__(
        self, server: Server, source: Source, *, allowed: Collection[str], key: bytes, seconds: int
    ) -> None:
        self._server, self._source = server, source
        self._allowed, self._seconds = frozenset(allowed), seconds
        self.order_key = order_key(key)
        self._reached: Provenance | None = None

    def reach(self) -> Provenance:
        """Return if it could be asked now: its server lets us in, and its form is the declared one.

        It answers from then on as long as the table reads what it does now. No row is read. Raises
        DataNotOpened.
        """
        try:
            seconds = min(self._seconds, _REACH_SECONDS)
            with opened(self._server, self._allowed, seconds) as connection:
                self._looked_at(connection)
                self._reached = provenance(connection, self._source)
                return self._reached
        except Exception:  # noqa: BLE001 - whatever it was, it reads the same
            failed = DataNotOpened()
        raise failed

    def answer(self, request: ExactRequest) -> ExactAnswer:
        """The exact integers; raises DataNotOpened if no row was read, else EngineFailure."""
        try:
            check_bounds(self._source.unit, request)
            with opened(self._server, self._allowed, self._seconds, OF_AN_ANSWER) as connection:
                return self._answered(connection, request)
        except DataNotOpened:
            failed: EngineFailure = DataNotOpened()
        except Exception:  # noqa: BLE001 - whatever it was, it reads the same
            failed = EngineFailure()
        # Not within: so it has neither a cause nor a context.
        raise failed

    def _answered(self, connection: Connection, request: ExactRequest) -> ExactAnswer:
        kinds, before = self._looked_at(connection)
        columns = self._source.columns
        words = words_in(request, columns, kinds)
        conditions = Conditions(columns, kinds)
        of_cells = conditions.of_cells(request)
        of_codes = tuple(item for item in request.filters if item not in of_cells)
        rest = replace(request, filters=of_codes)
        dialect = POSTGRES_UNITS if counts_units(request) else POSTGRES
        scan = compile_scan(rest, tops_of(columns), dialect, words)
        select = with_codes(
            scan, lambda word, at: code_of(word, CellKind.TEXT, columns[at]), POSTGRES
        )
        data = data_sql(self._source, kinds, scan, list(map(conditions.sql, of_cells)))
        parameters = (self.order_key,) if has_key(request) else None
        statement = f"WITH data AS ({data}) {select}"
        compile_none_but_short(connection, statement)
        rows = connection.execute(statement, parameters).fetchall()
        self._check_still(connection, before)
        return answer_of(scan, rows)

    def _check_still(self, connection: Connection, before: tuple[Relation, ...]) -> None:
        """A schema takes another name whatever lock is on its tables, and the scan looked again.

        Rows were read, whose ever they are, so that it is a failure like any other. Raises
        EngineFailure, or SourceRefused where nothing has the name any more.
        """
        now = relations(connection, self._source)
        if [one.number for one in now] != [one.number for one in before]:
            raise EngineFailure

    def _looked_at(
        self, connection: Connection
    ) -> tuple[Mapping[str, CellKind], tuple[Relation, ...]]:
        """The kinds of its columns, and what it reads.

        Whatever is wrong until here, not a row was read.
        """
        try:
            kinds = checked(connection, self._source)
            use_zones(connection, self._source)
            found = relations(connection, self._source)
            same = self._reached is None or self._reached.relations == found
        except Exception:  # noqa: BLE001
            raise DataNotOpened from None
        if not same:
            raise DataNotOpened
        return kinds, found
