"""The installer, the wrapper and the backup of a Debian machine, run with made-up programs."""

import getpass
import os
import re
import subprocess
import tarfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from tests.house import tree
from tests.integration.operation.restoring import BACKUP, CONTAINERS, Places

INSTALLER = tree.ROOT / "docker/debian/install.sh"
WRAPPER = tree.ROOT / "docker/debian/dpgov"


def _program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def _wrapper(tmp_path: Path, environment: str) -> Path:
    """The command as it is installed, for a Python that prints what it was given."""
    etc, venv = tmp_path / "etc", tmp_path / "venv"
    etc.mkdir()
    (etc / "secret_key").write_text("of a test")
    (etc / "environment").write_text(environment)
    (venv / "bin").mkdir(parents=True)
    _program(venv / "bin", "python", "env -0")
    text = WRAPPER.read_text()
    for name, place in {"ETC": etc, "VENV": venv, "TREE": tree.ROOT, "STATE": tmp_path}.items():
        text = text.replace(f"@{name}@", str(place))
    (tmp_path / "dpgov").write_text(text.replace("@ACCOUNT@", getpass.getuser()))
    return tmp_path / "dpgov"


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ('DPGOV_OIDC_NAME="Example Office"', "Example Office"),
        ("DPGOV_OIDC_NAME='Example Office'", "Example Office"),
        ("DPGOV_OIDC_NAME=Example Office", "Example Office"),
        ('DPGOV_OIDC_NAME=The "Office"', 'The "Office"'),
        ("DPGOV_OIDC_NAME=a=b", "a=b"),
        ("DPGOV_OIDC_NAME=", ""),
    ],
)
def test_a_command_reads_a_value_like_the_units(tmp_path: Path, line: str, value: str) -> None:
    """Which systemd gives it without the quotes around it."""
    wrapper = _wrapper(tmp_path, f"# of a test\nDPGOV_LOG_FORMAT=json\n{line}")
    bare = {"PATH": os.environ["PATH"]}
    said = subprocess.run(
        ["/bin/sh", wrapper], env=bare, capture_output=True, text=True, check=True
    )
    given = dict(each.split("=", 1) for each in said.stdout.split("\0") if each)
    assert given["DPGOV_LOG_FORMAT"] == "json"
    assert given["DPGOV_OIDC_NAME"] == value


def test_a_server_that_listens_for_no_reload_is_restarted() -> None:
    """The documented upgrade runs the installer again, on a server that runs."""
    assert "admin off" in (tree.ROOT / "docker/Caddyfile").read_text()
    text = INSTALLER.read_text()
    assert "systemctl restart caddy\n" in text
    assert "systemctl reload" not in text


def test_copies_of_passwords_go_also_when_the_database_is_away(tmp_path: Path) -> None:
    given = tmp_path / "given"
    done = _installed_without_database(tmp_path)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "app_password" in done.stdout, "they were there"
    assert list(given.iterdir()) == []


def test_the_key_that_recognises_data_is_taken_from_where_it_lay_before(tmp_path: Path) -> None:
    """M57: an upgrade makes no other one, and takes an older one for the newer no more."""
    kept, before = tmp_path / "ETC/fingerprint_key", tmp_path / "STATE/fingerprint_key"
    before.parent.mkdir()
    for found in ("the one of before\n", "one that came with an old backup\n"):
        before.write_text(found)
        _installed_without_database(tmp_path)
        assert kept.read_text() == "the one of before\n"
        assert kept.stat().st_mode & 0o777 == 0o600


def _installed_without_database(tmp_path: Path) -> "subprocess.CompletedProcess[str]":
    """The installer up to the database, which is away; it says what copies it had made by then."""
    given = tmp_path / "given"
    given.mkdir(exist_ok=True)
    _program(tmp_path / "programs", "su", f"cat >/dev/null; ls {given}/*/; exit 3")
    _program(tmp_path / "programs", "chown", "")
    places = {name: str(tmp_path / name) for name in ("ETC", "STATE", "CHECKPOINTS", "BIN")}
    return subprocess.run(
        ["/bin/sh", str(INSTALLER), "budget.example.org"],
        env=os.environ
        | places
        | {
            "PATH": f"{tmp_path / 'programs'}:{os.environ['PATH']}",
            "ACCOUNT": getpass.getuser(),
            "TMPDIR": str(given),
            "PACKAGES": "no",
            "SERVICES": "no",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_backup_keeps_the_keys_apart_from_what_they_open(tmp_path: Path) -> None:
    """On Debian some of them lie in the state folder."""
    home, checkpoints = tmp_path / "home", tmp_path / "checkpoints"
    keys = {"signing/checkpoint_key", "joint_keys/one.key", "fingerprint_key"}
    data = {"data/one.duckdb"}
    for name in {*keys, *data, "mail/letter", "cache/one"}:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("of a test")
    checkpoints.mkdir()
    *_, copying = BACKUP.partition("\ntar ")
    Places(home, checkpoints, tmp_path, urlsplit("")).run(f"tar {copying}", tmp_path)
    assert _files(tmp_path / "state.tar") == data
    assert _files(tmp_path / "keys.tar") == keys


def test_a_restore_in_containers_executes_nothing_in_what_is_stopped() -> None:
    """The page's commands name services that are there, or the example of a joint worker."""
    services = {*yaml.safe_load((tree.ROOT / "docker/compose.yaml").read_text())["services"]}
    backup, _, restore = CONTAINERS.partition("docker compose stop\n")
    options = r"(?:-T |--rm |--no-deps |-e \S+\s\S+ )*"
    asked = re.compile(rf"docker compose (exec|run) {options}(\S+)")
    assert {how for how, _name in asked.findall(backup)} == {"exec"}
    assert {name for how, name in asked.findall(restore) if how == "exec"} == {"postgres"}
    named = {name for _how, name in asked.findall(CONTAINERS)}
    assert named - services == {"joint-harbour-office"}


def _files(archive: Path) -> set[str]:
    with tarfile.open(archive) as opened:
        return {one.name.removeprefix("./") for one in opened if one.isfile()}
