"""Reads whole audit logs again: of every tenant, or of one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dpgov.audit.recheck import recheck_all
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import KnownTenant
from dpgov.tenants.management.chosen import chosen_tenants


class Command(BaseCommand):
    help = (
        "Re-hash every entry and compare it with the stored tree and with all checkpoints, in the "
        "database and in the folder. Exits with 1 when something does not hold."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="short name of the only tenant to check")

    def handle(self, *args: Any, **options: Any) -> None:
        results = [self._check(tenant) for tenant in chosen_tenants(options["tenant"])]
        if not all(results):
            raise CommandError("The audit log does not hold.", returncode=1)

    def _check(self, tenant: KnownTenant) -> bool:
        """One line a log, and one for each problem."""
        with acting_for(tenant.id):
            verdict = recheck_all(tenant.id)
        for problem in verdict.problems:
            self.stderr.write(f"{tenant.slug}: {problem}")
        if verdict.intact:
            self.stdout.write(
                f"{tenant.slug}: {verdict.size} entries hold, "
                f"{verdict.checkpoints} checkpoints agree"
            )
        return verdict.intact
