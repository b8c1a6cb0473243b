"""`manage.py archive_log`: old months of each audit log to files, and what they hold out of it."""

from argparse import ArgumentParser
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from dpgov.audit.archiving import ArchiveRefused, archive_months, remove_archived
from dpgov.operation import clock
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import KnownTenant
from dpgov.tenants.management.chosen import chosen_tenants
from dpgov.tenants.wall.roles import connected_as


class Command(BaseCommand):
    help = (
        "Write whole months of each audit log to Parquet files (--before), and later, when that "
        "is signed and the files are copied, take out of the log what they hold (--remove). Both "
        "may be repeated. For the owner of the tables."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        step = parser.add_mutually_exclusive_group(required=True)
        step.add_argument("--before", metavar="YYYY-MM", help="archive the months before this one")
        step.add_argument(
            "--remove", action="store_true", help="remove what is archived and signed"
        )
        parser.add_argument("--tenant", help="short name of the only organisation")

    def handle(self, *args: Any, **options: Any) -> None:
        if role := connected_as():
            raise CommandError(f"Run archive_log as the owner of the tables, not as {role}.")
        _refuse_a_folder_of_one_machine()
        before = None if options["remove"] else _month(options["before"])
        results = [self._one(tenant, before) for tenant in chosen_tenants(options["tenant"])]
        if options["remove"]:
            _give_back()
        if not all(results):
            raise CommandError("A log was not archived.", returncode=1)

    def _one(self, tenant: KnownTenant, before: date | None) -> bool:
        with acting_for(tenant.id):
            try:
                said = _removed(tenant) if before is None else _archived(tenant, before)
            except ArchiveRefused as refusal:
                for reason in refusal.reasons:
                    self.stderr.write(f"{tenant.slug}: REFUSED, {reason}")
                return False
        for line in said:
            self.stdout.write(f"{tenant.slug}: {line}")
        return True


def _refuse_a_folder_of_one_machine() -> None:
    """With object storage no machine sees another one's state folder, which may end with its pod.

    What is removed from the log is nowhere else than in the archive.
    """
    folder, home = (Path(p).resolve() for p in (settings.DPGOV_ARCHIVE_FOLDER, settings.DPGOV_HOME))
    if settings.DPGOV_STORE is not None and folder.is_relative_to(home):
        raise CommandError(
            "With DPGOV_STORE_URL each machine has a state folder of its own. Name a folder "
            "outside of it in DPGOV_ARCHIVE_FOLDER, which lasts and which every web server reads."
        )


def _archived(tenant: KnownTenant, before: date) -> list[str]:
    made = archive_months(tenant.id, before)
    said = [f"{one.name}, SHA-256 {one.sha256}" for one in made]
    return (
        [*said, "copy these files, and run --remove after the next checkpoint"]
        if made
        else ["no whole month to archive"]
    )


def _removed(tenant: KnownTenant) -> list[str]:
    return [f"{remove_archived(tenant.id)} entries left for the archive"]


def _month(text: str) -> date:
    """The first day of the month; raises CommandError for one that is not over."""
    try:
        month = datetime.strptime(text, "%Y-%m").replace(tzinfo=UTC)
    except ValueError as wrong:
        raise CommandError(f"{text} is no month; write it like 2026-03.") from wrong
    if month > clock.now():
        raise CommandError(f"{text} has not begun: only months that are over are archived.")
    return month.date()


def _give_back() -> None:
    """Let new entries have the room; holds up nobody. Within a transaction it cannot be done."""
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM (ANALYZE) audit_auditentry")
