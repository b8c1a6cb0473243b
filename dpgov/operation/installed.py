"""What stands in the database beside its tables: functions, triggers and gates.

A room lists its own in its `installed` module, and its app registers them. They are texts of ours
that may be put up any number of times, so that a changed text reaches an old installation at its
next `migrate`; a migration makes tables and nothing else.

What stands already, word for word, is not touched: a running installation is not held up. On SQLite
every trigger goes before the first missing migration and comes back after the last, or after one
that failed, for a trigger does not survive that its table is made anew.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db import connection, transaction

_STANDING = """
    SELECT p.proname, obj_description(p.oid, 'pg_proc'),
        (SELECT count(*) FROM pg_trigger t WHERE t.tgfoid = p.oid AND t.tgenabled <> 'D')
    FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace
      AND obj_description(p.oid, 'pg_proc') LIKE 'installed:%'
"""
_DROP = """
DO $$
DECLARE
    v_found regprocedure;
BEGIN
    FOR v_found IN SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname = '{name}'
    LOOP
        EXECUTE format('DROP FUNCTION %s CASCADE', v_found);
    END LOOP;
END $$
"""
_NOTE = """
DO $$
BEGIN
    EXECUTE format('COMMENT ON FUNCTION %s IS %L', '{name}'::regproc::oid::regprocedure, '{text}');
END $$
"""
_TRIGGERS_ON_SQLITE = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"
_TABLES_ON_SQLITE = "SELECT name FROM sqlite_master WHERE type = 'table'"
# Any number that no other use of the database takes.
ONE_AT_A_TIME = 7_262_017


@dataclass(frozen=True, slots=True)
class Installed:
    """Statements that belong together.

    `functions` are the names that they make on PostgreSQL, each once; they go, with the triggers
    that call them, before the statements are run again, because a function cannot be replaced by
    one that returns something else. `{schema}` in a statement is the quoted schema of the tables.
    """

    functions: tuple[str, ...]
    postgresql: tuple[str, ...]
    sqlite: tuple[str, ...] = ()

    @property
    def triggers(self) -> int:
        """How many triggers call its function on PostgreSQL."""
        return sum("CREATE TRIGGER" in statement for statement in self.postgresql)

    def text(self, schema: str) -> tuple[str, ...]:
        """The statements for PostgreSQL."""
        return tuple(statement.replace("{schema}", schema) for statement in self.postgresql)


@dataclass(frozen=True, slots=True)
class Trigger:
    """One that stood on SQLite, to be put back as it was."""

    name: str
    table: str
    text: str


_rooms: dict[str, Callable[[], Iterable[Installed]]] = {}


def register(room: str, installed: Callable[[], Iterable[Installed]]) -> None:
    """What this room needs, asked for when it is put up; rooms come in the order registered."""
    _rooms[room] = installed


def registered() -> tuple[Installed, ...]:
    """Everything that has to stand."""
    return tuple(one for texts in _rooms.values() for one in texts())


def wait_for_others() -> None:
    """Go on when nobody else changes what stands here; theirs wait until this transaction ends."""
    if connection.vendor == "postgresql":
        _run(f"SELECT pg_advisory_xact_lock({ONE_AT_A_TIME})")


def take_down() -> tuple[Trigger, ...]:
    """Take every trigger down, on SQLite, so that tables can be made anew; returns what stood."""
    if connection.vendor != "sqlite":
        return ()
    standing = _standing_on_sqlite()
    for one in standing:
        _run(f"DROP TRIGGER {one.name}")
    return standing


@transaction.atomic
def put_back(triggers: Iterable[Trigger]) -> None:
    """Undo `take_down`, wherever the table is still there."""
    tables = {name for (name,) in _rows(_TABLES_ON_SQLITE)} if triggers else set()
    for one in triggers:
        if one.table in tables:
            _run(one.text)


@transaction.atomic
def put_up() -> None:
    """Install what is missing or was changed, and remove what nobody lists any more.

    Run as the owner of the tables, when all of them are there.
    """
    wait_for_others()
    if connection.vendor == "postgresql":
        _put_up_on_postgresql()
    else:
        _put_up_on_sqlite()


def _put_up_on_sqlite() -> None:
    wanted = [statement for one in registered() for statement in one.sqlite]
    if {one.text for one in _standing_on_sqlite()} == set(wanted):
        return
    take_down()
    for statement in wanted:
        _run(statement)


def _standing_on_sqlite() -> tuple[Trigger, ...]:
    return tuple(Trigger(*row) for row in _rows(_TRIGGERS_ON_SQLITE))


def _put_up_on_postgresql() -> None:
    schema = str(_rows("SELECT quote_ident(current_schema())")[0][0])
    standing = {name: (note, triggers) for name, note, triggers in _rows(_STANDING)}
    wanted = {name: one for one in registered() for name in one.functions}
    for name in standing.keys() - wanted.keys():
        _run(_DROP.format(name=name))
    for one in registered():
        note = _note(one.text(schema))
        if all(standing.get(name) == (note, one.triggers) for name in one.functions):
            continue
        for name in one.functions:
            _run(_DROP.format(name=name))
        for statement in one.text(schema):
            _run(statement)
        for name in one.functions:
            _run(_NOTE.format(name=name, text=note))


def _note(statements: tuple[str, ...]) -> str:
    digest = sha256("\0".join(statements).encode()).hexdigest()
    return f"installed:{digest}"


def _run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
