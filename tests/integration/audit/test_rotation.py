"""The checkpoint key is changed, and trust passes from the old one to the new one."""

import json
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from dpgov.audit.checkpoints.keyring import adopt_next, next_seed, signing_key, signing_seed
from dpgov.audit.checkpoints.signing import CheckpointRefused, announce_key, make_checkpoint
from dpgov.audit.export import json_lines
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
from dpgov.audit.outside import KEYS, folder_of, known_keys, outside_files
from dpgov.audit.recheck import recheck_all
from dpgov.audit.selectors import announced_keys, log_size, stream
from dpgov.audit.verify import BROKEN, HOLDS, main
from dpgov.tenants.models import Membership
from tests.integration.audit.logs import rewrite, write
from tests.unit.audit.exports import files, line, note

COMMAND = "dpgov.oversight.management.commands.rotate_checkpoint_key"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(own_folders: None) -> None:
    """What leaves the database stays in this test."""


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


def test_a_rotation_that_broke_off_is_finished_by_running_it_again(
    officer: Membership, old_key: PublicKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new key is kept beside the old one before anybody hears of it."""

    def power_cut() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"{COMMAND}.adopt_next", power_cut)
        with pytest.raises(KeyboardInterrupt):
            call_command("rotate_checkpoint_key")
    call_command("rotate_checkpoint_key")
    keys = announced_keys(officer.tenant_id)
    assert [keys[0], len(keys)] == [old_key, 2]
    assert public_key(seed=signing_seed(), name=old_key.name) == keys[1]
    assert AuditEntry.objects.filter(action="CHECKPOINT_KEY_CHANGED").count() == 1
    assert recheck_all(officer.tenant_id).intact


def test_whoever_finds_the_old_private_key_signs_no_later_log_with_it(
    officer: Membership, old_key: PublicKey, tmp_path: Path
) -> None:
    """S3, G3: but what it signed before, and with the new one at the change, still holds."""
    tenant_id, old_seed = officer.tenant_id, signing_seed()
    call_command("rotate_checkpoint_key")
    handover = AuditCheckpoint.objects.latest("size")
    keys = ["--key", str(folder_of(tenant_id) / KEYS)]
    notes = [str(path) for path in outside_files(tenant_id)]
    export = tmp_path / "log.jsonl"
    export.write_bytes(b"".join(json_lines(stream(tenant_id, upto=handover.size))))
    assert main([str(export), *notes, *keys]) == HOLDS
    for size in (handover.size, handover.size + 1):
        forged = [line(number, tenant_id=str(tenant_id)) for number in range(1, size + 1)]
        signed = note(forged, seed=old_seed, origin=old_key.name)
        assert main([*files(tmp_path, forged, signed)[:2], *keys]) == BROKEN
        with pytest.raises(NotSigned):
            opened(signed, known_keys(tenant_id))


def test_an_announcement_says_the_number_that_its_entry_has_when_others_write_meanwhile(
    officer: Membership, old_key: PublicKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3: it is made again; else the old key would end before what it signed."""
    sizes = [1, 2]

    def size_then(tenant_id: UUID) -> int:
        return sizes.pop() if sizes else log_size(tenant_id)

    with monkeypatch.context() as patch:
        patch.setattr("dpgov.audit.checkpoints.signing.log_size", size_then)
        announce_key(tenant_id=officer.tenant_id, old_seed=signing_seed(), new_seed=new_seed())
    entry = AuditEntry.objects.get(action="CHECKPOINT_KEY_CHANGED")
    assert [key.until for key in known_keys(officer.tenant_id)] == [entry.sequence, None]


@pytest.mark.parametrize("entries", [0, 2])
def test_a_log_whose_first_checkpoint_falls_into_a_rotation_goes_on(
    officer: Membership, monkeypatch: pytest.MonkeyPatch, entries: int
) -> None:
    """S3: nothing was signed when the new key was announced, and then something by the old one."""
    first = list[AuditCheckpoint]()

    def signed_meanwhile() -> None:
        write(3, tenant_id=officer.tenant_id)
        first.append(make_checkpoint(tenant_id=officer.tenant_id) or AuditCheckpoint())
        write(entries, tenant_id=officer.tenant_id)
        adopt_next()

    with monkeypatch.context() as patch:
        patch.setattr(f"{COMMAND}.adopt_next", signed_meanwhile)
        call_command("rotate_checkpoint_key")
    old, new = known_keys(officer.tenant_id)
    assert opened(first[0].note, [old])
    write(1, tenant_id=officer.tenant_id)
    assert opened(getattr(make_checkpoint(tenant_id=officer.tenant_id), "note", ""), [new])
    assert recheck_all(officer.tenant_id).intact


def test_a_first_checkpoint_during_a_rotations_last_look_is_followed_by_the_new_key(
    officer: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3: the last look for a first key waits for whoever is just announcing it."""
    tenant_id, old, new = officer.tenant_id, signing_seed(), next_seed()
    write(2, tenant_id=tenant_id)

    def rotate() -> None:
        try:
            adopt_next()
            announce_key(tenant_id=tenant_id, old_seed=old, new_seed=new)
        finally:
            connection.close()

    rotation = Thread(target=rotate)

    def rotated_once_it_was_compared(of: UUID) -> PublicKey:
        found = signing_key(of)
        rotation.start()
        rotation.join(timeout=1)
        return found

    monkeypatch.setattr("dpgov.audit.checkpoints.signing.signing_key", rotated_once_it_was_compared)
    assert make_checkpoint(tenant_id=tenant_id)
    rotation.join()
    assert [key.raw for key in known_keys(tenant_id)] == [
        public_key(seed=seed, name="").raw for seed in (old, new)
    ]


def test_what_was_signed_while_the_key_file_was_replaced_is_not_stored(
    officer: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3: a first checkpoint by the old key would be no one's under the new one's announcement."""
    write(2, tenant_id=officer.tenant_id)
    stale = new_seed()
    with monkeypatch.context() as patch:
        patch.setattr("dpgov.audit.checkpoints.signing.signing_seed", lambda: stale)
        with pytest.raises(CheckpointRefused):
            make_checkpoint(tenant_id=officer.tenant_id)
    assert not AuditKey.objects.exists()
    assert make_checkpoint(tenant_id=officer.tenant_id)


def test_a_log_that_is_refused_keeps_no_other_from_the_signature_of_the_old_key(
    officer: Membership, old_key: PublicKey, stranger: Membership
) -> None:
    """G1: it can be had now or never; the key is changed also because somebody got hold of it."""
    write(1, tenant_id=stranger.tenant_id)
    call_command("checkpoint")
    rewrite(1, rehash=True, tenant_id=stranger.tenant_id)
    refused, signed = StringIO(), StringIO()
    with pytest.raises(CommandError, match="a checkpoint was not signed") as stopped:
        call_command("rotate_checkpoint_key", stdout=signed, stderr=refused)
    assert stopped.value.returncode == 1
    assert refused.getvalue().startswith("elsewhere: REFUSED, "), "the first of the two"
    assert signed.getvalue() == "harbour: signed by the old key and the new one\n"
    handover = AuditCheckpoint.objects.filter(tenant_id=officer.tenant_id).latest("size")
    for key in (old_key, announced_keys(officer.tenant_id)[-1]):
        assert opened(handover.note, [key]).size == log_size(officer.tenant_id)


def test_a_folder_that_cannot_be_read_is_said_before_anything_changes(
    officer: Membership, old_key: PublicKey
) -> None:
    """And once it can be read again, the same command changes the key."""
    seed, place = signing_seed(), folder_of(officer.tenant_id) / KEYS
    text = place.read_text()
    place.unlink()
    place.mkdir()
    with pytest.raises(CommandError, match=r"The key stays as it is: .*\(IsADirectoryError\)"):
        call_command("rotate_checkpoint_key")
    assert signing_seed() == seed
    place.rmdir()
    place.write_text(text)
    call_command("rotate_checkpoint_key")
    assert [old_key] == announced_keys(officer.tenant_id)[:-1]
    assert signing_seed() != seed


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
