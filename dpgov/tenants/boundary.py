"""Whose rows this connection sees: the tenant and the person that the database is told about.

Every door enters before its first statement about a tenant, and leaves in the end, whatever
happened. Outside of any door nothing is seen, because the database was told nobody. On SQLite
nothing stands behind this, and entering does nothing.

Must never leave a tenant on a connection that somebody else uses next: when a setting cannot be
taken back, the connection is closed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import DatabaseError, connection
from psycopg.pq import TransactionStatus

EVERYBODY = "all"


@dataclass(frozen=True, slots=True)
class Scope:
    """What the database is told: a tenant id (or EVERYBODY, for the owner role), and a user id."""

    tenant: str = ""
    user: str = ""

    def settings(self) -> dict[str, str]:
        """The session settings that the policies read."""
        return {"dpgov.tenant": self.tenant, "dpgov.user": self.user}


_current: ContextVar[Scope | None] = ContextVar("dpgov_scope", default=None)


@contextmanager
def acting_for(tenant_id: UUID | None, *, user_id: UUID | None = None) -> Iterator[None]:
    """See and change one tenant's rows only; with None, no tenant's at all.

    With `user_id`, that person's memberships are seen as well. Blocks may be nested: the inner
    one counts, and the outer one counts again afterwards.
    """
    with _within(Scope(_text(tenant_id), _text(user_id))):
        yield


@contextmanager
def acting_as(user_id: UUID | None) -> Iterator[None]:
    """See one person's memberships, before it is known for which tenant they act."""
    with _within(Scope(user=_text(user_id))):
        yield


@contextmanager
def acting_for_everybody() -> Iterator[None]:
    """See every tenant: for migrations. The database grants it to the owner of the tables only."""
    with _within(Scope(tenant=EVERYBODY)):
        yield


def change_to(tenant_id: UUID | None, *, user_id: UUID | None = None) -> None:
    """Act for another tenant until the end of the block that is already entered.

    For a request whose person is found only while it is handled. Raises RuntimeError outside.
    """
    if _current.get() is None:
        raise RuntimeError("enter acting_for() first: somebody has to take the tenant back")
    scope = Scope(_text(tenant_id), _text(user_id))
    _current.set(scope)
    if connection.vendor == "postgresql":
        _tell(scope)


def current_scope() -> Scope | None:
    """What was entered last, or None outside of every block."""
    return _current.get()


@contextmanager
def resumed(scope: Scope | None) -> Iterator[None]:
    """Enter what another block had entered; for work that goes on after its end."""
    with _within(scope or Scope()):
        yield


def _text(identity: UUID | None) -> str:
    return "" if identity is None else str(UUID(str(identity)))


@contextmanager
def _within(scope: Scope) -> Iterator[None]:
    before = _current.set(scope)
    try:
        if connection.vendor == "postgresql":
            with _told(scope, before.old_value):
                yield
        else:
            yield
    finally:
        _current.reset(before)


@contextmanager
def _told(scope: Scope, before: Any) -> Iterator[None]:
    outer = before if isinstance(before, Scope) else None
    told = _tell(scope)
    inside = connection.in_atomic_block

    def keep(execute: Any, *arguments: Any) -> Any:
        """A connection that was lost and opened again has been told nothing yet."""
        nonlocal told
        if connection.connection is not told:
            told = _tell(_current.get() or Scope())
        return execute(*arguments)

    try:
        with connection.execute_wrapper(keep):
            yield
    finally:
        _take_back(outer, began_inside=inside)


def _tell(scope: Scope) -> Any:
    """Set the settings on the open connection; returns it.

    One that was kept from an earlier request is tried first, as Django tries those that it hands
    out itself: after the database was away it is replaced.
    """
    if not connection.in_atomic_block:
        connection.close_if_health_check_failed()
    connection.ensure_connection()
    values = scope.settings()
    calls = ", ".join("set_config(%s, %s, false)" for _ in values)
    with connection.wrap_database_errors, connection.connection.cursor() as cursor:
        cursor.execute(f"SELECT {calls}", [text for pair in values.items() for text in pair])
    return connection.connection


def _take_back(outer: Scope | None, *, began_inside: bool) -> None:
    """Tell what was told before this block: the outer scope, or the session's own default."""
    if connection.connection is None:
        return
    if began_inside and connection.connection.info.transaction_status == TransactionStatus.INERROR:
        # The transaction began before the block: its rollback takes the settings back.
        return
    try:
        if outer is not None:
            _tell(outer)
        else:
            _forget()
    except DatabaseError:
        connection.close()


def _forget() -> None:
    quoted = ('"' + name.replace(".", '"."') + '"' for name in Scope().settings())
    statements = "; ".join(f"RESET {name}" for name in quoted)
    with connection.wrap_database_errors, connection.connection.cursor() as cursor:
        cursor.execute(statements)
