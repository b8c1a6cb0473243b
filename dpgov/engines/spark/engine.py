"""Asks an owner's cluster: one session, one look at the files, one statement that reads rows.

Must never let out what the server says of a failure: it can quote rows, paths and hosts.
"""

from collections.abc import Mapping

from dpgov.engines.base import DataNotOpened, EngineFailure
from dpgov.engines.categories import with_codes, words_in
from dpgov.engines.dialect import SPARK
from dpgov.engines.keys import order_key
from dpgov.engines.live import CellKind, Provenance, answer_of, check_bounds, tops_of
from dpgov.engines.scan import compile_scan
from dpgov.engines.spark.checking import check_no_table_format, check_zones, checked, known
from dpgov.engines.spark.coding import code_of
from dpgov.engines.spark.rows import Source, data_sql, has_key
from dpgov.engines.spark.server import Allowed, Server, Session, opened
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest

_CHECK_SECONDS = 60
# While a worker holds a question that nothing was read for yet; a look at many footers is a job.
_REACH_SECONDS = 15


def check_source(server: Server, source: Source, *, allowed: Allowed) -> dict[str, CellKind | None]:
    """All columns of a source that can be asked as declared, by its metadata alone; see `known`.

    Raises SourceRefused, or DataNotOpened where the server cannot be reached.
    """
    with opened(server, allowed, source.path, _CHECK_SECONDS) as session:
        check_no_table_format(session, source, allowed[server.address])
        checked(session, source)
        check_zones(session, source)
        return known(session, source)


class SparkEngine:
    """Asks about the files of one path. `seconds` bounds a statement.

    `key` is a secret of this source alone: what is made of it for the order of a unit's rows goes
    to the owner's cluster, which may show it to whoever operates that.
    """

    def __init__(
        self, server: Server, source: Source, *, allowed: Allowed, key: bytes, seconds: int
    ) -> None:
        self._server, self._source = server, source
        self._allowed, self._seconds = allowed, seconds
        self.order_key = order_key(key)

    def reach(self) -> Provenance:
        """Return if it could be asked now: its server lets us in, and its form is as declared.

        Files that became those of a table format hold rows that went since. Its path says where
        its rows come from. No row is read. Raises DataNotOpened.
        """
        try:
            seconds = min(self._seconds, _REACH_SECONDS)
            with opened(self._server, self._allowed, self._source.path, seconds) as session:
                roots = self._allowed[self._server.address]
                check_no_table_format(session, self._source, roots)
                self._kinds(session)
                return Provenance()
        except Exception:  # noqa: BLE001 - whatever it was, it reads the same
            failed = DataNotOpened()
        raise failed

    def answer(self, request: ExactRequest) -> ExactAnswer:
        """The exact integers; raises DataNotOpened if no row was read, else EngineFailure."""
        try:
            check_bounds(self._source.unit, request)
            with opened(self._server, self._allowed, self._source.path, self._seconds) as session:
                return self._answered(session, request)
        except DataNotOpened:
            failed: EngineFailure = DataNotOpened()
        except Exception:  # noqa: BLE001 - whatever it was, it reads the same
            failed = EngineFailure()
        # Not within: so it has neither a cause nor a context.
        raise failed

    def _answered(self, session: Session, request: ExactRequest) -> ExactAnswer:
        kinds = self._kinds(session)
        columns = self._source.columns
        words = words_in(request, columns, kinds)
        scan = compile_scan(request, tops_of(columns), SPARK, words)
        select = with_codes(scan, lambda word, at: code_of(word, CellKind.TEXT, columns[at]), SPARK)
        data = data_sql(self._source, kinds, scan)
        key = {"key": self.order_key} if has_key(request) else {}
        return answer_of(scan, session.rows(f"WITH data AS ({data}) {select}", **key))

    def _kinds(self, session: Session) -> Mapping[str, CellKind]:
        """Whatever is wrong until here, not a row was read."""
        try:
            return checked(session, self._source)
        except Exception:  # noqa: BLE001
            raise DataNotOpened from None
