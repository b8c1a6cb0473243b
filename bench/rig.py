"""A throw-away installation for measurements: real servers, migrated, as the application's role.

Everything is removed afterwards. Must never be pointed at servers that somebody uses.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import django

from tests.servers.postgres import APP, AUDITOR, throw_away_postgres
from tests.servers.redis import throw_away_redis

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Installation:
    """Where it lives, and the addresses of its database as the owner and as the application."""

    home: Path
    owner_url: str
    app_url: str


@contextmanager
def installation(*, durable: bool, redis: bool = False) -> Iterator[Installation]:
    """Start the servers and set Django up as the owner, who prepares and looks.

    With `durable`, a commit waits for the disk as in production. Workers and clients are the
    application: see `as_application`.
    """
    with tempfile.TemporaryDirectory(prefix="dpgov-bench-") as folder:
        home = Path(folder)
        home.chmod(0o711)
        with throw_away_postgres(home, durable=durable) as owner_url:
            made = Installation(home, owner_url, _as_role(owner_url, APP))
            _set_up(made)
            if not redis:
                yield made
                return
            with throw_away_redis(home) as redis_url:
                os.environ["DPGOV_BROKER_URL"] = f"{redis_url}/0"
                os.environ["DPGOV_CACHE_URL"] = f"{redis_url.replace('redis:', 'rediscache:')}/1"
                yield made


def _set_up(made: Installation) -> None:
    for name in [name for name in os.environ if name.startswith("DPGOV_")]:
        del os.environ[name]
    os.environ |= {
        "DPGOV_HOME": str(made.home / "state"),
        "DPGOV_HTTPS": "0",
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
    from django.db import connection

    connection.close()
    connection.settings_dict["USER"] = APP
    connection.settings_dict["OPTIONS"].pop("options", None)


def _as_role(url: str, role: str) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rsplit("@", 1)
    place = f"{role}:{parts.password}@{host[1]}"
    return urlunsplit((parts.scheme, place, parts.path, "", ""))
