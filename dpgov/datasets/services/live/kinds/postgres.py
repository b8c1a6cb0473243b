"""A table in an owner's PostgreSQL."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from dpgov.datasets.models import LiveTable
from dpgov.datasets.services.live.kinds.base import (
    HOST,
    Problems,
    SourceDescription,
    SourceKind,
    SourceNames,
    TypedField,
    port,
    statement_seconds,
)
from dpgov.datasets.services.live.refusals import SHARED
from dpgov.engines.live import LiveEngine, Provenance
from dpgov.engines.postgres.checking import Problem
from dpgov.engines.postgres.engine import PostgresEngine, check_source
from dpgov.engines.postgres.rows import Source
from dpgov.engines.postgres.server import Server
from dpgov.language.said import Said, said
from dpgov.privacy.plan.schema import ColumnSpec, PrivacyUnit

_PROBLEMS: Problems = {
    **{problem: SHARED[problem.value] for problem in Problem if problem.value in SHARED},
    Problem.ENCODING: ("database", said("The database has to be in UTF-8.")),
    Problem.MISSING_TABLE: (
        "table",
        said("There is no such table, or the role cannot see it."),
    ),
    Problem.NOT_A_TABLE: ("table", said("This is neither a table nor a view.")),
    Problem.ROW_SECURITY: (
        "table",
        said("The table has row-level security: what a role sees would not be what there is."),
    ),
    Problem.FOREIGN_PARTS: ("table", said("Parts of this table lie in another server.")),
    Problem.COMPUTING_VIEW: (
        "table",
        said(
            "This view computes something that may fail by what a row holds. Make a "
            "materialised view of it, or a view that only takes columns and rows."
        ),
    ),
    Problem.ROLE_CAN_WRITE: (
        "role",
        said(
            "This role owns the table, can write to it, or can become a role that does. Use "
            "one that can only read."
        ),
    ),
    Problem.NOT_READABLE: ("role", said("This role may not read the table.")),
    Problem.UNKNOWN_SERVER: (
        "role",
        said(
            "This role may not ask which server it is on, so that the table would not be known "
            "again. Grant it EXECUTE on the function pg_catalog.pg_control_system()."
        ),
    ),
}


class Postgres(SourceKind):
    """Recognised by the numbers that the server has for itself and its tables, and by names."""

    name = "postgresql"
    title = said("A table in PostgreSQL")
    rows_are = said(
        "Live table in PostgreSQL: they stay in its owner’s server, and may be others tomorrow"
    )
    lead = said(
        "Step 1 of 2: say where the table is. Its rows stay there: questions are asked of your "
        "PostgreSQL, and only what they count leaves it."
    )
    notes: tuple[Said, ...] = (
        said(
            "Now the catalog of the server is asked for the names and types of the columns, and "
            "for what the role may do. No row is read."
        ),
    )
    fields = (
        HOST,
        port(5432),
        TypedField("database", said("Database")),
        TypedField("schema", said("Schema"), initial="public"),
        TypedField("table", said("Table or view")),
        TypedField(
            "role",
            said("Role"),
            said("It may read this table and write nothing. It must not own the table."),
            may_change=True,
        ),
    )
    secret = TypedField("password", said("Password"))
    named_by = "table"
    is_cluster = False
    not_allowed = said(
        "This server is not on the list of this installation. Ask the people who run it to allow "
        "this host and port."
    )
    not_reached = said(
        "The server did not let us in. Check host, port, database, role and password, that the "
        "server is PostgreSQL 14 or newer, and that it offers TLS with a certificate for this name."
    )
    problems = _PROBLEMS

    @property
    def is_offered(self) -> bool:
        return bool(settings.DPGOV_LIVE["servers"])

    @property
    def lacks(self) -> Said | None:
        return None

    def is_allowed(self, live: LiveTable) -> bool:
        return live.address in settings.DPGOV_LIVE["servers"]

    def written(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {**values, "host": values["host"].lower()}

    def check(
        self, live: LiveTable, secret: str, columns: tuple[ColumnSpec, ...], unit: PrivacyUnit
    ) -> SourceDescription:
        source = Source(live.schema, live.table, columns, unit)
        allowed = settings.DPGOV_LIVE["servers"]
        known = check_source(_server(live, secret), source, allowed=allowed)
        return SourceDescription(known.columns, self.names(live, known.provenance))

    def engine(
        self,
        live: LiveTable,
        secret: str,
        columns: tuple[ColumnSpec, ...],
        unit: PrivacyUnit,
        key: bytes,
    ) -> LiveEngine:
        return PostgresEngine(
            _server(live, secret),
            Source(live.schema, live.table, columns, unit),
            allowed=settings.DPGOV_LIVE["servers"],
            key=key,
            seconds=statement_seconds(),
        )

    def names(self, live: LiveTable, provenance: Provenance) -> SourceNames:
        itself, *read = provenance.relations
        claim = f"{provenance.system}/{itself.number}"
        # By name too: a table that is made anew has another number.
        servers = (provenance.system, live.address)
        kept = {f"{one}/{live.database}/{other.name}": False for one in servers for other in read}
        kept |= {f"{provenance.system}/{other.number}": False for other in read}
        kept |= {f"{one}/{live.database}/{itself.name}": True for one in servers}
        return SourceNames(claim, kept | {claim: True}, frozenset({claim, *kept}))

    def sought(self, live: LiveTable) -> frozenset[str] | None:
        return None


def _server(live: LiveTable, password: str) -> Server:
    return Server(
        live.host,
        live.port,
        live.database,
        live.role,
        password,
        settings.DPGOV_LIVE["tls"],
        settings.DPGOV_LIVE["ca_file"],
    )
