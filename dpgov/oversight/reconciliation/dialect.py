"""The few expressions that PostgreSQL and SQLite write differently."""

import hashlib
import re
from decimal import Decimal
from typing import Any, Protocol
from uuid import UUID

from django.db import connection
from django.db.backends.utils import CursorWrapper

from dpgov.privacy.accounting.decimals import NANO

# Canonical JSON, so only these members stand before it; a ρ stands behind the lines.
_STATED = '^[{](?:"approval":"[^"]*",)?(?:"by_owner":true,)?"epsilon":"([0-9.]+)"'


class ReconciliationSql(Protocol):
    """How to say it in one database."""

    begin: str
    detail: str

    def prepare(self, cursor: CursorWrapper) -> None:
        """Whatever the transaction needs first."""

    def finish(self, cursor: CursorWrapper, table: str, key: str) -> None:
        """Whatever a table that was just filled needs to be joined quickly."""

    def key(self, identity: UUID) -> str:
        """An id as a parameter."""

    def identity(self, text: str) -> str:
        """An id that is written out, as the columns of ids have it."""

    def get(self, column: str, *path: str) -> str:
        """A text inside a detail."""

    def each(self, column: str, *path: str) -> str:
        """To be joined: the elements of a list inside a detail, named `item`."""

    def item(self, name: str) -> str:
        """A text inside `item`."""

    def nano(self, text: str) -> str:
        """Decimal text of an amount as whole billionths."""

    def stated(self, text: str) -> str:
        """The ε that the beginning of a question's detail states, as whole billionths, or NULL."""

    def sha256(self, column: str) -> str:
        """The hexadecimal SHA-256 of a text."""


class OnPostgreSQL:
    """One snapshot for all statements; each detail is parsed once."""

    begin = "BEGIN ISOLATION LEVEL REPEATABLE READ"
    detail = "CAST(detail AS jsonb) AS detail"

    def prepare(self, cursor: CursorWrapper) -> None:
        """Room for joining a million rows in memory, and no compiler for statements run once."""
        cursor.execute("SET LOCAL work_mem = '256MB'")
        cursor.execute("SET LOCAL jit = off")

    def finish(self, cursor: CursorWrapper, table: str, key: str) -> None:
        """Tell the planner how large it is."""
        cursor.execute(f"ANALYZE {table}")

    def key(self, identity: UUID) -> str:
        """As uuid reads it."""
        return str(identity)

    def identity(self, text: str) -> str:
        """As uuid."""
        return f"CAST({text} AS uuid)"

    def get(self, column: str, *path: str) -> str:
        """By path."""
        return f"({column} #>> '{{{','.join(path)}}}')"

    def each(self, column: str, *path: str) -> str:
        """What is no list has no elements."""
        found = f"{column} #> '{{{','.join(path)}}}'"
        checked = f"CASE jsonb_typeof({found}) WHEN 'array' THEN {found} END"
        return f"CROSS JOIN LATERAL jsonb_array_elements({checked}) AS item(value)"

    def item(self, name: str) -> str:
        """By name."""
        return f"(item.value ->> '{name}')"

    def nano(self, text: str) -> str:
        """Exact, by numeric."""
        return f"CAST(CAST({text} AS numeric) * {NANO} AS bigint)"

    def stated(self, text: str) -> str:
        """What the pattern finds."""
        return self.nano(f"substring({text} FROM '{_STATED}')")

    def sha256(self, column: str) -> str:
        """By the database itself."""
        return f"encode(sha256(convert_to({column}, 'UTF8')), 'hex')"


class OnSQLite:
    """Functions of our own, because SQLite has neither decimals nor hashes nor patterns."""

    begin = "BEGIN DEFERRED"
    detail = "detail"

    def prepare(self, cursor: CursorWrapper) -> None:
        """Give the connection the functions."""
        connection.connection.create_function("dpgov_nano", 1, _nano, deterministic=True)
        connection.connection.create_function("dpgov_sha256", 1, _sha256, deterministic=True)
        connection.connection.create_function("dpgov_stated", 1, _stated, deterministic=True)

    def finish(self, cursor: CursorWrapper, table: str, key: str) -> None:
        """It joins by index only."""
        cursor.execute(f"CREATE INDEX {table}_key ON {table} ({key})")

    def key(self, identity: UUID) -> str:
        """As Django stores it."""
        return identity.hex

    def identity(self, text: str) -> str:
        """Without the dashes."""
        return f"replace({text}, '-', '')"

    def get(self, column: str, *path: str) -> str:
        """By path."""
        return f"json_extract({column}, '$.{'.'.join(path)}')"

    def each(self, column: str, *path: str) -> str:
        """The elements of the list."""
        return f"JOIN json_each({column}, '$.{'.'.join(path)}') AS item"

    def item(self, name: str) -> str:
        """By name."""
        return f"json_extract(item.value, '$.{name}')"

    def nano(self, text: str) -> str:
        """Exact, by Python."""
        return f"dpgov_nano({text})"

    def stated(self, text: str) -> str:
        """By Python."""
        return f"dpgov_stated({text})"

    def sha256(self, column: str) -> str:
        """By Python."""
        return f"dpgov_sha256({column})"


def amount_of(say: ReconciliationSql, *path: str) -> str:
    """The amount in an entry's detail, whichever currency it was written down in.

    The path is that of an ε; under zCDP the same place is called rho.
    """
    *above, name = path
    in_epsilon = say.get("e.detail", *path)
    in_rho = say.get("e.detail", *above, name.replace("epsilon", "rho"))
    return say.nano(f"COALESCE({in_epsilon}, {in_rho})")


def amount_of_item(say: ReconciliationSql, name: str) -> str:
    """The same in `item`."""
    in_epsilon, in_rho = say.item(name), say.item(name.replace("epsilon", "rho"))
    return say.nano(f"COALESCE({in_epsilon}, {in_rho})")


def dialect() -> ReconciliationSql:
    """That of the database in use."""
    return OnPostgreSQL() if connection.vendor == "postgresql" else OnSQLite()


def _nano(text: Any) -> int | None:
    return int(Decimal(str(text)) * NANO) if text is not None else None


def _stated(text: str | None) -> int | None:
    found = re.match(_STATED, text) if text is not None else None
    return _nano(found[1]) if found else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
