"""How gunicorn serves the product: `gunicorn dpgov.wsgi --config
python:dpgov.configuration.serving`.

Its own variables win over this: WEB_CONCURRENCY for the number of processes, GUNICORN_CMD_ARGS for
everything else. One process serves eight requests at a time.
"""

import gc
import os
from itertools import count
from pathlib import Path
from typing import Any

from gunicorn.glogging import Logger
from prometheus_client.multiprocess import mark_process_dead

from dpgov.configuration.environment import log_settings
from dpgov.configuration.reading import Environment

_METRICS = "PROMETHEUS_MULTIPROC_DIR"
# Requests after which a process has loaded nearly everything that it will ever keep: pages,
# sentences, addresses. Python's collector would walk over all of it again and again, 60 to 150 ms
# each time, in the middle of somebody's request.
_SETTLED = frozenset({100, 1_000, 5_000})
_answered = count(1)
_TENDING_SECONDS = 60

worker_class = "gthread"
threads = 8
timeout = 60
graceful_timeout = 30
# Longer than any proxy keeps its end of a connection (Caddy 120 s, nginx 60 s): who closes first
# while the other one sends loses a request.
keepalive = 130
# A process that grows is replaced before anybody notices; not all of them at once.
max_requests = 20_000
max_requests_jitter = 2_000
# Workers touch an empty file there to show that they live; on a disk that could block.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 # nosec B108
control_socket_disable = True
accesslog = None
logconfig_dict = log_settings(Environment())


class _Log(Logger):  # type: ignore[misc]
    """Requests are told by our own middleware, one line each."""

    def access(self, *_: Any) -> None:
        """Nothing: what a line might say would be put together first, and then said nowhere."""


logger_class = _Log


def on_starting(server: Any) -> None:
    """Tallies of the last start would be added to those of this one."""
    if folder := os.environ.get(_METRICS):
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        for stale in Path(folder).glob("*.db"):
            stale.unlink()


def child_exit(server: Any, worker: Any) -> None:
    """What a process that ended had counted stays; what it was doing does not."""
    if _METRICS in os.environ:
        mark_process_dead(worker.pid)


def post_worker_init(worker: Any) -> None:
    """What a process has loaded before its first request stays: it is never looked through.

    With what writes PDFs, so that nobody waits for its fonts. Copies from storage are tended.
    """
    import dpgov.web.paper.tables  # noqa: F401
    from dpgov.datasets.services import keep_tending

    keep_tending(_TENDING_SECONDS)
    _keep_what_is_loaded()


def post_request(worker: Any, req: Any, environ: Any, resp: Any) -> None:
    """Nor what it has loaded since, once it has answered a number of requests."""
    if next(_answered) in _SETTLED:
        _keep_what_is_loaded()


def _keep_what_is_loaded() -> None:
    gc.collect()
    gc.freeze()
