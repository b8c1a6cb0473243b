"""Makes a table append-only, or refuses some updates of it, in the database itself, on either one.

The `installed` module of the room that owns the table lists `append_only("table_name")`. What is
not meant to change cannot be changed by a bug, a shell or an administrator's form either.
"""

from dataclasses import dataclass

from dpgov.operation.installed import Installed


@dataclass(frozen=True, slots=True)
class Leaving:
    """When a row may be deleted all the same: a condition on OLD, as each database writes it."""

    postgresql: str
    sqlite: str


def append_only(table: str, *, leaving: Leaving | None = None) -> Installed:
    """The triggers that make `table` append-only (a name of ours, never from a user)."""
    refusing, message = f"{table}_append_only", f"rows of {table} are append-only"
    unless = f" WHEN ({leaving.sqlite}) IS NOT TRUE" if leaving else ""
    return Installed(
        functions=(refusing,),
        postgresql=(
            _function(refusing, message, leaving.postgresql if leaving else ""),
            f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}"
            f" FOR EACH ROW EXECUTE FUNCTION {refusing}()",
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {refusing}()",
        ),
        sqlite=(
            _on_sqlite(f"{table}_no_update BEFORE UPDATE ON {table}", message),
            _on_sqlite(f"{table}_no_delete BEFORE DELETE ON {table}{unless}", message),
        ),
    )


def refuse_updates(name: str, *, table: str, when: str, message: str) -> Installed:
    """The trigger that refuses an update of a row when a condition on OLD and NEW holds."""
    # SQLite knows IS DISTINCT FROM since 3.39 only, and says IS NOT for it.
    on_sqlite = when.replace(" IS DISTINCT FROM ", " IS NOT ")
    return Installed(
        functions=(name,),
        postgresql=(
            _function(name, message),
            f"CREATE TRIGGER {name} BEFORE UPDATE ON {table}"
            f" FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION {name}()",
        ),
        sqlite=(_on_sqlite(f"{name} BEFORE UPDATE ON {table} WHEN {on_sqlite}", message),),
    )


def _function(name: str, message: str, unless: str = "") -> str:
    """Raises, but for a deletion of which the condition `unless` on OLD holds, if one is given.

    A session may have tables of its own under the names in it: so the schema is named.
    """
    named, passing = "", ""
    if unless:
        named = " SET search_path = pg_catalog, {schema}, pg_temp"
        passing = (
            f" IF TG_OP = 'DELETE' THEN IF ({unless}) IS TRUE THEN RETURN OLD; END IF; END IF;"
        )
    return (
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql{named} AS $$ BEGIN{passing}"
        f" RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation'; END $$"
    )


def _on_sqlite(trigger: str, message: str) -> str:
    return f"CREATE TRIGGER {trigger} BEGIN SELECT RAISE(ABORT, '{message}'); END"
