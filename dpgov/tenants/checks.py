"""What `manage.py check --database default` says about the roles of the database."""

from typing import Any

from django.conf import settings
from django.core import checks
from django.db import connections


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
