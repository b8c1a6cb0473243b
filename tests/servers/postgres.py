"""A throw-away PostgreSQL: own data folder, own port, own unprivileged user; removed at the end."""

import os
import pwd
import secrets
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tests.servers.loopback import ServerDidNotStart, free_port, stop, until_it_answers
from tests.servers.missing import find

APP, SWEEPER, AUDITOR = "dpgov_app", "dpgov_sweeper", "dpgov_auditor"
# One role a person who audits: a member of the auditor's.
PERSON = "mona"
EVERY_TENANT = "options=-c%20dpgov.tenant%3Dall"
_PACKAGE = "postgresql"
_OLDEST = 15


@contextmanager
def throw_away_postgres(root: Path, *, durable: bool = False) -> Generator[str]:
    """Run a server below `root`; yields the database URL of a role that may create databases.

    That role owns the tables and sees every tenant, so that tests may prepare and look. APP,
    SWEEPER and AUDITOR are there too, with the same password. Unless `durable`, nothing is waited
    for at a commit: a test database need not survive a power cut. Raises MissingProgram.
    """
    initdb, postgres = _program("initdb"), _program("postgres")
    port, password = free_port(), secrets.token_hex(16)
    folder = root / "postgres"
    folder.mkdir(mode=0o700)
    as_user = _unprivileged(folder)
    _initialise(initdb, folder, password, as_user)
    process = _serve(postgres, folder, port, as_user, durable=durable)
    try:
        admin = f"postgresql://admin:{password}@127.0.0.1:{port}/postgres"
        until_it_answers(lambda: _answers(admin), process, "PostgreSQL")
        _create_roles(admin, password)
        yield f"postgres://dpgov:{password}@127.0.0.1:{port}/dpgov?{EVERY_TENANT}"
    finally:
        stop(process, signal.SIGINT)


def _program(name: str) -> Path:
    versions = Path("/usr/lib/postgresql").glob("[0-9]*/bin")
    recent = [v for v in versions if int(v.parent.name) >= _OLDEST]
    return find([name], _PACKAGE, sorted(recent, key=lambda v: -int(v.parent.name)))


def _unprivileged(folder: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root: become `postgres` or `nobody`, who then own the folder."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _initialise(initdb: Path, folder: Path, password: str, as_user: dict[str, Any]) -> None:
    password_file = folder / "password"
    password_file.write_text(password)
    if as_user:
        os.chown(password_file, as_user["user"], as_user["group"])
    command = [initdb, "-D", folder / "data", "-U", "admin", "-A", "scram-sha-256", "-E", "UTF8"]
    finished = subprocess.run(
        [*map(str, command), "--locale=C.UTF-8", "--no-sync", f"--pwfile={password_file}"],
        capture_output=True,
        check=False,
        cwd="/",
        **as_user,
    )
    password_file.unlink()
    if finished.returncode:
        raise ServerDidNotStart(finished.stderr.decode())


def _serve(
    postgres: Path, folder: Path, port: int, as_user: dict[str, Any], *, durable: bool
) -> subprocess.Popen[bytes]:
    sync = "on" if durable else "off"
    options = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": folder,
        "fsync": sync,
        "synchronous_commit": sync,
        "full_page_writes": sync,
        "checkpoint_timeout": "1h",
        "max_connections": 200,
    }
    settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    with (folder.parent / "postgres.log").open("wb") as log:
        return subprocess.Popen(
            [str(postgres), "-D", str(folder / "data"), *settings],
            stdout=log,
            stderr=log,
            cwd="/",
            start_new_session=True,  # Ctrl-C is ours to pass on, after the tests let go
            **as_user,
        )


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def _create_roles(admin: str, password: str) -> None:
    """The roles of an installation, no superuser among them; the owner may act as who writes."""
    with psycopg.connect(admin, autocommit=True) as connection:
        for name in ("dpgov", APP, SWEEPER, AUDITOR, PERSON):
            role = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
            connection.execute(role.format(sql.Identifier(name), password))
        connection.execute(f"ALTER ROLE dpgov CREATEDB; GRANT {APP}, {SWEEPER} TO dpgov")
        connection.execute(f"GRANT {AUDITOR} TO {PERSON}")
        connection.execute("CREATE DATABASE dpgov OWNER dpgov")
