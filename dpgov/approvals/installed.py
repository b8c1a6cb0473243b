"""What was requested never changes, and neither does a decision: the database sees to it."""

from collections.abc import Iterator

from dpgov.approvals.giving import GIVE_ROLE
from dpgov.audit.append_only import refuse_updates
from dpgov.operation.installed import Installed
from dpgov.tenants.wall.guards import NEVER, Guard, Json, agreed, installed_guards

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
_ROLES_CHANGED = (
    "NEW.second_role <> '' AND (NEW.second_role <> OLD.second_role"
    + "".join(f" OR NEW.{name} <> OLD.{name}" for name in ("role", "user_id", "tenant_id"))
    + ")"
)
# Everything is invented there.
_PRACTICE = (
    "EXISTS (SELECT 1 FROM tenants_tenant t WHERE t.id = NEW.tenant_id"
    " AND t.practice_of IS NOT NULL)"
)
_CHANGED = " OR ".join(f"OLD.{name} IS DISTINCT FROM NEW.{name}" for name in _REQUESTED)


def guards(json: Json) -> Iterator[Guard]:
    """Members request and decide; a second role is what two of them agreed to."""
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
    yield Guard(
        "guard_second_role_new",
        "tenants_membership",
        "INSERT",
        "NEW.second_role <> ''",
        _PRACTICE,
        "nobody joins in two roles",
    )
    yield Guard(
        "guard_second_role",
        "tenants_membership",
        "UPDATE",
        _ROLES_CHANGED,
        f"{agreed(GIVE_ROLE, _both(json))} OR {_PRACTICE}",
        "nobody has two roles unless two persons agreed to just these",
    )
    yield Guard(
        "guard_practice",
        "tenants_tenant",
        "UPDATE",
        "(OLD.practice_of IS NULL) <> (NEW.practice_of IS NULL)"
        " OR OLD.practice_of <> NEW.practice_of",
        NEVER,
        "an organisation is one to practise in from its beginning, or never",
    )


def _both(json: Json) -> str:
    """The request is about this person, as they have been since, and gives just these two roles."""
    return (
        f"{json.identity('member')} = NEW.user_id"
        f" AND {json.text('before')} = OLD.role || CASE OLD.second_role"
        " WHEN '' THEN '' ELSE '+' || OLD.second_role END"
        " AND OLD.role_since <= r.requested_at"
        " AND (OLD.second_role = '' OR OLD.second_since <= r.requested_at)"
        f" AND {json.text('role')} = NEW.role || '+' || NEW.second_role"
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
