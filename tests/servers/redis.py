"""A throw-away Redis without persistence, on a port of its own."""

import signal
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.loopback import free_port, stop, until_it_answers
from tests.servers.missing import find


@contextmanager
def throw_away_redis(root: Path) -> Generator[str]:
    """Run a server below `root`; yields its URL without a database number."""
    program = find(["redis-server"], "redis-server")
    port = free_port()
    process = start_redis(program, root, port)
    try:
        until_it_answers(lambda: answers(port), process, "Redis")
        yield f"redis://127.0.0.1:{port}"
    finally:
        stop(process, signal.SIGTERM)


def start_redis(program: Path, root: Path, port: int) -> subprocess.Popen[bytes]:
    """Start a server that keeps nothing on disk."""
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    options += ["--databases", "64"]
    with (root / "redis.log").open("ab") as log:
        return subprocess.Popen(
            [str(program), *options, "--dir", str(root)],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def answers(port: int) -> bool:
    """Whether a Redis on this port answers PING."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False
