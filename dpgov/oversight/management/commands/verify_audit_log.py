"""Reads whole audit logs again: of every tenant, or of one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dpgov.audit.recheck import Recheck, recheck_all
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import KnownTenant
from dpgov.tenants.management.chosen import chosen_tenants


class Command(BaseCommand):
    help = (
        "Re-hash every entry and compare it with the stored tree and with all checkpoints, in the "
        "database and in the folder. Exits with 1 when something does not hold, with 2 when "
        "archived entries could not be found."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="short name of the only organisation to check")

    def handle(self, *args: Any, **options: Any) -> None:
        results = [self._check(tenant) for tenant in chosen_tenants(options["tenant"])]
        if not all(verdict.intact for verdict in results):
            raise CommandError("The audit log does not hold.", returncode=1)
        if any(verdict.unread for verdict in results):
            raise CommandError("The audit log could not be read whole.", returncode=2)

    def _check(self, tenant: KnownTenant) -> Recheck:
        """One line a log, and one for each problem and each file that was not found."""
        with acting_for(tenant.id):
            verdict = recheck_all(tenant.id)
        for sentence in (*verdict.problems, *verdict.unread):
            self.stderr.write(f"{tenant.slug}: {sentence}")
        if verdict.intact:
            missed = " as far as they were found" if verdict.unread else ""
            self.stdout.write(
                f"{tenant.slug}: {verdict.size} entries hold{missed}, "
                f"{verdict.checkpoints} checkpoints agree"
            )
        return verdict
