"""G3: signed heads outside the database, and everything that contradicts them."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from dpgov.audit.checkpoints.deliveries import deliver_waiting, waiting
from dpgov.audit.checkpoints.signing import (
    CheckpointRefused,
    checkpoint_due,
    make_checkpoint,
    newest_outside,
    sweep_checkpoints,
)
from dpgov.audit.history import findings
from dpgov.audit.keys.note import new_seed, opened
from dpgov.audit.models import (
    AuditCheckpoint,
    AuditDelivery,
    AuditEntry,
    AuditHead,
    AuditKey,
    AuditSubtree,
)
from dpgov.audit.outside import KEYS, folder_of, known_keys, outside_files, set_aside
from dpgov.audit.selectors import announced_keys
from dpgov.audit.stored_tree import extend
from dpgov.language.translation import retold
from tests.integration.audit.logs import NEIGHBOUR, TENANT, rewrite, write
from tests.servers.listener import Listener, listening
from tests.triggers import without_triggers
from tests.unit.audit.roots import root_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(own_folders: None) -> None:
    """What leaves the database stays in this test."""


def signed(count: int) -> AuditCheckpoint:
    """So many new entries, signed and delivered."""
    write(count)
    made = make_checkpoint(tenant_id=TENANT)
    assert made
    deliver_waiting(TENANT)
    return made


def test_a_checkpoint_signs_the_root_over_all_entries_and_is_delivered_to_the_folder() -> None:
    """G3"""
    made = signed(300)
    leaves = AuditEntry.objects.order_by("sequence").values_list("leaf_hash", flat=True)
    head = opened(made.note, announced_keys(TENANT))
    assert (head.size, head.root) == (300, root_of([bytes(leaf) for leaf in leaves]))
    assert head.origin == f"dpgov/{TENANT}"
    (file,) = outside_files(TENANT)
    assert file.read_text() == made.note
    assert newest_outside(TENANT) == 300
    assert (folder_of(TENANT) / KEYS).read_text() == f"{known_keys(TENANT)[0].as_text()}\n"
    assert findings(TENANT) == []


@pytest.mark.parametrize("table", ["auditcheckpoint", "auditkey", "auditsubtree"])
@pytest.mark.parametrize(
    "change", ["UPDATE audit_{} SET tenant_id = tenant_id", "DELETE FROM audit_{}"]
)
def test_the_database_refuses_to_change_what_was_signed(table: str, change: str) -> None:
    """A7: checkpoints, keys and stored hashes are append-only like the entries."""
    signed(256)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change.format(table))
    assert findings(TENANT) == []


def test_the_private_key_is_made_once_and_readable_by_its_owner_alone(
    settings: Any,
) -> None:
    signed(1)
    path = settings.DPGOV_CHECKPOINT_KEY_FILE
    seed = path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    signed(1)
    assert path.read_text() == seed


def test_nothing_new_makes_no_checkpoint() -> None:
    assert make_checkpoint(tenant_id=TENANT) is None
    signed(2)
    assert make_checkpoint(tenant_id=TENANT) is None
    assert AuditCheckpoint.objects.count() == 1


def test_two_at_once_store_one() -> None:
    """Both compute the same; the second finds the first's."""
    signed(2)
    again = AuditCheckpoint.objects.get()
    AuditDelivery.objects.all().delete()
    with without_triggers():
        AuditCheckpoint.objects.all().delete()
    for file in outside_files(TENANT):
        file.unlink()
    first = make_checkpoint(tenant_id=TENANT)
    assert first
    assert (first.size, first.note) == (again.size, again.note)


@pytest.mark.parametrize(
    ("entries", "minutes", "due"),
    [(0, 11, False), (1, 9, False), (1, 10, True), (4, 0, False), (5, 0, True)],
)
def test_a_checkpoint_is_due_after_so_many_entries_or_minutes(
    settings: Any, entries: int, minutes: int, due: bool
) -> None:
    settings.DPGOV_CHECKPOINT_ENTRIES, settings.DPGOV_CHECKPOINT_MINUTES = 5, 10
    signed(1)
    with without_triggers():
        AuditCheckpoint.objects.update(at=timezone.now() - timedelta(minutes=minutes))
    write(entries)
    assert checkpoint_due(TENANT) == due


def test_the_first_entry_of_a_log_is_signed_at_once() -> None:
    assert not checkpoint_due(TENANT)
    write(1)
    assert checkpoint_due(TENANT)


def cut_the_end() -> None:
    with without_triggers():
        AuditEntry.objects.filter(sequence=300).delete()
    AuditHead.objects.update(sequence=299)


def rewrite_an_old_entry() -> None:
    rewrite(290, rehash=True)


def rewrite_a_new_entry() -> None:
    rewrite(301, rehash=False)


def rebuild_the_whole_log() -> None:
    """Every hash fits again; only the signature cannot be made."""
    rewrite(3, rehash=True)
    with without_triggers():
        AuditSubtree.objects.all().delete()
        AuditCheckpoint.objects.all().delete()
        AuditKey.objects.all().delete()
    AuditDelivery.objects.all().delete()
    extend(TENANT, 305)


def forge_the_checkpoint() -> None:
    with without_triggers():
        AuditCheckpoint.objects.update(root=b"0" * 32)


def lose_an_entry() -> None:
    with without_triggers():
        AuditEntry.objects.filter(sequence=301).delete()


@pytest.mark.parametrize(
    ("tamper", "reason"),
    [
        (cut_the_end, "its end was cut"),
        (rewrite_an_old_entry, "was signed over other entries"),
        (rewrite_a_new_entry, "Entry 301 does not match its own hash"),
        (rebuild_the_whole_log, "was signed over other entries"),
        (forge_the_checkpoint, "does not say what its own note says"),
        (lose_an_entry, "entry 301 is missing"),
    ],
)
def test_a_log_that_contradicts_what_was_signed_is_not_signed_again(
    tamper: Any, reason: str
) -> None:
    """G3: with full access to the database."""
    signed(300)
    write(5 if tamper is not cut_the_end else 0)
    tamper()
    before = AuditCheckpoint.objects.count()
    with pytest.raises(CheckpointRefused, match=reason):
        make_checkpoint(tenant_id=TENANT)
    assert AuditCheckpoint.objects.count() == before
    assert sweep_checkpoints(TENANT) is None


def test_a_restored_backup_is_noticed_by_the_folder(tmp_path: Path) -> None:
    """A9, G3: the database is older than the checkpoints outside it, also after it has grown."""
    signed(3)
    signed(4)
    with without_triggers():
        AuditEntry.objects.filter(sequence__gt=3).delete()
        AuditCheckpoint.objects.filter(size=7).delete()
    AuditHead.objects.update(sequence=3)
    AuditDelivery.objects.filter(size=7).delete()
    assert newest_outside(TENANT) == 7
    assert "restored from an older backup" in " ".join(findings(TENANT))
    write(4)
    with pytest.raises(CheckpointRefused, match="signed over other entries"):
        make_checkpoint(tenant_id=TENANT)
    assert set_aside(TENANT) != []
    assert newest_outside(TENANT) == 3
    signed(1)
    assert findings(TENANT) == []


def test_a_checkpoint_that_the_database_has_forgotten_is_noticed_by_the_folder() -> None:
    """G3: though every entry that it was signed over is still there."""
    signed(3)
    signed(4)
    with without_triggers():
        AuditCheckpoint.objects.filter(size=7).delete()
    assert "is newer than the newest one in the database" in " ".join(findings(TENANT))


def test_another_key_is_not_used_before_it_is_announced(settings: Any) -> None:
    """G3: whoever swaps the key file signs nothing."""
    signed(1)
    settings.DPGOV_CHECKPOINT_KEY = new_seed()
    write(1)
    with pytest.raises(CheckpointRefused, match="rotate_checkpoint_key"):
        make_checkpoint(tenant_id=TENANT)


def test_a_checkpoint_outside_is_never_overwritten() -> None:
    made = signed(2)
    (file,) = outside_files(TENANT)
    file.write_text("something else\n")
    AuditDelivery.objects.update(delivered_at=None)
    assert deliver_waiting(TENANT) == 0
    assert file.read_text() == "something else\n"
    delivery = AuditDelivery.objects.get()
    assert "is there already" in retold(delivery.problem)
    assert delivery.size == made.size


def test_each_tenant_has_a_folder_and_a_log_name_of_its_own() -> None:
    signed(1)
    write(2, tenant_id=NEIGHBOUR)
    foreign = make_checkpoint(tenant_id=NEIGHBOUR)
    assert foreign
    assert foreign.note.startswith(f"dpgov/{NEIGHBOUR}\n2\n")
    (folder_of(TENANT) / "000000000009-x.checkpoint").write_text(foreign.note)
    assert "proves nothing" in " ".join(findings(TENANT))


@pytest.fixture
def listener() -> Any:
    with listening() as found:
        yield found


def test_a_webhook_gets_the_note_and_a_failure_is_tried_again(
    settings: Any, listener: Listener
) -> None:
    settings.DPGOV_CHECKPOINT_WEBHOOK = listener.url
    listener.answer = 500
    made = signed(1)
    delivery = AuditDelivery.objects.get(destination="webhook")
    assert (delivery.attempts, delivery.delivered_at) == (1, None)
    assert retold(delivery.problem) == "The server answered 500."
    assert waiting(TENANT) == 1
    assert deliver_waiting(TENANT) == 0
    assert len(listener.received) == 1, "the next attempt has to wait"
    listener.answer = 200
    AuditDelivery.objects.update(next_attempt_at=timezone.now())
    assert deliver_waiting(TENANT) == 1
    assert listener.received == [made.note, made.note]
    assert waiting(TENANT) == 0


def test_a_redirect_is_no_delivery(settings: Any, listener: Listener) -> None:
    settings.DPGOV_CHECKPOINT_WEBHOOK = listener.url
    listener.answer = 302
    signed(1)
    assert AuditDelivery.objects.get(destination="webhook").delivered_at is None


def test_one_destination_that_is_away_does_not_hold_up_the_others(settings: Any) -> None:
    """Nor is its address stored, which may be a secret."""
    settings.DPGOV_CHECKPOINT_WEBHOOK = "http://127.0.0.1:9/a-secret"
    settings.DPGOV_CHECKPOINT_EMAIL = ["officer@example.org"]
    made = signed(1)
    states = dict(AuditDelivery.objects.values_list("destination", "delivered_at"))
    assert states["webhook"] is None
    problem = AuditDelivery.objects.get(destination="webhook").problem
    assert problem["values"] == {"kind": {"value": "ConnectionRefusedError ECONNREFUSED"}}
    assert states["folder"]
    assert states["e-mail"]
    assert made.note in mail.outbox[0].body
    assert mail.outbox[0].to == ["officer@example.org"]
