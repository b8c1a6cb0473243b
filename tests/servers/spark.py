"""A throw-away Spark on loopback: a master, two workers and a Connect server, each a process.

Needs the dependency group `spark`, which brings the server, and Java; neither is part of the suite.
"""

import importlib.util
import os
import secrets
import signal
import socket
import subprocess
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.loopback import free_port, stop, until_it_answers
from tests.servers.missing import MissingProgram, find

_JAVA = "openjdk-17-jre-headless"
_HOST = "127.0.0.1"
# A machine that is busy takes minutes to start four of them.
_CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"
_DEPLOY = "org.apache.spark.deploy"


class MissingSpark(MissingProgram):
    """The dependency group is not installed. Fails the run; never skips a test."""

    def __init__(self) -> None:
        Exception.__init__(self, "pyspark is not installed: uv sync --group spark")


@dataclass(frozen=True, slots=True)
class Spark:
    """Where the Connect server listens, and what it lets in."""

    port: int
    token: str
    log: Path


@contextmanager
def throw_away_spark(root: Path, *, cores: int = 1) -> Generator[Spark]:
    """Run a cluster below `root`, of two workers with so many cores. Raises MissingProgram."""
    java, home = find(["java"], _JAVA), _home()
    ports = [free_port() for _ in range(2)]
    started = _Processes(home, root, java)
    found = Spark(ports[1], secrets.token_hex(16), root / "connect.log")
    with ExitStack() as stack:
        stack.callback(started.stop)
        master = f"spark://{_HOST}:{ports[0]}"
        where = ["--host", _HOST, "--webui-port", "0"]
        deploy = ["spark-class", f"{_DEPLOY}.master.Master", *where]
        started.run("master", [*deploy, "--port", str(ports[0])])
        started.until_it_listens("master", ports[0])
        for number in range(2):
            own = ["--cores", str(cores), "--memory", "1g", "--work-dir", str(root / "work")]
            deploy = ["spark-class", f"{_DEPLOY}.worker.Worker", *where]
            started.run(f"worker{number}", [*deploy, *own, master])
        options = [f"--conf={name}={value}" for name, value in _settings(found, root).items()]
        submit = ["spark-submit", "--class", _CONNECT, "--master", master]
        started.run("connect", [*submit, *options, "spark-internal"], token=found.token)
        started.until_it_listens("connect", found.port)
        yield found


def _home() -> Path:
    """Where pyspark is, without importing it."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise MissingSpark
    return Path(spec.origin).parent


def _settings(spark: Spark, root: Path) -> dict[str, object]:
    """Of a small cluster; among them what a session must not depend on."""
    return {
        "spark.connect.grpc.binding.address": _HOST,
        "spark.connect.grpc.binding.port": spark.port,
        "spark.driver.host": _HOST,
        "spark.driver.bindAddress": _HOST,
        "spark.executor.memory": "640m",
        "spark.ui.enabled": "false",
        "spark.local.dir": root / "local",
        "spark.sql.warehouse.dir": root / "warehouse",
        "spark.sql.shuffle.partitions": 4,
        "spark.default.parallelism": 2,
    }


class _Processes:
    """Programs of one cluster, which end together."""

    def __init__(self, home: Path, root: Path, java: Path) -> None:
        self._home, self._root, self._java = home, root, java
        self._all: list[subprocess.Popen[bytes]] = []

    def run(self, name: str, command: Sequence[str], *, token: str = "") -> None:
        environment = {
            "PATH": os.environ["PATH"],
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": _HOST,
            "SPARK_DAEMON_MEMORY": "1g" if token else "256m",
            "SPARK_WORKER_DIR": str(self._root / "work"),
        }
        if token:
            environment["SPARK_CONNECT_AUTHENTICATE_TOKEN"] = token
        with (self._root / f"{name}.log").open("wb") as log:
            self._all.append(
                subprocess.Popen(
                    [str(self._home / "bin" / command[0]), *command[1:]],
                    stdout=log,
                    stderr=log,
                    cwd=self._root,
                    env=environment,
                    start_new_session=True,
                )
            )

    def until_it_listens(self, name: str, port: int) -> None:
        """Until the one that was started last listens."""
        until_it_answers(_listens(port), self._all[-1], f"Spark's {name}")

    def stop(self) -> None:
        for process in reversed(self._all):
            stop(process, signal.SIGTERM)


def _listens(port: int) -> Callable[[], bool]:
    def listens() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex((_HOST, port)) == 0

    return listens
