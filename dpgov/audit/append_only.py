"""Makes a table append-only, or refuses some updates of it, in the database itself, on either one.

The `installed` module of the room that owns the table lists `append_only("table_name")`. What is
not meant to change cannot be changed by a bug, a shell or an administrator's form either.
"""

from dpgov.operation.installed import Installed

_MESSAGE = "rows of {table} are append-only"

_ON_POSTGRESQL = (
    "CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS"
    " $$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation'; END $$",
    "CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}"
    " FOR EACH ROW EXECUTE FUNCTION {table}_append_only()",
    "CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}"
    " FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only()",
)
_ON_SQLITE = (
    "CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table}"
    " BEGIN SELECT RAISE(ABORT, '{message}'); END",
    "CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table}"
    " BEGIN SELECT RAISE(ABORT, '{message}'); END",
)


def append_only(table: str) -> Installed:
    """The triggers that make `table` append-only (a name of ours, never from a user)."""

    def filled(statements: tuple[str, ...]) -> tuple[str, ...]:
        message = _MESSAGE.format(table=table)
        return tuple(text.format(table=table, message=message) for text in statements)

    return Installed(
        functions=(f"{table}_append_only",),
        postgresql=filled(_ON_POSTGRESQL),
        sqlite=filled(_ON_SQLITE),
    )


def refuse_updates(name: str, *, table: str, when: str, message: str) -> Installed:
    """The trigger that refuses an update of a row when a condition on OLD and NEW holds."""
    # SQLite knows IS DISTINCT FROM since 3.39 only, and says IS NOT for it.
    on_sqlite = when.replace(" IS DISTINCT FROM ", " IS NOT ")
    return Installed(
        functions=(name,),
        postgresql=(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation'; END $$",
            f"CREATE TRIGGER {name} BEFORE UPDATE ON {table}"
            f" FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {name}()",
        ),
        sqlite=(
            f"CREATE TRIGGER {name} BEFORE UPDATE ON {table} WHEN {on_sqlite}"
            f" BEGIN SELECT RAISE(ABORT, '{message}'); END",
        ),
    )
