"""The guards as triggers of either database."""

from dpgov.operation.installed import Installed
from dpgov.tenants.wall.guards import Guard, guards

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


def installed_guards() -> tuple[Installed, ...]:
    """Every guard, as either database has it."""
    pairs = zip(guards(OnPostgreSQL()), guards(OnSQLite()), strict=True)
    return tuple(
        Installed(
            functions=(guard.name,),
            postgresql=(_filled(_FUNCTION, guard), _filled(_TRIGGER, guard)),
            sqlite=(_filled(_ON_SQLITE, on_sqlite),),
        )
        for guard, on_sqlite in pairs
    )


def _filled(template: str, guard: Guard) -> str:
    return template.format(
        name=guard.name,
        table=guard.table,
        event=guard.event,
        changed=guard.changed,
        allowed=guard.allowed,
        message=guard.message,
        schema="{schema}",
    )
