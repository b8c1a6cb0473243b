"""The checkpoint key is changed, and trust passes from the old one to the new one."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dpgov.audit.keyring import signing_seed
from dpgov.audit.models import AuditCheckpoint, AuditEntry
from dpgov.audit.note import PublicKey, check_signed, new_seed, opened, public_key
from dpgov.audit.outside import KEYS, folder_of, known_keys
from dpgov.audit.recheck import recheck_all
from dpgov.audit.selectors import announced_keys
from dpgov.tenants.models import Membership
from tests.integration.audit.logs import write

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
    lines = (folder_of(officer.tenant_id) / KEYS).read_text().splitlines()
    assert lines == [key.as_text() for key in announced_keys(officer.tenant_id)]
    assert lines[0] == old_key.as_text()
    assert known_keys(officer.tenant_id)[0] == old_key


def test_a_rotation_that_broke_off_is_finished_by_running_it_again(
    officer: Membership, old_key: PublicKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new key is kept beside the old one before anybody hears of it."""
    command = "dpgov.tenants.management.commands.rotate_checkpoint_key"

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
