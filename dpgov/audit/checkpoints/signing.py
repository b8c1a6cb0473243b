"""Signs the head of a tenant's log every so often, and sends it out of the database.

A checkpoint is made of committed entries alone, holds up no writer, and is refused when the log
does not contain what was signed before: whoever wants to sign a changed history has to find another
key.

The key is changed so that trust passes from the old one on. The new key is announced by an entry in
which the old one has signed its name, and the checkpoint that covers this entry is signed by both.
From this entry's number on the old key alone proves nothing, which the new one has signed.
Old public keys stay listed for ever: old checkpoints need them. Every step may be repeated after a
crash.
"""

from datetime import timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import connection, transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.checkpoints.deliveries import deliver_waiting, plan_deliveries
from dpgov.audit.checkpoints.keyring import origin_of, signing_key, signing_seed
from dpgov.audit.entry import leaf_hash, line_of
from dpgov.audit.history import findings
from dpgov.audit.keys.key_chain import announcement, beginning
from dpgov.audit.keys.note import Checkpoint, PublicKey, UnreadableKey, public_key, sign
from dpgov.audit.models import AuditCheckpoint, AuditEntry, AuditKey
from dpgov.audit.outside import known_keys, newest_outside
from dpgov.audit.selectors import log_size, newest_checkpoint, stream
from dpgov.audit.services import append
from dpgov.audit.stored_tree import StoredTree, extend
from dpgov.audit.tree import root_at
from dpgov.operation import clock

__all__ = ["CheckpointRefused", "make_checkpoint", "newest_outside", "sweep_checkpoints"]

_log = structlog.get_logger(__name__)
# The class of advisory locks of PostgreSQL under which a log's first key is announced.
_FIRST_KEY = 0x64706B


class CheckpointRefused(RuntimeError):
    """The log contradicts an earlier checkpoint (or itself), so its head is not signed."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons


def sweep_checkpoints(tenant_id: UUID, away: set[str] | None = None) -> AuditCheckpoint | None:
    """One round for one tenant: a checkpoint if one is due, then whatever waits for delivery.

    `away` has the destinations that were not reached in this round, see `deliver_waiting`.
    A refusal, or a folder or key that cannot be read, is logged and not raised, so that other
    tenants get their round.
    """
    made = None
    try:
        if checkpoint_due(tenant_id):
            made = make_checkpoint(tenant_id=tenant_id)
        deliver_waiting(tenant_id, away)
    except CheckpointRefused as refusal:
        _log.error("checkpoint_refused", tenant=str(tenant_id), reasons=refusal.reasons)
    except (OSError, UnreadableKey) as failure:
        _log.error("no_checkpoint", tenant=str(tenant_id), kind=type(failure).__name__)
    return made


def checkpoint_due(tenant_id: UUID) -> bool:
    """Whether enough is new: so many entries, or any after so many minutes.

    Also any after a checkpoint of the future: a clock that was ahead for one round does not say how
    old that one is.
    """
    size, last = log_size(tenant_id), newest_checkpoint(tenant_id)
    if last is None:
        return size > 0
    patience, age = timedelta(minutes=settings.DPGOV_CHECKPOINT_MINUTES), clock.now() - last.at
    enough = size >= last.size + settings.DPGOV_CHECKPOINT_ENTRIES
    return enough or (size != last.size and not timedelta(0) <= age < patience)


def make_checkpoint(*, tenant_id: UUID, retiring: tuple[str, ...] = ()) -> AuditCheckpoint | None:
    """Sign the log as it is now, and plan the deliveries; None when nothing is new.

    `retiring` are private keys that sign beside the one in use, at their rotation. Nothing is
    delivered here: call `deliver_waiting` once this is committed. Raises CheckpointRefused.
    """
    size, last = log_size(tenant_id), newest_checkpoint(tenant_id)
    _refuse_contradictions(tenant_id)
    if size == (last.size if last else 0):
        return None
    _refuse_changed_entries(tenant_id, after=last.size if last else 0, upto=size)
    extend(tenant_id, size)
    root = root_at(size, StoredTree(tenant_id).node)
    checkpoint = Checkpoint(origin=origin_of(tenant_id), size=size, root=root)
    seed = signing_seed()
    note = sign(checkpoint.as_text(), seeds=(*retiring, seed), name=checkpoint.origin)
    return _store(tenant_id, checkpoint, note, public_key(seed=seed, name=checkpoint.origin))


@transaction.atomic
def _store(tenant_id: UUID, checkpoint: Checkpoint, note: str, key: PublicKey) -> AuditCheckpoint:
    _announce_first_key(tenant_id, key)
    stored, is_new = AuditCheckpoint.objects.get_or_create(
        tenant_id=tenant_id,
        size=checkpoint.size,
        defaults={"root": checkpoint.root, "note": note, "at": clock.now()},
    )
    if is_new:
        plan_deliveries(stored)
    return stored


def _announce_first_key(tenant_id: UUID, key: PublicKey) -> None:
    """The first key is announced by its use; every later one by the key before it.

    Refused is also what was signed while the key file was being replaced.
    """
    known = known_keys(tenant_id)
    if not known:
        _one_at_a_time(tenant_id)
        known = known_keys(tenant_id)
    if not known and key == signing_key(tenant_id):
        AuditKey.objects.get_or_create(
            tenant_id=tenant_id,
            public_key=key.as_text(),
            defaults={"since_size": 0, "at": clock.now()},
        )
    elif known[-1:] != [key]:
        raise CheckpointRefused(
            [
                "The checkpoint key is not the announced one. Put the old key back and change it "
                "with manage.py rotate_checkpoint_key."
            ]
        )


def _one_at_a_time(tenant_id: UUID) -> None:
    """A first key is announced before a rotation's last look for one, or after the file is new.

    In between it would be the old one, which is gone by then, and no later key could follow it.
    The head's own row is for no role of ours to lock. SQLite has one writer anyway.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            locked = "SELECT pg_advisory_xact_lock(%s, hashtext(%s))"
            cursor.execute(locked, [_FIRST_KEY, str(tenant_id)])


def _refuse_contradictions(tenant_id: UUID) -> None:
    if reasons := findings(tenant_id):
        raise CheckpointRefused(reasons)


def _refuse_changed_entries(tenant_id: UUID, *, after: int, upto: int) -> None:
    """What is about to be signed is read from the entries themselves, not from their hashes."""
    expected = after
    for values in stream(tenant_id, after=after, upto=upto):
        expected += 1
        if values["sequence"] != expected:
            raise CheckpointRefused([f"Entry {expected} is missing."])
        if leaf_hash(line_of(values)) != bytes(values["leaf_hash"]):
            raise CheckpointRefused([f"Entry {expected} does not match its own hash."])
    if expected != upto:
        raise CheckpointRefused([f"Entry {expected + 1} is missing."])


class _Overtaken(Exception):
    """Another entry took the number that the announcement was to have."""


def announce_key(*, tenant_id: UUID, old_seed: str, new_seed: str) -> AuditEntry | None:
    """Name the new key in the tenant's log, in a statement signed by the old one.

    May be said again. None when there is nothing to say: nothing was signed yet, the key is
    announced already, or the old one is not the log's, so that nobody would believe it.
    """
    while True:
        try:
            return _announce(tenant_id, old_seed, new_seed)
        except _Overtaken:
            continue


@transaction.atomic
def _announce(tenant_id: UUID, old_seed: str, new_seed: str) -> AuditEntry | None:
    """The new key says itself, in the same entry, that it signs from this entry's number on."""
    _one_at_a_time(tenant_id)
    name, known = origin_of(tenant_id), known_keys(tenant_id)
    old, new = (public_key(seed=seed, name=name) for seed in (old_seed, new_seed))
    if known[-1:] != [old]:
        return None
    size = log_size(tenant_id) + 1
    statement = announcement(new, seed=old_seed) + beginning(new, seed=new_seed, size=size)
    entry = append(
        tenant_id=tenant_id,
        actor=OPERATOR,
        action=Action.CHECKPOINT_KEY_CHANGED,
        subject=f"log:{tenant_id}",
        detail={
            "old_key": old.as_text(),
            "new_key": new.as_text(),
            "statement": statement.split("\n"),
        },
    )
    if entry.sequence != size:
        raise _Overtaken
    AuditKey.objects.create(
        tenant_id=tenant_id,
        public_key=new.as_text(),
        since_size=size,
        at=clock.now(),
    )
    return entry


def sign_with_both(*, tenant_id: UUID, old_seed: str) -> AuditCheckpoint | None:
    """A checkpoint by the new key, which is in use already, and the old one. None: nothing new."""
    return make_checkpoint(tenant_id=tenant_id, retiring=(old_seed,))
