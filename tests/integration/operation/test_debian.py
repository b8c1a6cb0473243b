"""L15: docs/deployment.md without containers, followed to the letter on servers of the test's own.

Left out is what takes a machine to itself: packages, accounts, and systemd, whose units are read
for what they start. Everything else is what an operator does, with the roles that they have.
"""

import configparser
import getpass
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import psycopg
import pytest

from tests.house.tree import ROOT
from tests.integration.operation.restoring import AFTERWARDS, BACKUP, MOVED, RESTORE, Places
from tests.profile import clean_environment
from tests.servers.loopback import free_port, stop
from tests.servers.objects import ObjectServer, throw_away_objects
from tests.servers.postgres import APP, AUDITOR, SWEEPER, throw_away_postgres
from tests.servers.redis import throw_away_redis
from tests.servers.waiting import PATIENCE, until

SITE = "budget.statistics.example"
# The table of commands in the documentation, and whatever its blocks run by the wrapper.
_COMMAND = re.compile(r"^(?:\| `)?(dpgov [^`\n#]+)", re.MULTILINE)
_JOIN = """
from django.contrib.auth.models import AnonymousUser
from dpgov.tenants.joining import accept
accept(token="{token}", person=AnonymousUser(), name="Olga", password="a quiet harbour at dawn")
"""
_DOCUMENTS = ("docs/deployment.md", "docs/operation.md", "docs/upgrade.md", "docs/backup.md")
_STORE_KEYS = ("store_key", "store_access_key", "store_secret_key")


def documented() -> list[str]:
    """Each command once, in the order of the pages."""
    texts = [(ROOT / name).read_text() for name in _DOCUMENTS]
    return list(dict.fromkeys(c.strip() for text in texts for c in _COMMAND.findall(text)))


@dataclass
class Machine:
    """Where the installer put things, and the address of the site."""

    root: Path
    port: int
    environment: dict[str, str]
    database: SplitResult

    @property
    def places(self) -> Places:
        """Of what docs/backup.md names."""
        password = self.root / "etc/owner_password"
        return Places(self.root / "state", self.root / "checkpoints", password, self.database)

    def run(self, *command: str, **changes: str) -> "subprocess.CompletedProcess[str]":
        """What a command of an operator's shell did."""
        return subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment | changes,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    def dpgov(self, *arguments: str, **changes: str) -> str:
        """The output of the wrapper, which must succeed."""
        done = self.run(str(self.root / "bin/dpgov"), *arguments, **changes)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def page(self, path: str) -> int:
        """The status behind the proxy, which speaks HTTPS."""
        headers = {"X-Forwarded-Proto": "https", "Host": SITE}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=15) as response:  # noqa: S310
                return int(response.status)
        except OSError:
            return 0


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with ExitStack() as resources:
        root = Path(tempfile.mkdtemp(prefix="dpgov-debian-"))
        root.chmod(0o711)  # the database has an account of its own
        resources.callback(shutil.rmtree, root, ignore_errors=True)
        servers = root / "servers"
        servers.mkdir(mode=0o711)
        database = resources.enter_context(throw_away_postgres(servers))
        broker = resources.enter_context(throw_away_redis(servers))
        made = _installed(root, database, broker)
        _made_roles(made)
        made.dpgov("migrate", "--noinput", "--verbosity", "0")
        yield made


def _installed(root: Path, database: str, broker: str) -> Machine:
    (root / "bin").mkdir()
    places = {"ETC": "etc", "STATE": "state", "CHECKPOINTS": "checkpoints", "BIN": "bin"}
    environment = clean_environment() | {name: str(root / at) for name, at in places.items()}
    machine = Machine(root, free_port(), environment, urlsplit(database))
    _install(machine)
    ports = {":5432/": f":{machine.database.port}/", ":6379/": f":{urlsplit(broker).port}/"}
    for path in (root / "etc").glob("environment*"):
        text = path.read_text()
        for usual, here in ports.items():
            text = text.replace(usual, here)
        path.write_text(text.replace("/var/lib/dpgov", str(root / "state")))
    (root / "etc/redis_password").unlink()  # the test's Redis has none
    return machine


def _install(machine: Machine) -> None:
    done = machine.run(
        *("sh", "docker/debian/install.sh", SITE),
        ACCOUNT=getpass.getuser(),
        VENV=str(Path(sys.executable).parent.parent),
        PACKAGES="no",
        ROLES="no",
        SERVICES="no",
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _made_roles(machine: Machine) -> None:
    """As the installer does on a machine of its own, where `postgres` may do all this."""
    server = machine.database
    admin = f"postgresql://admin:{server.password}@127.0.0.1:{server.port}/postgres"
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("DROP DATABASE dpgov")
        connection.execute(f"DROP ROLE {APP}, {SWEEPER}, {AUDITOR}, dpgov")
        connection.execute("CREATE DATABASE dpgov")
    done = machine.run(
        *("sh", "docker/postgres/roles.sh"),
        SECRETS=str(machine.root / "etc"),
        PGHOST="127.0.0.1",
        PGPORT=str(server.port),
        PGPASSWORD=server.password or "",
        POSTGRES_USER="admin",
    )
    assert done.returncode == 0, done.stderr


def test_the_documentation_names_commands_to_follow() -> None:
    names = {shlex.split(command)[1] for command in documented()}
    assert {"create_tenant", "verify_ledger", "verify_audit_log", "reconcile", "freeze"} <= names


def test_secrets_are_for_root_alone_and_the_site_has_its_name(machine: Machine) -> None:
    """S20: nobody else reads a password, and no template is left as it was."""
    etc = machine.root / "etc"
    assert {oct(path.stat().st_mode & 0o777) for path in etc.iterdir()} == {"0o600"}
    assert etc.stat().st_mode & 0o077 == 0
    assert f"DPGOV_ALLOWED_HOSTS={SITE}," in (etc / "environment").read_text()
    assert "example.org" not in (etc / "environment").read_text()


def test_the_installer_may_run_again(machine: Machine) -> None:
    """An upgrade is the same command; passwords stay."""
    before = (machine.root / "etc/secret_key").read_text()
    _install(machine)
    assert (machine.root / "etc/secret_key").read_text() == before


def test_django_finds_nothing_to_say_about_the_installation(machine: Machine) -> None:
    """J1"""
    told = machine.dpgov("check", "--deploy", "--database", "default", "--fail-level", "WARNING")
    assert "no issues" in told


def test_every_command_of_the_documentation_does_what_it_says(machine: Machine) -> None:
    """L15: in the order of the pages, each as the role that the wrapper chooses."""
    password = machine.root / "password"
    password.write_text("a quiet harbour at dawn")
    joined = ("somebody@example.org", "--password-file", str(password))
    machine.dpgov("create_tenant", "Lighthouse Office", *joined)
    with throw_away_objects(machine.root / "servers") as objects, _declared(machine, objects):
        _follow(machine, documented())


def _follow(machine: Machine, commands: Iterable[str]) -> None:
    for command in commands:
        _, *arguments = shlex.split(command)
        if arguments[0] == "password_link":
            # Whoever was only invited has no password to renew.
            arguments[-1] = "somebody@example.org"
        if arguments[0] == "practice":
            _join(machine, arguments[-1], role="owner")
        machine.dpgov(*arguments)


@contextmanager
def _declared(machine: Machine, objects: ObjectServer) -> Iterator[None]:
    """Object storage as an operator declares it, for as long as it runs."""
    etc, told = machine.root / "etc", objects.variables()
    keys = {name: told.pop(f"DPGOV_{name.upper()}") for name in _STORE_KEYS}
    before = (etc / "environment").read_text()
    for name, key in keys.items():
        (etc / name).touch(0o600)
        (etc / name).write_text(key)
    told["DPGOV_ARCHIVE_FOLDER"] = str(machine.root / "archive")
    lines = [f"{name}={value}" for name, value in told.items()]
    (etc / "environment").write_text("\n".join([before, *lines, ""]))
    try:
        yield
    finally:
        (etc / "environment").write_text(before)
        for name in keys:
            (etc / name).unlink()


def _join(machine: Machine, organisation: str, *, role: str) -> None:
    """Somebody is invited as an operator invites, and follows the link."""
    link = machine.dpgov("invite", organisation, f"{role}@example.org", "--role", role)
    token = link.strip().rstrip("/").rpartition("/")[2]
    machine.dpgov("shell", "-c", _JOIN.format(token=token))


def test_the_state_folder_holds_no_second_key(machine: Machine) -> None:
    """R13: commands use the installation's keys and make none of their own."""
    machine.dpgov("check")
    keys = {"secret_key", "fingerprint_key"}
    assert keys & {path.name for path in (machine.root / "state").iterdir()} == set()
    assert keys < {path.name for path in (machine.root / "etc").iterdir()}


def test_the_units_serve_the_site(machine: Machine) -> None:
    """What systemd starts, started by the wrapper with the same environment."""
    units = {p.stem.removeprefix("dpgov-"): _command(p) for p in _units()}
    units.pop("migrate")
    with ExitStack() as running:
        for name, command in units.items():
            role = "sweeper" if name == "sweeper" else "app"
            _start(machine, name, command, role, running)
        until(lambda: machine.page("/readyz") == 200, "the site is not ready")
        assert machine.page("/account/login/") == 200


def _units() -> list[Path]:
    return sorted((ROOT / "docker/systemd").glob("*.service"))


def _command(path: Path) -> list[str]:
    unit = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    unit.read_string(path.read_text())
    program, *arguments = shlex.split(unit["Service"]["ExecStart"].replace("%%", "%"))
    return [Path(program).name, *arguments]


def _start(machine: Machine, name: str, command: list[str], role: str, running: ExitStack) -> None:
    arguments = [part.replace(":8000", f":{machine.port}") for part in command]
    with (machine.root / f"{name}.log").open("wb") as output:
        process = subprocess.Popen(
            [str(machine.root / "bin/dpgov"), "--exec", *arguments],
            env=machine.environment | {"DPGOV_ROLE": role},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    running.callback(stop, process, signal.SIGTERM)


def test_a_backup_is_restored_as_the_page_says(machine: Machine, tmp_path: Path) -> None:
    """A9: under the name that it had, and yet it is another database."""
    machine.dpgov("shell", "-c", f"{MOVED}confirm_place()")
    before = machine.dpgov("shell", "-c", MOVED)
    machine.places.run(BACKUP, tmp_path)
    machine.places.run(RESTORE, tmp_path)
    assert machine.dpgov("shell", "-c", MOVED) == before.replace("False", "True") != before
    _follow(machine, AFTERWARDS.splitlines())


def test_only_root_runs_commands(machine: Machine) -> None:
    """Whoever cannot read the secrets is told so, before anything is made."""
    wrapper = (machine.root / "bin/dpgov").read_text()
    elsewhere = machine.root / "nobody"
    elsewhere.write_text(wrapper.replace(str(machine.root / "etc"), "/nowhere"))
    done = machine.run("sh", str(elsewhere), "check")
    assert (done.returncode, "only root may read" in done.stderr) == (os.EX_NOPERM, True)
