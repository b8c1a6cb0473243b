"""`manage.py reconcile`: does every balance follow from the log, the questions and the releases?"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from dpgov.audit.archive.parquet import ArchiveAway, BrokenArchive
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import KnownTenant, tenants
from dpgov.tenants.models import Tenant

_NOT_ALLOWED = "42501"


class Command(BaseCommand):
    help = "Derive every balance again from the log and compare; exit 1 if anything disagrees."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="only this one")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = [known for known in tenants() if options["tenant"] in (None, known.slug)]
        if options["tenant"] and not chosen:
            raise CommandError(f"There is no organisation “{options['tenant']}”.")
        disagreements = sum(self._compare(known) for known in chosen)
        if disagreements:
            raise CommandError(f"{disagreements} disagreements found")

    def _compare(self, known: KnownTenant) -> int:
        with acting_for(known.id):
            try:
                report = reconcile(Tenant.objects.get(pk=known.id))
            except (ArchiveAway, BrokenArchive) as problem:
                raise CommandError(f"{known.slug}: nothing compared. {problem}") from problem
            except DatabaseError as error:
                raise CommandError(f"{known.slug}: {_what_to_do(error)}") from error
        for finding in report.findings:
            self.stderr.write(f"{known.slug}: {finding}")
        if not report.findings:
            self.stdout.write(f"{known.slug}: {report.questions} questions, everything agrees")
        return len(report.findings)


def _what_to_do(error: DatabaseError) -> str:
    """Blames the right thing: a role that lacks a right says nothing about the log."""
    if getattr(error.__cause__, "sqlstate", None) == _NOT_ALLOWED:
        return (
            f"this role of the database may not compare ({error}). Run migrate as the owner of the "
            "tables, then this command as the application or an auditor; see docs/database.md."
        )
    return f"the log cannot be read ({error}). Run verify_audit_log."
