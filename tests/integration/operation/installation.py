"""A production installation of its own: the processes of the Procfile, on servers that can be cut.

It runs as the application's role; tables were made by their owner. Independent of the profile.
"""

import json
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.house.tree import ROOT
from tests.profile import clean_environment
from tests.servers.cutoff import CutOff, cut_off
from tests.servers.keys import new_keys
from tests.servers.loopback import free_port, stop
from tests.servers.postgres import APP, AUDITOR, SWEEPER, throw_away_postgres
from tests.servers.redis import throw_away_redis
from tests.servers.waiting import until

OWNER = "dpgov_owner"
SIGNING = ("sweep", "checkpoint", "rotate_checkpoint_key")
_BIN = Path(sys.executable).parent
# Prints the token of an analyst who may ask about a small dataset.
_SEED = """
import django
django.setup()
from django.core.management import call_command
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Role, Tenant
from tests.cast import join, make_token
from tests.small_dataset import register_small_dataset
tenant = Tenant.objects.create(slug="harbour", name="Harbour")
owner, analyst = join(tenant, Role.OWNER, "olga"), join(tenant, Role.ANALYST, "anna")
join(tenant, Role.OFFICER, "oscar")
register_small_dataset(owner, name="Visits", limit_nano=1000 * NANO)
print(make_token(analyst, "load")[1])
"""


@dataclass
class Installation:
    """Where it is, how to ask it, and how to hurt it."""

    home: Path
    owner_url: str
    database: CutOff
    broker: CutOff
    environment: dict[str, str]
    port: int
    token: str = ""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def as_role(self, role: str) -> dict[str, str]:
        """What another role of the database has in its environment."""
        url = self.environment["DPGOV_DATABASE_URL"].replace(f"//{APP}@", f"//{role}@")
        return {"DPGOV_DATABASE_URL": url}

    def manage(self, *arguments: str, **changes: str) -> str:
        """The output of a command, which must succeed; those that sign are the sweeper's."""
        signs = arguments[0] in SIGNING
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment | (self.as_role(SWEEPER) if signs else {}) | changes,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def ask(self, key: str, *, timeout: float = 15) -> tuple[int, dict[str, Any]]:
        """Submit a question over HTTP: status and body; status 0 when there was no answer."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/v1/datasets/visits/queries/",
            data=json.dumps({"statistics": [{"statistic": "count"}], "epsilon": 0.01}).encode(),
            headers={
                "Authorization": f"Token {self.token}",
                "Idempotency-Key": key,
                "Content-Type": "application/json",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:  # noqa: S310
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, {}
        except (OSError, ValueError):
            return 0, {}

    def probe(self, path: str) -> int:
        try:
            url = f"http://127.0.0.1:{self.port}{path}"
            with urllib.request.urlopen(url, timeout=15) as response:
                status: int = response.status
                return status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Asked of the database directly, past the line that can be cut."""
        with psycopg.connect(self.owner_url) as connection:
            return connection.execute(statement).fetchall()

    def log(self, name: str) -> str:
        return (self.home / f"{name}.log").read_text()

    def all_alive(self) -> bool:
        return all(process.poll() is None for process in self.processes.values())


@contextmanager
def installation() -> Iterator[Installation]:
    """Started, with one dataset to ask about; everything is gone on leaving."""
    with ExitStack() as resources:
        root = Path(tempfile.mkdtemp(prefix="dpgov-installation-"))
        root.chmod(0o711)
        resources.callback(shutil.rmtree, root, ignore_errors=True)
        owner_url = _with_roles(root, resources.enter_context(throw_away_postgres(root)))
        redis_url = resources.enter_context(throw_away_redis(root))
        made = _wired(root, owner_url, redis_url, resources)
        _prepare(made)
        _start(made, resources)
        until(lambda: made.probe("/readyz") == 200, "the site is not ready")
        yield made


def _with_roles(root: Path, url: str) -> str:
    """The address of the owner's role, after docker/postgres/roles.sh made all of them anew."""
    server = urlsplit(url)
    admin = f"postgresql://admin:{server.password}@127.0.0.1:{server.port}/postgres"
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("DROP DATABASE dpgov")
        connection.execute(f"DROP ROLE {APP}, {SWEEPER}, {AUDITOR}, dpgov")
        connection.execute("CREATE DATABASE dpgov")
    secrets = root / "secrets"
    secrets.mkdir()
    for name in ("owner", "app", "sweeper", "auditor"):
        (secrets / f"{name}_password").write_text(f"{server.password}\n")
    password = server.password or ""
    place = {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGPASSWORD": password}
    subprocess.run(
        ["/bin/sh", "docker/postgres/roles.sh"],
        cwd=ROOT,
        env=clean_environment() | place | {"POSTGRES_USER": "admin", "SECRETS": str(secrets)},
        capture_output=True,
        check=True,
    )
    return url.replace("//dpgov:", f"//{OWNER}:")


def _wired(root: Path, owner_url: str, redis_url: str, resources: ExitStack) -> Installation:
    owner = urlsplit(owner_url)
    assert owner.port is not None
    database = resources.enter_context(cut_off(owner.port))
    broker = resources.enter_context(cut_off(int(redis_url.rsplit(":", 1)[1])))
    port = free_port()
    environment = clean_environment() | new_keys()
    environment |= {
        "DJANGO_SETTINGS_MODULE": "dpgov.settings",
        "DPGOV_HOME": str(root / "home"),
        "DPGOV_HTTPS": "0",
        "DPGOV_LOG_FORMAT": "json",
        "DPGOV_DATABASE_URL": f"postgres://{APP}@127.0.0.1:{database.port}/dpgov",
        "DPGOV_DATABASE_PASSWORD": owner.password or "",
        "DPGOV_DATABASE_APP_ROLE": APP,
        "DPGOV_DATABASE_SWEEPER_ROLE": SWEEPER,
        "DPGOV_DATABASE_AUDITOR_ROLE": AUDITOR,
        "DPGOV_BROKER_URL": f"redis://127.0.0.1:{broker.port}/0",
        "DPGOV_CACHE_URL": f"rediscache://127.0.0.1:{broker.port}/1",
        "DPGOV_QUERY_SECONDS": "5",
    }
    return Installation(root, owner_url, database, broker, environment, port)


def _prepare(made: Installation) -> None:
    as_owner = {"DPGOV_DATABASE_URL": made.owner_url}
    made.manage("migrate", "--verbosity", "0", **as_owner)
    seeded = subprocess.run(
        [sys.executable, "-c", _SEED],
        cwd=ROOT,
        env=made.environment | as_owner,
        capture_output=True,
        text=True,
        check=True,
    )
    made.token = seeded.stdout.split()[-1]


def _start(made: Installation, resources: ExitStack) -> None:
    for name, command in _procfile(made.port).items():
        with (made.home / f"{name}.log").open("wb") as output:
            process = subprocess.Popen(
                [str(_BIN / command[0]), *command[1:]],
                cwd=ROOT,
                env=made.environment | (made.as_role(SWEEPER) if name == "sweeper" else {}),
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        made.processes[name] = process
        resources.callback(stop, process, signal.SIGTERM)


def _procfile(port: int) -> dict[str, list[str]]:
    lines = (ROOT / "Procfile").read_text().replace(":8000", f":{port}").splitlines()
    named = dict(line.split(": ", 1) for line in lines)
    return {name: shlex.split(text) for name, text in named.items()}
