"""G2, G3: the stored log read again, against its tree, its checkpoints and the folder."""

import pytest
from django.core.management import CommandError, call_command

from dpgov.audit.actor import OPERATOR
from dpgov.audit.checkpoints.deliveries import deliver_waiting
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditCheckpoint, AuditEntry, AuditHead, AuditSubtree
from dpgov.audit.outside import outside_files
from dpgov.audit.recheck import recheck_all, recheck_part
from dpgov.audit.services import verify_and_record
from dpgov.tenants.models import Membership
from tests.integration.audit.logs import TENANT, rewrite, write
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(own_folders: None) -> None:
    """What leaves the database stays in this test."""


@pytest.fixture
def signed() -> None:
    """A log of 600 entries, signed at 100 and at 550."""
    for count in (100, 450):
        write(count)
        make_checkpoint(tenant_id=TENANT)
        deliver_waiting(TENANT)
    write(50)


def problems() -> str:
    return " ".join(recheck_all(TENANT).problems)


def test_an_untouched_log_holds_and_so_do_its_checkpoints(signed: None) -> None:
    """G2: each checkpoint counts here and in the folder."""
    verdict = recheck_all(TENANT)
    assert verdict.intact
    assert (verdict.size, verdict.checkpoints) == (600, 4)


def test_an_empty_log_holds() -> None:
    assert recheck_all(TENANT).intact
    assert recheck_part(TENANT, after=0, most=10).intact


def test_a_changed_entry_is_found_by_its_own_hash(signed: None) -> None:
    """G2"""
    rewrite(300, rehash=False)
    assert "Entry 300 does not match its own hash" in problems()


def test_a_changed_entry_with_a_fitting_hash_is_found_by_the_tree(signed: None) -> None:
    """G3"""
    rewrite(300, rehash=True)
    assert "One of the entries 257 to 512 was changed with its hash" in problems()


def test_a_changed_entry_with_a_fitting_tree_is_found_by_the_checkpoints(signed: None) -> None:
    """G3"""
    rewrite(300, rehash=True)
    with without_triggers():
        AuditSubtree.objects.all().delete()
    write(1)
    from dpgov.audit.stored_tree import extend

    extend(TENANT, 601)
    assert "The checkpoint of 550 entries was signed over other entries" in problems()
    with without_triggers():
        AuditCheckpoint.objects.all().delete()
    assert "000000000550-" in problems()
    assert "was signed over other entries" in problems()


def test_a_changed_entry_that_nobody_signed_yet_is_found_by_its_hash(signed: None) -> None:
    """G2"""
    rewrite(580, rehash=False)
    assert "Entry 580 does not match" in problems()


@pytest.mark.parametrize("sequence", [1, 256, 257, 600])
def test_a_missing_entry_is_named(signed: None, sequence: int) -> None:
    """G2"""
    with without_triggers():
        AuditEntry.objects.filter(sequence=sequence).delete()
    assert f"Entry {sequence} is missing" in problems()


def test_a_head_that_disagrees_with_the_entries_is_found(signed: None) -> None:
    """G2: both ways."""
    AuditHead.objects.update(sequence=601)
    assert "Entry 601 is missing" in problems()
    AuditHead.objects.update(sequence=599)
    assert "Entry 600 lies beyond the head" in problems()
    AuditHead.objects.all().delete()
    assert "Entry 600 lies beyond the head" in problems()


def test_a_forged_file_in_the_folder_is_named(signed: None) -> None:
    """G3"""
    newest = outside_files(TENANT)[0]
    newest.write_text(newest.read_text().replace("\n100\n", "\n99\n"))
    assert f"{newest.name} proves nothing" in problems()


@pytest.mark.parametrize("where", [1, 300, 599])
def test_a_part_is_checked_as_strictly_as_the_whole(signed: None, where: int) -> None:
    """G3: whatever is in the part, found with the part alone."""
    rewrite(where, rehash=True)
    start = (where - 1) // 256 * 256
    sealed = where <= 512
    assert recheck_part(TENANT, after=start, most=256).intact != sealed


def test_a_long_log_is_read_part_after_part_and_then_again(
    signed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K3: a page reads a bounded number of entries; the log says how far it got."""
    monkeypatch.setattr("dpgov.audit.services.MOST_AT_ONCE", 256)
    parts = [verify_and_record(tenant_id=TENANT, actor=OPERATOR) for _ in range(4)]
    assert [(part.first, part.last) for part in parts] == [
        (1, 256),
        (257, 512),
        (513, 602),
        (1, 256),
    ]
    assert all(part.intact for part in parts)


def test_the_command_names_every_problem_and_ends_with_one(
    officer: Membership, stranger: Membership, capsys: pytest.CaptureFixture[str]
) -> None:
    for member in (officer, stranger):
        write(2, tenant_id=member.tenant_id)
    call_command("checkpoint")
    call_command("verify_audit_log")
    assert "harbour: 2 entries hold, 2 checkpoints agree" in capsys.readouterr().out
    rewrite(1, rehash=False, tenant_id=officer.tenant_id)
    with pytest.raises(CommandError) as stopped:
        call_command("verify_audit_log")
    assert stopped.value.returncode == 1
    said = capsys.readouterr()
    assert "harbour: Entry 1 does not match its own hash" in said.err
    assert "elsewhere: 2 entries hold" in said.out
    call_command("verify_audit_log", "--tenant", "elsewhere")
    with pytest.raises(CommandError, match="There is no organisation nowhere"):
        call_command("verify_audit_log", "--tenant", "nowhere")
