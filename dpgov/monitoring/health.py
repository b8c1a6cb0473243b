"""Tells a load balancer whether this process lives and can serve. Says nothing else to anybody.

What is wrong goes to the log, once each time it changes; strangers read "ok" or "not ready".
"""

import tempfile
from collections.abc import Callable, Iterator
from functools import cache

import structlog
from django.conf import settings
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dpgov.tenants.wall.findings import findings as wall_findings

_log = structlog.get_logger("dpgov.health")
_said: list[list[str]] = [[]]


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """200 "ok" as long as this process answers at all."""
    return _plain("ok", 200)


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 "ok" when questions can be accepted and kept; 503 "not ready" otherwise."""
    findings = list(_findings())
    if findings != _said[0]:
        _said[0] = findings
        _log.warning("readiness", ready=not findings, findings=findings)
    return _plain("not ready", 503) if findings else _plain("ok", 200)


def _findings() -> Iterator[str]:
    """What keeps this installation from serving, one text each."""
    for name, look in _CHECKS.items():
        try:
            yield from look()
        except (Error, OSError) as error:
            yield f"{name}: {type(error).__name__}"
            return


def _database() -> Iterator[str]:
    """That it can be asked, and written to: one that only reads can keep no question."""
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            cursor.execute("SELECT 1")
            return
        cursor.execute("SHOW transaction_read_only")
        if cursor.fetchone() == ("on",):
            yield "the database only reads"


def _migrations() -> Iterator[str]:
    """Asked until the answer is yes; tables do not go away under a running process."""
    try:
        _require_migrated()
    except _NotMigrated as waiting:
        yield str(waiting)


class _NotMigrated(Exception):
    """Migrations wait to be applied."""


@cache
def _require_migrated() -> None:
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        raise _NotMigrated(f"{len(waiting)} migrations wait to be applied")


def _state_folder() -> Iterator[str]:
    with tempfile.TemporaryFile(dir=settings.DPGOV_HOME):
        yield from ()


def _wall() -> Iterator[str]:
    yield from wall_findings()


_CHECKS: dict[str, Callable[[], Iterator[str]]] = {
    "database": _database,
    "migrations": _migrations,
    "wall": _wall,
    "state folder": _state_folder,
}


def _plain(text: str, status: int) -> HttpResponse:
    return HttpResponse(text, content_type="text/plain", status=status)
