"""The reader of files without its start: a process that has loaded it forks for each file.

Loading DuckDB and Arrow takes a reader 0.2 s, and a run reads some three hundred different files.
What a fork does is the reader's own, in a process and within limits of its own; tests of how the
true one starts, ends and dies are marked `real_reader`.
"""

import io
import json
import multiprocessing
import os
import sys
import time
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.forkserver import ensure_running
from threading import Lock
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

from dpgov.engines import child_process
from dpgov.engines.child_process import ENVIRONMENT, Died, Limits, Watch, _listen

_LOADED = [
    "tests.forked_reader",
    "dpgov.engines.deriving",
    "dpgov.engines.ingest.at_all",
    "dpgov.engines.ingest.checking",
    "dpgov.engines.ingest.joining",
    "dpgov.engines.ingest.store",
]
_FORKS = multiprocessing.get_context("forkserver")
_one_at_a_time = Lock()
# Those that a test forks itself have no forks of their own.
_PROCESS = os.getpid()


@cache
def _loaded() -> None:
    """In the environment that the product gives to a reader, whoever asks first."""
    _FORKS.set_forkserver_preload(_LOADED)
    with patch.dict(os.environ, ENVIRONMENT, clear=True):
        ensure_running()


def converse(request: dict[str, Any], limits: Limits, watch: Watch) -> dict[str, Any]:
    """As the function of this name in `dpgov.engines.child_process`."""
    if os.getpid() != _PROCESS:
        return child_process.converse(request, limits, watch)
    with _one_at_a_time:
        _loaded()
    body = limits.as_json()
    here, there = _FORKS.Pipe(duplex=False)
    reader = _FORKS.Process(target=_read, args=(request | body, there))
    with here:
        with there:
            reader.start()
        try:
            child = cast(Any, SimpleNamespace(stdout=here))
            last = _listen(child, time.monotonic() + limits.seconds, watch)
        except BaseException:
            reader.kill()
            raise
        finally:
            reader.join()
            code = reader.exitcode or 0
            reader.close()
    if last is None:
        raise Died(code)
    return last


def _read(request: dict[str, Any], there: Connection) -> None:
    from dpgov.engines.ingest.__main__ import main

    os.dup2(there.fileno(), 1)
    there.close()
    sys.stdin = io.StringIO(json.dumps(request | {"parent": os.getppid()}))
    sys.stdout = os.fdopen(1, "w", closefd=False)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    main()
