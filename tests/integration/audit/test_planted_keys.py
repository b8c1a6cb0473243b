"""A key or checkpoint that somebody puts into the database is believed and sent nowhere."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.utils import timezone
from structlog.testing import capture_logs

from dpgov.audit.checkpoints.deliveries import deliver_waiting, plan_deliveries
from dpgov.audit.history import findings
from dpgov.audit.keys.note import (
    NotSigned,
    PublicKey,
    new_seed,
    opened,
    parse_checkpoint,
    public_key,
)
from dpgov.audit.models import AuditCheckpoint, AuditDelivery, AuditKey
from dpgov.audit.outside import KEYS, folder_of, known_keys, outside_files
from dpgov.audit.recheck import recheck_all
from dpgov.audit.verify import BROKEN, CANNOT_TELL, main
from dpgov.language.translation import retold
from dpgov.tenants.models import Membership
from tests.integration.audit.logs import write
from tests.unit.audit.exports import files, line, log, note

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(own_folders: None) -> None:
    """What leaves the database stays in this test."""


def plant(officer: Membership, key: PublicKey, **place: int) -> None:
    """A row that says so, and nothing else."""
    AuditKey.objects.create(
        tenant_id=officer.tenant_id,
        public_key=key.as_text(),
        since_size=0,
        at=datetime(2020, 1, 1, tzinfo=UTC),
        **place,
    )


@pytest.mark.parametrize("place", [-1, 9_999])
@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("dpgov/{}", BROKEN),
        ("evil/{}", BROKEN),
        ("evil/of/{}", BROKEN),
        ("evil", CANNOT_TELL),
        ("evil/another", CANNOT_TELL),
    ],
)
@pytest.mark.tampers_with_ledger
def test_a_planted_key_is_neither_believed_nor_published(
    officer: Membership, old_key: PublicKey, tmp_path: Path, place: int, name: str, verdict: int
) -> None:
    """L8, S3: before and behind the true one, under its log's name, another one for the same log,
    or that of another log; and a forged export with it does not hold."""
    seed = new_seed()
    planted = public_key(seed=seed, name=name.format(officer.tenant_id))
    plant(officer, planted, id=place)
    AuditDelivery.objects.update(delivered_at=None)
    write(1, tenant_id=officer.tenant_id)
    call_command("checkpoint")
    published = folder_of(officer.tenant_id) / KEYS
    assert published.read_text() == f"{old_key.as_text()}\n"
    assert known_keys(officer.tenant_id) == [old_key]
    assert opened(AuditCheckpoint.objects.latest("size").note, [old_key])
    (problem,) = recheck_all(officer.tenant_id).problems
    assert planted.key_id.hex() in problem
    with pytest.raises(CommandError, match="does not hold"):
        call_command("verify_audit_log")
    rewritten = [line(number, tenant_id=str(officer.tenant_id)) for number in range(1, 7)]
    forged = note(rewritten, seed=seed, origin=planted.name)
    with pytest.raises(NotSigned):
        opened(forged, known_keys(officer.tenant_id))
    arguments = [*files(tmp_path, rewritten, forged)[:2], "--key", str(published)]
    assert main(arguments) == verdict


@pytest.mark.tampers_with_ledger
def test_a_checkpoint_that_no_known_key_signed_leaves_for_nowhere(
    officer: Membership, old_key: PublicKey, settings: Any
) -> None:
    """L8, S3: as whoever has the sweeper's password of the database plants it, with its key."""
    settings.DPGOV_CHECKPOINT_EMAIL = ["auditor@example.org"]
    seed, name = new_seed(), f"evil/{officer.tenant_id}"
    plant(officer, public_key(seed=seed, name=name))
    forged = AuditCheckpoint.objects.create(
        tenant_id=officer.tenant_id,
        size=9,
        root=parse_checkpoint(note(log(9))).root,
        note=note(log(9), seed=seed, origin=name),
        at=timezone.now(),
    )
    plan_deliveries(forged)
    with capture_logs() as logged:
        assert deliver_waiting(officer.tenant_id) == 0
    assert {(entry["event"], entry["kind"]) for entry in logged} == {
        ("checkpoint_not_delivered", "ProvesNothing")
    }
    assert [path.name[:12] for path in outside_files(officer.tenant_id)] == [f"{3:012}"]
    assert mail.outbox == []
    for delivery in AuditDelivery.objects.filter(size=9):
        assert "The checkpoint of 9 entries proves nothing" in retold(delivery.problem)
    assert "proves nothing" in " ".join(findings(officer.tenant_id))


def test_a_planted_key_does_not_stop_a_rotation(officer: Membership, old_key: PublicKey) -> None:
    """S3: the next key is signed by the true one and believed, whatever stands in between."""
    planted = public_key(seed=new_seed(), name=old_key.name)
    plant(officer, planted)
    call_command("rotate_checkpoint_key")
    keys = known_keys(officer.tenant_id)
    assert (keys[0], len(keys)) == (old_key, 2)
    assert planted not in keys
