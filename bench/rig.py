"""A throw-away installation for measurements: real servers, migrated, as the application's role.

Everything is removed afterwards. Must never be pointed at servers that somebody uses.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import django

from tests.servers.keys import new_keys
from tests.servers.postgres import APP, AUDITOR, throw_away_postgres

_EVERY_TENANT = "-c dpgov.tenant=all"
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Installation:
    """Where it lives, and the addresses of its database as the owner and as the application."""

    home: Path
    owner_url: str
    app_url: str
    admin_url: str


@contextmanager
def installation(*, durable: bool) -> Iterator[Installation]:
    """Start a server and complete the environment, of the owner, who prepares and looks.

    With `durable`, a commit waits for the disk as in production. Workers and clients are the
    application: see `as_application`.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    with tempfile.TemporaryDirectory(prefix="dpgov-bench-") as folder:
        home = Path(folder)
        home.chmod(0o711)
        with throw_away_postgres(home, durable=durable) as owner_url:
            made = Installation(
                home, owner_url, _as_role(owner_url, APP), _as_role(owner_url, "admin")
            )
            _set_up(made)
            yield made


def _interrupt(*_: object) -> None:
    """SIGTERM ends a measurement as Ctrl-C does, so that the servers are put away."""
    raise KeyboardInterrupt


def _set_up(made: Installation) -> None:
    for name in [name for name in os.environ if name.startswith("DPGOV_")]:
        del os.environ[name]
    os.environ |= new_keys() | {
        "DPGOV_HOME": str(made.home / "state"),
        "DPGOV_HTTPS": "0",
        "DPGOV_LOG_LEVEL": "ERROR",
        # One owner registers hundreds of datasets here.
        "DPGOV_FILES_A_DAY_PERSON": "100000",
        "DPGOV_FILES_A_DAY_ORGANISATION": "100000",
        # What one person may do in a minute is less than a measurement does.
        "DPGOV_RATE_PERSON": "1000000",
        "DPGOV_RATE_ORGANISATION": "1000000",
        "DPGOV_DATABASE_URL": made.owner_url,
        "DPGOV_DATABASE_APP_ROLE": APP,
        "DPGOV_DATABASE_AUDITOR_ROLE": AUDITOR,
        "DJANGO_SETTINGS_MODULE": "dpgov.settings",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity=0", "--skip-checks"]
    subprocess.run(command, check=True)


def set_up_django() -> None:
    """Once the environment is complete."""
    django.setup()


def as_application() -> None:
    """From here on this process is what a web process or a worker is: it sees one tenant's rows."""
    _log_in(APP, "")


def as_owner() -> None:
    """From here on this process prepares and looks again."""
    _log_in("dpgov", _EVERY_TENANT)


def _log_in(role: str, told: str) -> None:
    from django.db import connection

    connection.close()
    connection.settings_dict["USER"] = role
    options = connection.settings_dict["OPTIONS"]
    options["options"] = f"{told} {options['options'].replace(_EVERY_TENANT, '')}".strip()


def _as_role(url: str, role: str) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rsplit("@", 1)
    place = f"{role}:{parts.password}@{host[1]}"
    return urlunsplit(("postgresql", place, parts.path, "", ""))
