"""Puts the guards up, as triggers of either database, and takes them down for a migration.

On SQLite they go before the first migration and come back after the last one: a trigger that
speaks of another table would stop that table from being made anew. On PostgreSQL what stands
already, word for word, is not touched.
"""

from typing import Any

from django.db import connection, transaction

from dpgov.tenants.wall.guards import Guard, guards

_STANDING_ON_SQLITE = """
    SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'guard_%'
"""
_STANDING = """
    SELECT t.tgrelid::regclass::text, t.tgname, obj_description(t.oid, 'pg_trigger')
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND t.tgname LIKE 'guard\\_%'
"""
# A session may have tables of its own under the same names: the schema is named.
_FUNCTION = """
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, {schema}, pg_temp AS $guard$
BEGIN
    IF ({allowed}) IS NOT TRUE THEN
        RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $guard$
"""
_TRIGGER = (
    "CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW WHEN ({changed})"
    " EXECUTE FUNCTION {name}()"
)
_ON_SQLITE = (
    "CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN ({changed}) AND ({allowed}) IS NOT TRUE"
    " BEGIN SELECT RAISE(ABORT, '{message}'); END"
)


class OnPostgreSQL:
    """The payload is jsonb, ids are uuid."""

    def identity(self, key: str) -> str:
        """As uuid."""
        return f"CAST(r.payload ->> '{key}' AS uuid)"

    def number(self, key: str) -> str:
        """As bigint."""
        return f"CAST(r.payload ->> '{key}' AS bigint)"

    def lists(self, key: str, identity: str) -> str:
        """Texts in the list are as PostgreSQL writes ids."""
        return f"r.payload -> '{key}' ? CAST({identity} AS text)"

    def names_request(self) -> str:
        """The detail is text."""
        return "CAST(a.detail AS jsonb) ->> 'request' = CAST(r.id AS text)"


class OnSQLite:
    """The payload is text, ids have no dashes."""

    def identity(self, key: str) -> str:
        """Without the dashes."""
        return f"replace(json_extract(r.payload, '$.{key}'), '-', '')"

    def number(self, key: str) -> str:
        """As JSON has it."""
        return f"json_extract(r.payload, '$.{key}')"

    def lists(self, key: str, identity: str) -> str:
        """One by one."""
        found = f"json_each(r.payload, '$.{key}') each"
        held = f"SELECT 1 FROM {found} WHERE replace(each.value, '-', '') = {identity}"
        return f"EXISTS ({held})"

    def names_request(self) -> str:
        """Without the dashes."""
        return "replace(json_extract(a.detail, '$.request'), '-', '') = r.id"


def lower_guards() -> None:
    """Take the guards down; the caller puts them up again."""
    if connection.vendor == "sqlite":
        for (name,) in _rows(_STANDING_ON_SQLITE):
            _run(f"DROP TRIGGER {name}")
        return
    for table, name, _ in _rows(_STANDING):
        _run(f"DROP TRIGGER {name} ON {table}")


@transaction.atomic
def raise_guards() -> None:
    """Put every guard up. Run as the owner of the tables, when all of them are there."""
    if connection.vendor == "sqlite":
        lower_guards()
        for guard in guards(OnSQLite()):
            _run(_filled(_ON_SQLITE, guard))
        return
    (schema,) = _rows("SELECT quote_ident(current_schema())")[0]
    standing = {(table, name): text for table, name, text in _rows(_STANDING)}
    for guard in guards(OnPostgreSQL()):
        function = _filled(_FUNCTION, guard, schema=schema)
        definition = f"{_filled(_TRIGGER, guard)};{function}"
        if standing.pop((guard.table, guard.name), None) == definition:
            continue
        _run(f"DROP TRIGGER IF EXISTS {guard.name} ON {guard.table}")
        _run(function)
        _run(_filled(_TRIGGER, guard))
        with connection.cursor() as cursor:
            quoted = definition.replace("'", "''")
            cursor.execute(f"COMMENT ON TRIGGER {guard.name} ON {guard.table} IS '{quoted}'")
    for table, name in standing:
        _run(f"DROP TRIGGER {name} ON {table}")


def _filled(template: str, guard: Guard, **more: str) -> str:
    return template.format(
        name=guard.name,
        table=guard.table,
        event=guard.event,
        changed=guard.changed,
        allowed=guard.allowed,
        message=guard.message,
        **more,
    )


def _run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
