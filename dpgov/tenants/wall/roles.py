"""The roles of this installation in the database, by its configuration."""

from dataclasses import dataclass

from django.conf import settings
from django.db import connection


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of the roles; an empty one is not there.

    Without a sweeper of its own, the application signs as well.
    """

    application: str = ""
    sweeper: str = ""
    auditor: str = ""

    def present(self) -> list[str]:
        """Those that are there."""
        return list(filter(None, (self.application, self.sweeper, self.auditor)))

    def acting(self) -> dict[str, bool]:
        """Who acts for one tenant at a time, and whether it signs."""
        found = {self.application: not self.sweeper, self.sweeper: True}
        return {name: signs for name, signs in found.items() if name}


def known_roles() -> Roles:
    """The roles of this installation, by its configuration."""
    return Roles(
        application=settings.DPGOV_DATABASE_APP_ROLE,
        sweeper=settings.DPGOV_DATABASE_SWEEPER_ROLE,
        auditor=settings.DPGOV_DATABASE_AUDITOR_ROLE,
    )


def connected_as() -> str:
    """The one of these roles that this process connects as; none as the owner, and on SQLite."""
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        role = str(cursor.fetchone()[0])
    return role if role in known_roles().present() else ""
