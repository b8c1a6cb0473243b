"""`manage.py rotate_checkpoint_key`: change the key that checkpoints are signed with."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dpgov.audit.checkpoints.deliveries import deliver_waiting
from dpgov.audit.checkpoints.keyring import (
    KeyIsInTheEnvironment,
    adopt_next,
    next_seed,
    signing_seed,
)
from dpgov.audit.checkpoints.signing import CheckpointRefused, announce_key, sign_with_both
from dpgov.audit.keys.note import UnreadableKey
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import KnownTenant, tenants
from dpgov.tenants.management.signing import cannot_be_read, require_signer


class Command(BaseCommand):
    help = "Make a new checkpoint key, announce it in every log, and sign with it from now on."

    def handle(self, *args: Any, **options: Any) -> None:
        require_signer()
        try:
            old, new = signing_seed(), next_seed()
            _announce(old, new)
            adopt_next()
        except KeyIsInTheEnvironment as refusal:
            raise CommandError(str(refusal)) from refusal
        except (OSError, UnreadableKey) as failure:
            raise CommandError(
                f"The key stays as it is: {cannot_be_read(failure)}. Run this again afterwards."
            ) from failure
        # Once more, before anything can break off: a log whose first checkpoint was signed
        # meanwhile, by the old key, would never be signed again.
        _announce(old, new)
        # Every log, whatever one of them says: later the old key is gone and cannot sign any more.
        results = [self._sign(tenant, old) for tenant in tenants()]
        if not all(results):
            raise CommandError("The key is changed, but a checkpoint was not signed.", returncode=1)

    def _sign(self, tenant: KnownTenant, old: str) -> bool:
        with acting_for(tenant.id):
            try:
                sign_with_both(tenant_id=tenant.id, old_seed=old)
            except CheckpointRefused as refusal:
                for reason in refusal.reasons:
                    self.stderr.write(f"{tenant.slug}: REFUSED, {reason}")
                return False
            except (OSError, UnreadableKey) as failure:
                self.stderr.write(f"{tenant.slug}: NOT SIGNED, {cannot_be_read(failure)}.")
                return False
            deliver_waiting(tenant.id)
        self.stdout.write(f"{tenant.slug}: signed by the old key and the new one")
        return True


def _announce(old: str, new: str) -> None:
    for tenant in tenants():
        with acting_for(tenant.id):
            announce_key(tenant_id=tenant.id, old_seed=old, new_seed=new)
