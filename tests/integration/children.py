"""Runs steps in forked processes on the test database, and kills them where a test says.

The parent closes its databases first: DuckDB's threads and locks do not survive a fork.
"""

import gc
import os
import signal
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, connections

from dpgov.datasets.services.files.data import _engine

Step = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Death:
    """Die by SIGKILL at the n-th database statement (commits included), before or after it."""

    statement: int
    after: bool


def run_at_once(steps: Sequence[Step]) -> list[int]:
    """Run every step in its own process at the same moment; the exit codes, in order."""
    _close_everything()
    reader, writer = os.pipe()
    pids = [_fork(step, wait_for=(reader, writer)) for step in steps]
    os.close(reader)
    os.close(writer)  # the starting shot: every child's read ends
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]


def run(step: Step, death: Death | None = None) -> int:
    """Run one step in its own process; its exit code, -9 if it was killed."""
    _close_everything()
    pid = _fork(step, death=death)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _close_everything() -> None:
    connections.close_all()
    _engine.cache_clear()
    gc.collect()
    gc.freeze()  # what is left stays for long: the next collection is quick, and children share it


def _fork(step: Step, wait_for: tuple[int, int] | None = None, death: Death | None = None) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        if wait_for is not None:
            os.close(wait_for[1])
            os.read(wait_for[0], 1)
        if death is not None:
            _arrange(death)
        result = step()
        code = result if type(result) is int else 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _arrange(death: Death) -> None:
    """Count statements and commits of this process and die at the chosen one."""
    seen = 0

    def around(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal seen
        seen += 1
        mine = seen == death.statement
        if mine and not death.after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = execute(*arguments)
        if mine:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    known: Any = connection
    known.ensure_connection()
    known.execute_wrappers.append(around)
    commit = known._commit
    known._commit = lambda: around(commit)
