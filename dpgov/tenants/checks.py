"""What `manage.py check --database default` says about the roles of the database."""

from typing import Any

from django.conf import settings
from django.core import checks
from django.db import connections

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
    """A warning where the application is the owner of its tables, on PostgreSQL."""
    on_server = any(
        connections[name].vendor == "postgresql" for name in known.get("databases") or ()
    )
    if not on_server or settings.DPGOV_DATABASE_APP_ROLE:
        return []
    return [
        checks.Warning(
            "The application connects as the owner of its tables.",
            hint="Row-level security and triggers hold, but the owner could take them down. "
            "Set DPGOV_DATABASE_APP_ROLE; see docs/database.md.",
            id="dpgov.W010",
        )
    ]
