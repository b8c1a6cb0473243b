"""What was requested never changes, and neither does a decision: the database sees to it."""

from dpgov.audit.append_only import refuse_updates
from dpgov.operation.installed import Installed

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


def installed() -> tuple[Installed, ...]:
    """All of it."""
    return (
        refuse_updates(
            "approvals_changerequest_frozen",
            table="approvals_changerequest",
            when=f"OLD.state <> 'waiting' OR {_CHANGED}",
            message="a request is decided once and never rewritten",
        ),
    )
