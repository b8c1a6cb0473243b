"""The whole product, started as a person starts it: `manage.py demo`."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from tests.profile import redis_numbers
from tests.servers.loopback import free_port, stop, until_it_answers
from tests.servers.postgres import APP
from tests.servers.waiting import end_of, until
from tests.tables import begin_with_them, like_them

ROOT = Path(__file__).resolve().parents[2]
_SAID_LAST = "logs: "
BARE = ("--bare",)


@dataclass(frozen=True, slots=True)
class Product:
    """Where it runs and how to sign in."""

    url: str
    password: str
    home: Path
    process: subprocess.Popen[bytes]
    database: str = ""  # where the profile has a server, for its processes' role
    sessions: dict[str, Any] = field(default_factory=dict)


@contextmanager
def started_product(
    home: Path, *, beside_another: bool = False, options: tuple[str, ...] = BARE
) -> Generator[Product]:
    """Start it with the servers of this test run's profile; on leaving it must stop cleanly.

    Without its 90 days, unless the `options` are others; then it is there as soon as its first page
    is. One product may stand `beside_another` of the same worker, with Redis numbers of its own.
    """
    port = free_port()
    said = home / "said.txt"
    settings = _settings(home, f"journeys_{port}", beside_another=beside_another)
    with said.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "demo", "--port", str(port), "--force", *options],
            cwd=ROOT,
            env=os.environ | settings,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # As accounts have it: what is closed to others is so by the product itself.
            umask=0o022,
        )
    try:
        text = _wait_for_sign_ins(said, process)
        password = text.split("password of each: ")[1].split()[0]
        if options == BARE:
            _wait_for_workers(home / "state" / "operation", process)
        database = settings.get("DPGOV_DATABASE_URL", "")
        yield Product(f"http://127.0.0.1:{port}", password, home, process, database)
    finally:
        stop(process, signal.SIGTERM)
    assert process.returncode == 0, said.read_text()


def link_in_the_latest_letter(product: Product) -> str:
    """Where an invited person joins. Without a mail server, letters are files."""
    letters = sorted(
        (product.home / "state" / "mail").iterdir(), key=lambda f: f.stat().st_mtime_ns
    )
    links = [re.findall(r"https?://[^/\s]+(/join/[\w-]+/)", path.read_text()) for path in letters]
    # A notice to somebody else may have been written since.
    (path,) = next(found for found in reversed(links) if found)
    return f"{product.url}{path}"


def workers_of(product: Product) -> list[int]:
    """The process ids of the product's Celery workers, without the children of their pools."""
    children = Path(f"/proc/{product.process.pid}/task/{product.process.pid}/children")
    found = [int(pid) for pid in children.read_text().split()]
    return [pid for pid in found if b"celery" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _settings(home: Path, database: str, *, beside_another: bool) -> dict[str, str]:
    """A state folder of its own and, on servers, a database and Redis numbers of its own.

    The owner's role migrates; the product then runs as the application's.
    """
    settings = {"DPGOV_HOME": str(home / "state"), "PYTHONUNBUFFERED": "1"}
    # One owner registers what all journeys need, on one day.
    settings["DPGOV_FILES_A_DAY_PERSON"] = "100"
    if server := os.environ.get("DPGOV_DATABASE_URL"):
        address = server.rsplit("/", 1)[0]
        url = f"{address.replace('postgres:', 'postgresql:')}/postgres"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database} TEMPLATE {like_them()}")
        # Every process of a demonstration has this one address, so the application's role signs.
        settings["DPGOV_DATABASE_SWEEPER_ROLE"] = ""
        _migrate({**settings, "DPGOV_DATABASE_URL": f"{address}/{database}"})
        as_application = address.replace("//dpgov:", f"//{APP}:")
        settings["DPGOV_DATABASE_URL"] = f"{as_application}/{database}"
    else:
        begin_with_them(home / "state")
    if broker := os.environ.get("DPGOV_TESTS_REDIS"):
        number = int(os.environ["DPGOV_BROKER_URL"].rsplit("/", 1)[1])
        settings |= redis_numbers(broker, number + (4 if beside_another else 2))
    return settings


def _migrate(settings: dict[str, str]) -> None:
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=os.environ | settings, check=True)


def _wait_for_sign_ins(said: Path, process: subprocess.Popen[bytes]) -> str:
    def has_ended_or_is_there() -> bool:
        return process.poll() is not None or _SAID_LAST in said.read_text()

    until(has_ended_or_is_there, end_of(said))
    text = said.read_text()
    assert _SAID_LAST in text, text
    return text


def _wait_for_workers(told: Path, process: subprocess.Popen[bytes]) -> None:
    """Until whoever answers questions and whoever reads files say that they are there."""
    until_it_answers(lambda: len(list(told.glob("*.ready"))) >= 2, process, "a worker")
