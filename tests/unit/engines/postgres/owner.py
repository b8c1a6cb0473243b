"""The server of an invented owner: tables are written there, and read with a role of its own."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from dpgov.engines.postgres.engine import PostgresEngine
from dpgov.engines.postgres.rows import Source
from dpgov.engines.postgres.server import Server
from dpgov.privacy.plan.schema import ColumnSpec, PrivacyUnit
from tests.servers.postgres import throw_away_postgres

KEY = bytes(range(32))
READER = "reader"


@dataclass(frozen=True)
class Owner:
    """What its administrator does; `server` is what it gives away, `log` what it writes down."""

    admin: psycopg.Connection[Any]
    server: Server
    log: Path

    def has(self, table: str, columns: dict[str, str], rows: Sequence[Sequence[Any]] = ()) -> None:
        """Make the table anew, with columns of these types, to be read by the reader."""
        names = sql.SQL(", ").join(
            sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kind))
            for name, kind in columns.items()
        )
        named = sql.Identifier("public", table)
        self.does(sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(named))
        self.does(sql.SQL("CREATE TABLE {} ({})").format(named, names))
        self.does(sql.SQL("GRANT SELECT ON {} TO {}").format(named, sql.Identifier(READER)))
        marks = sql.SQL(", ".join(f"${place}" for place in range(1, len(columns) + 1)))
        if rows:
            insert = sql.SQL("INSERT INTO {} VALUES ({})").format(named, marks)
            self.admin.cursor().executemany(insert, rows)

    def does(self, statement: str | sql.Composed) -> None:
        """One statement of the administrator."""
        self.admin.execute(statement)

    def source(
        self, table: str, columns: Sequence[ColumnSpec], unit: PrivacyUnit | None = None
    ) -> Source:
        return Source("public", table, tuple(columns), unit or PrivacyUnit())

    def engine(
        self,
        table: str,
        columns: Sequence[ColumnSpec],
        unit: PrivacyUnit | None = None,
        *,
        seconds: int = 30,
        **changed: Any,
    ) -> PostgresEngine:
        """An engine over a table of this server."""
        server = replace(self.server, **changed)
        return PostgresEngine(
            server,
            self.source(table, columns, unit),
            allowed=[self.server.address],
            key=KEY,
            seconds=seconds,
        )


@contextmanager
def an_owner() -> Iterator[Owner]:
    """A throw-away server of an owner, whatever the profile."""
    with tempfile.TemporaryDirectory(dir=os.environ["DPGOV_TESTS_ROOT"]) as folder:
        root = Path(folder)
        root.chmod(0o711)
        with throw_away_postgres(root) as url:
            found = owner_of(url, root / "postgres.log")
            with found.admin:
                yield found


def owner_of(url: str, log: Path) -> Owner:
    """Of a throw-away server, by its address."""
    parts = urlsplit(url)
    password, port = str(parts.password), int(parts.port or 0)
    server = Server("127.0.0.1", port, "dpgov", READER, password, "disable")
    admin: psycopg.Connection[Any] = psycopg.connect(
        host=server.host,
        port=port,
        dbname="dpgov",
        user="admin",
        password=password,
        autocommit=True,
        cursor_factory=psycopg.RawCursor,
        prepare_threshold=None,
    )
    role = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
    admin.execute(role.format(sql.Identifier(READER), password))
    return Owner(admin, server, log)
