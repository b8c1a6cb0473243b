"""`manage.py checkpoint`: sign the audit logs now and deliver what waits."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dpgov.audit.checkpoints.deliveries import deliver_waiting, waiting
from dpgov.audit.checkpoints.signing import CheckpointRefused, make_checkpoint
from dpgov.audit.keys.note import UnreadableKey
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import KnownTenant
from dpgov.tenants.management.chosen import chosen_tenants
from dpgov.tenants.management.signing import cannot_be_read, require_signer


class Command(BaseCommand):
    help = "Sign a checkpoint of each audit log that has grown, and deliver all that wait."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="short name of the only organisation")

    def handle(self, *args: Any, **options: Any) -> None:
        require_signer()
        results = [self._sign(tenant) for tenant in chosen_tenants(options["tenant"])]
        if not all(results):
            raise CommandError("A checkpoint was not signed.", returncode=1)

    def _sign(self, tenant: KnownTenant) -> bool:
        with acting_for(tenant.id):
            try:
                made = make_checkpoint(tenant_id=tenant.id)
            except CheckpointRefused as refusal:
                for reason in refusal.reasons:
                    self.stderr.write(f"{tenant.slug}: REFUSED, {reason}")
                return False
            except (OSError, UnreadableKey) as failure:
                self.stderr.write(f"{tenant.slug}: NOT SIGNED, {cannot_be_read(failure)}.")
                return False
            deliver_waiting(tenant.id)
            words = f"signed {made.size} entries" if made else "nothing new"
            self.stdout.write(f"{tenant.slug}: {words}, {waiting(tenant.id)} deliveries waiting")
        return True
