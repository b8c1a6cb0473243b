"""What `manage.py check --database default` says about the roles of the database."""

from typing import Any

from django.conf import settings
from django.core import checks
from django.db import connections

_NO_SWEEPER = checks.Warning(
    "The application may add keys that sign the audit log.",
    hint="Make a role of its own for the sweeper and set DPGOV_DATABASE_SWEEPER_ROLE; "
    "see docs/database.md.",
    id="dpgov.W012",
)
_ROLES = ("owner", "analyst", "officer", "admin")


def known_roles(**_: Any) -> list[checks.CheckMessage]:
    """An error for a word in DPGOV_MFA_REQUIRED that is no role: it would protect nobody."""
    unknown = sorted(set(settings.DPGOV_MFA_REQUIRED) - set(_ROLES))
    if not unknown:
        return []
    return [
        checks.Error(
            f"DPGOV_MFA_REQUIRED names no role: {', '.join(unknown)}.",
            hint=f"Use some of {', '.join(_ROLES)}, separated by commas.",
            id="dpgov.E011",
        )
    ]


def one_role(**known: Any) -> list[checks.CheckMessage]:
    """Warnings on PostgreSQL where one role is more than one process should be.

    Where the application is the owner of its tables, or may add the keys that sign the log.
    """
    on_server = any(
        connections[name].vendor == "postgresql" for name in known.get("databases") or ()
    )
    if not on_server:
        return []
    if settings.DPGOV_DATABASE_APP_ROLE:
        return [] if settings.DPGOV_DATABASE_SWEEPER_ROLE else [_NO_SWEEPER]
    return [
        checks.Warning(
            "The application connects as the owner of its tables.",
            hint="Row-level security and triggers hold, but the owner could take them down. "
            "Set DPGOV_DATABASE_APP_ROLE; see docs/database.md.",
            id="dpgov.W010",
        )
    ]
