"""What the log needs in the database: its one way in, tables that only grow, and the one way out.

An entry leaves for an archive alone: one of the two that every answered question has, covered by a
file that a signed entry names, and not before its own leaf hash is kept at its place.
"""

from pathlib import Path

from dpgov.audit.actions import FREQUENT_ACTIONS
from dpgov.audit.append_only import Leaving, append_only
from dpgov.audit.tree import HASH_BYTES, WIDTH
from dpgov.operation.installed import Installed

_APPEND = Path(__file__).parent / "sql" / "append.sql"
_ARCHIVED = """
OLD.action IN ({actions}) AND EXISTS (
    SELECT 1 FROM audit_auditarchive a WHERE a.tenant_id = OLD.tenant_id
    AND a.first <= OLD.sequence AND a.last >= OLD.sequence AND EXISTS (
        SELECT 1 FROM audit_auditcheckpoint c
        WHERE c.tenant_id = OLD.tenant_id AND c.size >= a.recorded))
AND EXISTS (
    SELECT 1 FROM audit_auditleaves l WHERE l.tenant_id = OLD.tenant_id
    AND l.start < OLD.sequence AND l.start >= OLD.sequence - {width}
    AND {part} = OLD.leaf_hash)
"""
_PLACE = f"(OLD.sequence - 1 - l.start) * {HASH_BYTES} + 1"


def installed() -> tuple[Installed, ...]:
    """All of it."""
    return (
        append_only("audit_auditentry", leaving=_leaving()),
        append_only("audit_auditsubtree"),
        append_only("audit_auditcheckpoint"),
        append_only("audit_auditkey"),
        append_only("audit_auditarchive"),
        append_only("audit_auditleaves"),
        Installed(functions=("audit_append",), postgresql=(_APPEND.read_text(),)),
    )


def _leaving() -> Leaving:
    actions = ", ".join(f"'{action}'" for action in FREQUENT_ACTIONS)
    parts = (
        f"substring(l.hashes FROM CAST({_PLACE} AS integer) FOR {HASH_BYTES})",
        f"substr(l.hashes, {_PLACE}, {HASH_BYTES})",
    )
    return Leaving(
        *(_ARCHIVED.format(actions=actions, width=WIDTH, part=part).strip() for part in parts)
    )
