"""What goes wrong on purpose: processes killed and frozen, connections cut, Redis emptied."""

import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import psycopg
import redis

from bench.fleet import Fleet
from tests.servers.loopback import free_port, stop, until_it_answers
from tests.servers.missing import find
from tests.servers.redis import answers, start_redis

_CUT = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE datname = 'dpgov' AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)


class OwnRedis:
    """A Redis that can be stopped and started again at the same place; it keeps nothing."""

    def __init__(self, home: Path) -> None:
        self._home, self._program = home, find(["redis-server"], "redis-server")
        self.port = free_port()
        self.process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        process = start_redis(self._program, self._home, self.port)
        until_it_answers(lambda: answers(self.port), process, "Redis")
        return process

    def restart(self) -> None:
        """Away for a moment, and empty afterwards."""
        self.end()
        time.sleep(0.5)
        self.process = self._started()

    def end(self) -> None:
        """Stop it."""
        stop(self.process, signal.SIGTERM)

    def client(self) -> redis.Redis:
        """A connection of the attacker's own."""
        return redis.Redis(port=self.port, socket_connect_timeout=1)


class Attack(threading.Thread):
    """Strikes at each beat until told to stop; `done` counts what it did."""

    def __init__(
        self, running: Fleet, server: OwnRedis, admin_url: str, *, frozen_seconds: float
    ) -> None:
        super().__init__(daemon=True)
        self.done: Counter[str] = Counter()
        self.over = threading.Event()
        self._running, self._redis, self._admin_url = running, server, admin_url
        self._frozen_seconds = frozen_seconds
        self._frozen: dict[int, float] = {}
        self._random = Random(20261121)
        self._plan: tuple[tuple[int, str, Callable[[], int]], ...] = (
            (1, "worker processes killed", self._kill),
            (20, "worker processes frozen past their lease", self._freeze),
            (40, "database connections cut", self._cut_database),
            (50, "Redis connections cut", self._cut_redis),
            (120, "times Redis was emptied", self._empty_redis),
            (350, "times Redis was restarted", self._restart_redis),
        )

    def run(self) -> None:
        """One beat is 50 ms."""
        beat = 0
        while not self.over.wait(0.05):
            beat += 1
            for every, name, strike in self._plan:
                if beat % every == 0:
                    with suppress(redis.RedisError, psycopg.Error, OSError):
                        self.done[name] += strike()
            self._thaw(time.monotonic())
        self._thaw(float("inf"))

    def _kill(self) -> int:
        return self._send(signal.SIGKILL)

    def _freeze(self) -> int:
        return self._send(signal.SIGSTOP)

    def _send(self, number: signal.Signals) -> int:
        alive = [pid for worker in self._running.workers() for pid in children_of(worker)]
        alive = [pid for pid in alive if pid not in self._frozen]
        if not alive:
            return 0
        victim = self._random.choice(alive)
        with suppress(ProcessLookupError):
            os.kill(victim, number)
            if number == signal.SIGSTOP:
                self._frozen[victim] = time.monotonic() + self._frozen_seconds
            return 1
        return 0

    def _thaw(self, now: float) -> None:
        for pid in [pid for pid, until in self._frozen.items() if until < now]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
            del self._frozen[pid]

    def _cut_database(self) -> int:
        with psycopg.connect(self._admin_url, autocommit=True) as admin:
            row = admin.execute(_CUT).fetchone()
        return int(row[0]) if row else 0

    def _cut_redis(self) -> int:
        return int(self._redis.client().client_kill_filter(_type="normal", skipme=True))

    def _empty_redis(self) -> int:
        self._redis.client().flushall()
        return 1

    def _restart_redis(self) -> int:
        self._redis.restart()
        return 1


def children_of(pid: int) -> list[int]:
    """The processes of a worker's pool."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    found: list[int] = []
    for children in lists:
        with suppress(OSError):
            found += map(int, children.read_text().split())
    return found
