"""Changes the key that checkpoints are signed with, so that trust passes from the old one on.

The new key is announced by an entry in which the old one has signed its name, and the checkpoint
that covers this entry is signed by both. Old public keys stay listed for ever: old checkpoints
need them. Every step may be repeated after a crash.
"""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.checkpoints.keyring import origin_of
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.keys.key_chain import announcement
from dpgov.audit.keys.note import public_key
from dpgov.audit.models import AuditCheckpoint, AuditEntry, AuditKey
from dpgov.audit.outside import known_keys
from dpgov.audit.services import append


@transaction.atomic
def announce_key(*, tenant_id: UUID, old_seed: str, new_seed: str) -> AuditEntry | None:
    """Name the new key in the tenant's log, in a statement signed by the old one.

    None when there is nothing to say: nothing was signed yet, or the key is announced already.
    """
    name, known = origin_of(tenant_id), known_keys(tenant_id)
    old, new = (public_key(seed=seed, name=name) for seed in (old_seed, new_seed))
    if not known or known[-1] == new:
        return None
    entry = append(
        tenant_id=tenant_id,
        actor=OPERATOR,
        action=Action.CHECKPOINT_KEY_CHANGED,
        subject=f"log:{tenant_id}",
        detail={
            "old_key": old.as_text(),
            "new_key": new.as_text(),
            "statement": announcement(new, seed=old_seed).split("\n"),
        },
    )
    AuditKey.objects.create(
        tenant_id=tenant_id,
        public_key=new.as_text(),
        since_size=entry.sequence,
        at=timezone.now(),
    )
    return entry


def sign_with_both(*, tenant_id: UUID, old_seed: str) -> AuditCheckpoint | None:
    """A checkpoint by the new key, which is in use already, and the old one. None: nothing new."""
    return make_checkpoint(tenant_id=tenant_id, retiring=(old_seed,))
