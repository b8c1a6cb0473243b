"""Guards: what the database asks of a row before it changes, whoever changes it.

Triggers on both databases, about the few columns by which a budget, a decision or the link from a
dataset to its budget could be bent with plain SQL. A guard asks what the pages ask: an approved
request of the right kind, with the same amounts, of the same tenant, by two different members.
Each room lists its own and has them installed, made after every migration.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from dpgov.operation.installed import Installed

NEVER = "1 = 0"
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


class Json(Protocol):
    """How one database reads the payload of a request."""

    def identity(self, key: str) -> str:
        """An id in the payload of `r`, as the columns of ids have it."""

    def number(self, key: str) -> str:
        """A whole number in the payload of `r`."""

    def text(self, key: str) -> str:
        """A word in the payload of `r`."""

    def moment(self, key: str) -> str:
        """A moment in the payload of `r`, written in UTC, as the columns of moments have it."""

    def lists(self, key: str, identity: str) -> str:
        """Whether a list of ids in the payload of `r` holds this id."""

    def names_request(self) -> str:
        """Whether the detail of the entry `a` names the request `r`."""

    def within(self, moment: str, begin: str, days: int) -> str:
        """Whether a moment is fewer than so many days after another one."""


@dataclass(frozen=True, slots=True)
class Guard:
    """Before `event` on `table`, when `changed` holds, `allowed` has to hold, else `message`.

    `changed` looks at OLD and NEW alone; it is asked of every row, `allowed` of those few.
    """

    name: str
    table: str
    event: str
    changed: str
    allowed: str
    message: str


Guards = Callable[[Json], Iterator[Guard]]


def agreed(kind: str, about: str) -> str:
    """Whether two different members of the row's tenant agreed to just this."""
    both = " AND ".join(
        "EXISTS (SELECT 1 FROM tenants_membership m"
        f" WHERE m.tenant_id = r.tenant_id AND m.user_id = r.{who})"
        for who in ("requested_by_id", "decided_by_id")
    )
    return (
        f"EXISTS (SELECT 1 FROM approvals_changerequest r WHERE r.tenant_id = NEW.tenant_id"
        f" AND r.state = 'approved' AND r.kind = '{kind}'"
        f" AND r.decided_by_id <> r.requested_by_id AND {both} AND {about})"
    )


class OnPostgreSQL:
    """The payload is jsonb, ids are uuid."""

    def identity(self, key: str) -> str:
        """As uuid."""
        return f"CAST(r.payload ->> '{key}' AS uuid)"

    def number(self, key: str) -> str:
        """As bigint."""
        return f"CAST(r.payload ->> '{key}' AS bigint)"

    def text(self, key: str) -> str:
        """As it is."""
        return f"r.payload ->> '{key}'"

    def moment(self, key: str) -> str:
        """As timestamptz."""
        return f"CAST(r.payload ->> '{key}' AS timestamptz)"

    def lists(self, key: str, identity: str) -> str:
        """Texts in the list are as PostgreSQL writes ids."""
        return f"r.payload -> '{key}' ? CAST({identity} AS text)"

    def names_request(self) -> str:
        """The detail is text."""
        return "CAST(a.detail AS jsonb) ->> 'request' = CAST(r.id AS text)"

    def within(self, moment: str, begin: str, days: int) -> str:
        """Moments are moments."""
        return f"{moment} < {begin} + interval '{days} days'"


class OnSQLite:
    """The payload is text, ids have no dashes."""

    def identity(self, key: str) -> str:
        """Without the dashes."""
        return f"replace(json_extract(r.payload, '$.{key}'), '-', '')"

    def number(self, key: str) -> str:
        """As JSON has it."""
        return f"json_extract(r.payload, '$.{key}')"

    def text(self, key: str) -> str:
        """As it is."""
        return f"json_extract(r.payload, '$.{key}')"

    def moment(self, key: str) -> str:
        """To the microsecond, without the zone."""
        found = f"json_extract(r.payload, '$.{key}')"
        return f"replace(replace({found}, 'T', ' '), '+00:00', '')"

    def lists(self, key: str, identity: str) -> str:
        """One by one."""
        found = f"json_each(r.payload, '$.{key}') each"
        held = f"SELECT 1 FROM {found} WHERE replace(each.value, '-', '') = {identity}"
        return f"EXISTS ({held})"

    def names_request(self) -> str:
        """Without the dashes."""
        return "replace(json_extract(a.detail, '$.request'), '-', '') = r.id"

    def within(self, moment: str, begin: str, days: int) -> str:
        """Moments are texts."""
        return f"julianday({moment}) - julianday({begin}) < {days}"


def installed_guards(guards: Guards) -> tuple[Installed, ...]:
    """A room's guards, as either database has them."""
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
