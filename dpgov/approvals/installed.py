"""What was requested never changes, and neither does a decision: the database sees to it."""

from collections.abc import Iterator

from dpgov.audit.append_only import refuse_updates
from dpgov.operation.installed import Installed
from dpgov.tenants.wall.guards import Guard, Json, installed_guards

_REQUESTED = (
    "id",
    "tenant_id",
    "kind",
    "subject",
    "dataset",
    "payload",
    "reason",
    "requested_by_id",
    "requested_role",
    "requested_at",
)
_CHANGED = " OR ".join(f"OLD.{name} IS DISTINCT FROM NEW.{name}" for name in _REQUESTED)


def guards(_json: Json) -> Iterator[Guard]:
    """A request and its decision are made by members."""
    member = (
        "EXISTS (SELECT 1 FROM tenants_membership m JOIN tenants_user u ON u.id = m.user_id"
        " WHERE m.tenant_id = NEW.tenant_id AND m.user_id = NEW.{who} AND u.is_active)"
    )
    yield Guard(
        "guard_request_new",
        "approvals_changerequest",
        "INSERT",
        "1 = 1",
        f"NEW.state = 'waiting' AND {member.format(who='requested_by_id')}",
        "a request waits at first, and is made by a member",
    )
    yield Guard(
        "guard_decision",
        "approvals_changerequest",
        "UPDATE",
        "NEW.state <> OLD.state",
        member.format(who="decided_by_id"),
        "a request is decided by a member",
    )


def installed() -> tuple[Installed, ...]:
    """All of it."""
    return (
        refuse_updates(
            "approvals_changerequest_frozen",
            table="approvals_changerequest",
            when=f"OLD.state <> 'waiting' OR {_CHANGED}",
            message="a request is decided once and never rewritten",
        ),
        *installed_guards(guards),
    )
