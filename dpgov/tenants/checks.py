"""What `manage.py check` says about people, letters and the roles of the database."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.db import DatabaseError, connections

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


def own_address(**_: Any) -> list[checks.CheckMessage]:
    """An error for a mail server without DPGOV_BASE_URL: links would be what a browser claims."""
    to_files = settings.EMAIL_BACKEND.endswith("mail_folder.EmailBackend")
    base = urlsplit(settings.DPGOV_BASE_URL)
    if to_files and not settings.DPGOV_BASE_URL:
        return []
    if base.scheme in ("https", "http") and base.hostname and not (base.query or base.fragment):
        return []
    return [
        checks.Error(
            "DPGOV_BASE_URL is no address of this installation, and letters need one.",
            hint="Set it, like https://dpgov.example.org; links in letters begin with it.",
            id="dpgov.E012",
        )
    ]


def is_there(**known: Any) -> list[checks.CheckMessage]:
    """An error for a database that cannot be asked; the reason is the server's, without secrets."""
    found: list[checks.CheckMessage] = []
    for name in known.get("databases") or ():
        try:
            connections[name].ensure_connection()
        except DatabaseError as fault:
            words = f"The database cannot be reached: {str(fault).strip()}"
            hint = "See DPGOV_DATABASE_URL and DPGOV_DATABASE_PASSWORD."
            found.append(checks.Error(words, hint=hint, id="dpgov.E013"))
    return found


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
