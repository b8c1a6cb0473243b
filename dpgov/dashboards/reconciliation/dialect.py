"""The few expressions that PostgreSQL and SQLite write differently.

Ids are compared as 32 hexadecimal digits on both; amounts as whole nano-ε.
"""

import hashlib
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol
from uuid import UUID

from django.db import connection

from dpgov.privacy.budget import NANO


class Dialect(Protocol):
    """How to say it in one database."""

    begin: str
    analyze: str

    def prepare(self) -> None:
        """Whatever the connection needs first."""

    def key(self, identity: UUID) -> str:
        """An id as a parameter."""

    def text(self, column: str) -> str:
        """A column of ids as text, with or without dashes."""

    def hexed(self, column: str) -> str:
        """A column of ids as hexadecimal digits."""

    def undashed(self, text: str) -> str:
        """An id that is a text, as hexadecimal digits."""

    def get(self, column: str, *path: str) -> str:
        """A text inside a column of JSON."""

    def each(self, column: str, *path: str) -> str:
        """To be joined: the elements of a list inside a column of JSON, named `item`."""

    def item(self, name: str) -> str:
        """A text inside `item`."""

    def nano(self, text: str) -> str:
        """Decimal text of ε as whole nano-ε; NULL for anything else."""

    def sha256(self, column: str) -> str:
        """The hexadecimal SHA-256 of a text."""


class OnPostgreSQL:
    """One snapshot for all statements, and jsonb."""

    begin = "BEGIN ISOLATION LEVEL REPEATABLE READ"
    analyze = "ANALYZE {table}"

    def prepare(self) -> None:
        """Nothing."""

    def key(self, identity: UUID) -> str:
        """As uuid reads it."""
        return str(identity)

    def text(self, column: str) -> str:
        """As written out."""
        return f"CAST({column} AS text)"

    def hexed(self, column: str) -> str:
        """Without the dashes."""
        return self.undashed(self.text(column))

    def undashed(self, text: str) -> str:
        """Without the dashes."""
        return f"replace({text}, '-', '')"

    def get(self, column: str, *path: str) -> str:
        """By path."""
        return f"(CAST({column} AS jsonb) #>> '{{{','.join(path)}}}')"

    def each(self, column: str, *path: str) -> str:
        """What is no list has no elements."""
        found = f"CAST({column} AS jsonb) #> '{{{','.join(path)}}}'"
        checked = f"CASE jsonb_typeof({found}) WHEN 'array' THEN {found} END"
        return f"CROSS JOIN LATERAL jsonb_array_elements({checked}) AS item(value)"

    def item(self, name: str) -> str:
        """By name."""
        return f"(item.value ->> '{name}')"

    def nano(self, text: str) -> str:
        """Exact, by numeric."""
        amount = f"CAST(CAST({text} AS numeric) * {NANO} AS bigint)"
        return f"CASE WHEN {text} ~ '^-?[0-9]{{1,9}}([.][0-9]{{1,9}})?$' THEN {amount} END"

    def sha256(self, column: str) -> str:
        """By the database itself."""
        return f"encode(sha256(convert_to({column}, 'UTF8')), 'hex')"


class OnSQLite:
    """Two functions of our own, because SQLite has neither decimals nor hashes."""

    begin = "BEGIN DEFERRED"
    analyze = ""

    def prepare(self) -> None:
        """Give the connection the functions."""
        connection.ensure_connection()
        connection.connection.create_function("dpgov_nano", 1, _nano, deterministic=True)
        connection.connection.create_function("dpgov_sha256", 1, _sha256, deterministic=True)

    def key(self, identity: UUID) -> str:
        """As Django stores it."""
        return identity.hex

    def text(self, column: str) -> str:
        """Stored so already."""
        return column

    def hexed(self, column: str) -> str:
        """Stored so already."""
        return column

    def undashed(self, text: str) -> str:
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

    def sha256(self, column: str) -> str:
        """By Python."""
        return f"dpgov_sha256({column})"


def dialect() -> Dialect:
    """That of the database in use."""
    return OnPostgreSQL() if connection.vendor == "postgresql" else OnSQLite()


def _nano(text: Any) -> int | None:
    try:
        return int(Decimal(str(text)) * NANO) if text is not None else None
    except InvalidOperation:
        return None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
