"""`manage.py migrate`: Django's own, then what stands beside the tables, and the wall around each.

Runs as the owner of the tables. For the application's role there is nothing to migrate with: it
may find out that everything is done, and is refused otherwise.
"""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from dpgov.operation import installed
from dpgov.tenants.boundary import acting_for_everybody
from dpgov.tenants.wall.raising import raise_wall
from dpgov.tenants.wall.roles import connected_as

_BEFORE = ("audit", "0002_append_only")


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if _of_before():
            raise CommandError(
                "This database was made by a version that was never published, and cannot be "
                "carried over. Begin with an empty database, or with an empty state folder."
            )
        if role := connected_as():
            self._refuse_unless_done(role)
            return
        with acting_for_everybody():
            changes = not (options["plan"] or options["check_unapplied"])
            stood = installed.take_down() if changes and _missing() else ()
            try:
                super().handle(*args, **options)
            except BaseException:
                # What grew only must not be open to change because a migration failed.
                installed.put_back(stood)
                raise
            if changes and not _missing():
                # Together: a function that is made anew takes the policies that ask it along.
                with transaction.atomic():
                    installed.put_up()
                    raise_wall()

    def _refuse_unless_done(self, role: str) -> None:
        if missing := _missing():
            raise CommandError(
                f"{missing} migrations are missing. Run migrate as the owner of the tables, not as "
                f"{role}."
            )
        self.stdout.write("Everything is migrated.")


def _of_before() -> bool:
    """Whether the first migrations stand for others, from before they began anew."""
    return _BEFORE in MigrationRecorder(connection).applied_migrations()


def _missing() -> int:
    """How many migrations have not been applied."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
