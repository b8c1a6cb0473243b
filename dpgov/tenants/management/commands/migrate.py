"""`manage.py migrate`: Django's own, then the wall around every table that came or changed.

Runs as the owner of the tables. For the application's role there is nothing to migrate with: it
may find out that everything is done, and is refused otherwise.
"""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from dpgov.tenants.boundary import acting_for_everybody
from dpgov.tenants.wall.raising import raise_wall


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if _is_the_application():
            self._refuse_unless_done()
            return
        with acting_for_everybody():
            super().handle(*args, **options)
            if not (options["plan"] or options["check_unapplied"] or _missing()):
                raise_wall()

    def _refuse_unless_done(self) -> None:
        if missing := _missing():
            raise CommandError(
                f"{missing} migrations are missing. Run migrate as the owner of the tables, not as "
                f"{settings.DPGOV_DATABASE_APP_ROLE}."
            )
        self.stdout.write("Everything is migrated.")


def _is_the_application() -> bool:
    role = settings.DPGOV_DATABASE_APP_ROLE
    if connection.vendor != "postgresql" or not role:
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user = %s", [role])
        return bool(cursor.fetchone()[0])


def _missing() -> int:
    """How many migrations have not been applied."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
