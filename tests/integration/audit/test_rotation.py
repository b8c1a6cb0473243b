"""The checkpoint key is changed, and trust passes from the old one to the new one."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from dpgov.audit.checkpoints.keyring import signing_seed
from dpgov.audit.keys.key_chain import follow, parse_list
from dpgov.audit.keys.note import (
    NotSigned,
    PublicKey,
    check_signed,
    new_seed,
    opened,
    public_key,
)
from dpgov.audit.models import AuditCheckpoint, AuditEntry, AuditKey
from dpgov.audit.outside import KEYS, folder_of, known_keys
from dpgov.audit.recheck import recheck_all
from dpgov.audit.selectors import announced_keys
from dpgov.tenants.models import Membership
from tests.integration.audit.logs import write
from tests.unit.audit.exports import log, note

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.DPGOV_CHECKPOINT_FOLDER = tmp_path / "checkpoints"
    settings.DPGOV_CHECKPOINT_KEY_FILE = tmp_path / "checkpoint_key"


@pytest.fixture
def old_key(officer: Membership) -> PublicKey:
    """The key that has signed one checkpoint of the officer's log."""
    write(3, tenant_id=officer.tenant_id)
    call_command("checkpoint")
    (key,) = announced_keys(officer.tenant_id)
    return key


def test_the_new_key_is_named_in_the_log_by_the_old_one_and_both_sign(
    officer: Membership, old_key: PublicKey
) -> None:
    """G1, G3: one entry; who trusts the old key alone can follow to the new one."""
    old_seed = signing_seed()
    call_command("rotate_checkpoint_key")
    assert signing_seed() != old_seed
    new_key = announced_keys(officer.tenant_id)[-1]
    entry = AuditEntry.objects.filter(tenant_id=officer.tenant_id).latest("sequence")
    said = json.loads(entry.detail)
    assert (entry.action, said["new_key"]) == ("CHECKPOINT_KEY_CHANGED", new_key.as_text())
    check_signed("\n".join(said["statement"]), [old_key])
    handover = AuditCheckpoint.objects.latest("size")
    assert handover.size == entry.sequence
    for key in (old_key, new_key):
        assert opened(handover.note, [key]).size == entry.sequence
    write(1, tenant_id=officer.tenant_id)
    call_command("checkpoint")
    assert opened(AuditCheckpoint.objects.latest("size").note, [new_key])
    assert recheck_all(officer.tenant_id).intact


def test_old_public_keys_stay_listed(officer: Membership, old_key: PublicKey) -> None:
    call_command("rotate_checkpoint_key")
    """S3: with the signature of the old one below the new one, so that the file proves itself."""
    listed = parse_list((folder_of(officer.tenant_id) / KEYS).read_text())
    keys = [one.key for one in listed]
    assert keys == announced_keys(officer.tenant_id) == known_keys(officer.tenant_id)
    assert (keys[0], len(keys)) == (old_key, 2)
    assert follow(listed).keys == keys


def test_a_list_from_before_signatures_were_written_into_it_is_completed(
    officer: Membership, old_key: PublicKey
) -> None:
    """S3: an installation that changed its key earlier goes on; the log has the signature."""
    call_command("rotate_checkpoint_key")
    keys = announced_keys(officer.tenant_id)
    place = folder_of(officer.tenant_id) / KEYS
    place.write_text("".join(f"{key.as_text()}\n" for key in keys))
    write(1, tenant_id=officer.tenant_id)
    call_command("checkpoint")
    assert follow(parse_list(place.read_text())).keys == keys
    assert recheck_all(officer.tenant_id).intact


@pytest.mark.parametrize("place", [-1, 9_999])
@pytest.mark.tampers_with_ledger
def test_a_planted_key_is_neither_believed_nor_published(
    officer: Membership, old_key: PublicKey, place: int, tmp_path: Path
) -> None:
    """S3, L8: before and behind the true one; and a forged export with it does not hold."""
    seed = new_seed()
    planted = public_key(seed=seed, name=old_key.name)
    AuditKey.objects.create(
        id=place,
        tenant_id=officer.tenant_id,
        public_key=planted.as_text(),
        since_size=0,
        at=datetime(2020, 1, 1, tzinfo=UTC),
    )
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
    forged = note(log(), seed=seed, origin=old_key.name)
    with pytest.raises(NotSigned):
        opened(forged, known_keys(officer.tenant_id))


def test_a_planted_key_does_not_stop_a_rotation(officer: Membership, old_key: PublicKey) -> None:
    """S3: the next key is signed by the true one and believed, whatever stands in between."""
    planted = public_key(seed=new_seed(), name=old_key.name)
    AuditKey.objects.create(
        tenant_id=officer.tenant_id, public_key=planted.as_text(), since_size=0, at=timezone.now()
    )
    call_command("rotate_checkpoint_key")
    keys = known_keys(officer.tenant_id)
    assert (keys[0], len(keys)) == (old_key, 2)
    assert planted not in keys


def test_a_rotation_that_broke_off_is_finished_by_running_it_again(
    officer: Membership, old_key: PublicKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new key is kept beside the old one before anybody hears of it."""
    command = "dpgov.oversight.management.commands.rotate_checkpoint_key"

    def power_cut() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"{command}.adopt_next", power_cut)
        with pytest.raises(KeyboardInterrupt):
            call_command("rotate_checkpoint_key")
    call_command("rotate_checkpoint_key")
    keys = announced_keys(officer.tenant_id)
    assert [keys[0], len(keys)] == [old_key, 2]
    assert public_key(seed=signing_seed(), name=old_key.name) == keys[1]
    assert AuditEntry.objects.filter(action="CHECKPOINT_KEY_CHANGED").count() == 1
    assert recheck_all(officer.tenant_id).intact


def test_a_key_from_the_environment_is_not_changed_by_a_command(
    officer: Membership, old_key: PublicKey, settings: Any
) -> None:
    settings.DPGOV_CHECKPOINT_KEY = new_seed()
    with pytest.raises(CommandError, match="DPGOV_CHECKPOINT_KEY_FILE"):
        call_command("rotate_checkpoint_key")
    assert len(announced_keys(officer.tenant_id)) == 1


def test_the_command_signs_what_is_new_and_says_so(
    officer: Membership, capsys: pytest.CaptureFixture[str]
) -> None:
    write(2, tenant_id=officer.tenant_id)
    call_command("checkpoint", "--tenant", officer.tenant.slug)
    call_command("checkpoint")
    said = capsys.readouterr().out
    assert "harbour: signed 2 entries, 0 deliveries waiting" in said
    assert "harbour: nothing new" in said


def test_the_command_ends_with_one_when_a_checkpoint_is_refused(
    officer: Membership, old_key: PublicKey, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DPGOV_CHECKPOINT_KEY = new_seed()
    write(1, tenant_id=officer.tenant_id)
    with pytest.raises(CommandError) as stopped:
        call_command("checkpoint")
    assert stopped.value.returncode == 1
    assert (
        "harbour: REFUSED, The checkpoint key is not the announced one" in capsys.readouterr().err
    )
