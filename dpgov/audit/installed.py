"""What the log needs in the database: its one way in, and tables that only grow."""

from pathlib import Path

from dpgov.audit.append_only import append_only
from dpgov.operation.installed import Installed

_APPEND = Path(__file__).parent / "sql" / "append.sql"


def installed() -> tuple[Installed, ...]:
    """All of it."""
    return (
        append_only("audit_auditentry"),
        append_only("audit_auditsubtree"),
        append_only("audit_auditcheckpoint"),
        append_only("audit_auditkey"),
        Installed(functions=("audit_append",), postgresql=(_APPEND.read_text(),)),
    )
