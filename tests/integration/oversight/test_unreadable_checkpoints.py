"""G3, S3: a checkpoint or a folder of them that cannot be read is said, and never taken as holding.

A directory stands for whatever cannot be read: the tests may run as root, who may read any file.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from dpgov.audit import outside
from dpgov.audit.checkpoints.deliveries import deliver_waiting
from dpgov.audit.checkpoints.signing import CheckpointRefused, make_checkpoint
from dpgov.audit.history import findings
from dpgov.audit.outside import KEYS, folder_of, outside_files
from dpgov.audit.recheck import recheck_all, recheck_part
from dpgov.tenants.models import Membership
from tests.integration.audit.logs import write

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
NEWER = "999999999999-aaaaaaaaaaaa.checkpoint"
PAGES = ("/", "/audit/", "/audit/checkpoints/", "/audit/keys/", "/month/")


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.DPGOV_CHECKPOINT_FOLDER = tmp_path / "checkpoints"
    settings.DPGOV_CHECKPOINT_KEY_FILE = tmp_path / "checkpoint_key"


@pytest.fixture
def folder(officer: Membership) -> Path:
    """Of the officer's log, with checkpoints of three and of five entries."""
    for count in (3, 2):
        write(count, tenant_id=officer.tenant_id)
        make_checkpoint(tenant_id=officer.tenant_id)
        deliver_waiting(officer.tenant_id)
    return folder_of(officer.tenant_id)


def shown_to(browser: Client) -> str:
    """What the pages and the verification say; each of them is a page."""
    found = [browser.get(path, follow=True) for path in PAGES]
    found += [browser.post("/audit/verify/")]
    assert {page.status_code for page in found} == {200}
    return " ".join(page.text for page in found[1:3] + found[-1:])


def test_a_checkpoint_that_cannot_be_read_is_on_the_pages_and_in_the_verification(
    officer: Membership, folder: Path, client_for: ClientFor
) -> None:
    """By its name alone, and beside what can be read."""
    (folder / NEWER).mkdir()
    browser = client_for(officer)
    said = shown_to(browser)
    assert said.count(f"{NEWER} proves nothing: it cannot be read.") == 3
    assert str(folder) not in said
    assert "holds checkpoints up to 5 entries" in said
    assert "The log does not hold" in said
    browser.cookies["django_language"] = "de"
    assert f"{NEWER} beweist nichts: nicht lesbar." in browser.get("/audit/").text


def test_an_unreadable_file_hides_no_contradiction_of_an_older_one(
    officer: Membership, folder: Path
) -> None:
    forged = outside_files(officer.tenant_id)[-1]
    forged.write_text(forged.read_text().replace("\n5\n", "\n6\n"))
    (folder / NEWER).mkdir()
    for found in (
        findings(officer.tenant_id),
        recheck_all(officer.tenant_id).problems,
        recheck_part(officer.tenant_id, after=0, most=10).problems,
    ):
        assert f"{NEWER} proves nothing: it cannot be read." in found
        assert any(forged.name in problem for problem in found)


def test_every_file_that_cannot_be_read_is_a_problem_of_the_whole_verification(
    officer: Membership, folder: Path
) -> None:
    oldest = outside_files(officer.tenant_id)[0]
    oldest.unlink()
    oldest.mkdir()
    verdict = recheck_all(officer.tenant_id)
    assert verdict.problems == (f"{oldest.name} proves nothing: it cannot be read.",)
    assert verdict.checkpoints == 3


def test_a_folder_that_cannot_be_read_is_not_an_empty_one(
    officer: Membership, folder: Path, client_for: ClientFor
) -> None:
    folder.rename(folder.with_name("elsewhere"))
    assert findings(officer.tenant_id) == []
    folder.touch()
    said = shown_to(client_for(officer))
    assert said.count("The folder of checkpoints proves nothing: it cannot be read.") == 3
    assert "The folder outside the database cannot be read." in said


def test_a_list_of_keys_that_cannot_be_read_is_said_and_not_given_out(
    officer: Membership, folder: Path, client_for: ClientFor
) -> None:
    """Nor are the keys of the database alone given out in its place."""
    (folder / KEYS).unlink()
    (folder / KEYS).mkdir()
    browser = client_for(officer)
    assert shown_to(browser).count(f"{KEYS} proves nothing: it cannot be read.") == 3
    assert browser.get("/audit/keys/").headers["Location"] == "/audit/checkpoints/"
    assert f"{KEYS} proves nothing: it cannot be read." in recheck_all(officer.tenant_id).problems
    (folder / KEYS).rmdir()
    (folder / KEYS).symlink_to(folder / "nowhere")
    assert findings(officer.tenant_id) == [f"{KEYS} proves nothing: it cannot be read."]


def test_a_file_that_was_set_aside_meanwhile_is_not_missed(
    officer: Membership, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link that leads nowhere is, and so is a name whose folder lets nobody through."""
    gone, lost = folder / NEWER, folder / f"8{NEWER[1:]}"
    lost.symlink_to(folder / "nowhere")
    closed = folder / KEYS / f"7{NEWER[1:]}"
    there = outside_files(officer.tenant_id)
    monkeypatch.setattr(outside, "outside_files", lambda _: [*there[:-1], closed, lost, gone])
    assert findings(officer.tenant_id) == [
        f"{path.name} proves nothing: it cannot be read." for path in (lost, closed)
    ]


def test_a_name_that_cannot_be_shown_is_escaped(officer: Membership, folder: Path) -> None:
    """What a stranger wrote into the folder steers no terminal, and breaks no page."""
    (folder / "999\n\x1b[8m\udcff.checkpoint").write_text("no note")
    (found,) = findings(officer.tenant_id)
    assert found.startswith("999\\u000a\\u001b[8m\\udcff.checkpoint proves nothing")


def test_the_command_refuses_in_words_and_signs_the_other_logs(
    officer: Membership,
    stranger: Membership,
    folder: Path,
    settings: Any,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / NEWER).mkdir()
    write(1, tenant_id=officer.tenant_id)
    write(1, tenant_id=stranger.tenant_id)
    with pytest.raises(CommandError, match="A checkpoint was not signed") as stopped:
        call_command("checkpoint")
    assert stopped.value.returncode == 1
    said = capsys.readouterr()
    assert f"harbour: REFUSED, {NEWER} proves nothing: it cannot be read." in said.err
    assert "elsewhere: signed 1 entries" in said.out
    with pytest.raises(CheckpointRefused, match="cannot be read"):
        make_checkpoint(tenant_id=officer.tenant_id)
    (folder / NEWER).rmdir()
    settings.DPGOV_CHECKPOINT_KEY_FILE = folder
    with pytest.raises(CommandError, match="A checkpoint was not signed"):
        call_command("checkpoint", "--tenant", "harbour")
    assert "harbour: NOT SIGNED, the key or the folder" in capsys.readouterr().err
