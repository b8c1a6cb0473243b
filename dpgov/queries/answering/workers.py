"""What each worker says of itself every ten seconds: that it is there, and whether it is ready.

A worker is ready when it sees the data files that are asked for, or can bring them here. It says
so in a row, for the metrics and the sweep, and by a file in the state folder, for the health check
of its container. Another file says that it lives: to restart a worker that only lacks a file, or
waits for a server that is away, would break off what it answers and mend nothing.
"""

import threading
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import structlog
from django.conf import settings
from django.db import Error, connection
from django.db.models import QuerySet

from dpgov.datasets.services import may_come, sees, tend_copies
from dpgov.operation.clock import database_now
from dpgov.queries.crossing import UNFINISHED
from dpgov.queries.models import Query
from dpgov.queries.models.workers import Worker
from dpgov.tenants.crossing import through_gate

_EVERY_SECONDS = 10.0
_THERE = timedelta(minutes=1)
_FORGOTTEN = timedelta(hours=1)
_MOST_TOLD = 100
# No worker of the queue has such a name, which always holds an @.
_JOINT = "joint"
_log = structlog.get_logger("dpgov.worker")
Asked = tuple[UUID, str, str | None]


class BeatThread:
    """The thread of a worker's parent process that tells of it."""

    def __init__(self, name: str, *, answers: bool = True) -> None:
        """`answers` unless it serves other queues, like the readers of files."""
        self._id, self._name, self._answers = uuid4(), name, answers
        self._stop = threading.Event()
        self._lacks: list[UUID] | None = None

    def start(self) -> None:
        """Tell now and again until `stop`, from a thread of its own."""
        threading.Thread(target=self._run, daemon=True).start()

    def stop(self) -> None:
        """Not there any more."""
        self._stop.set()
        ready_file(self._name).unlink(missing_ok=True)
        alive_file(self._name).unlink(missing_ok=True)

    def tell(self) -> None:
        """Look at the files and write row and file; what changed goes to the log."""
        if not self._answers:
            mark_ready(self._name)
            return
        lacks = sorted(
            version
            for version, seal, key_id in asked_for()
            if not sees(version, seal, key_id) and not may_come(version, key_id)
        )
        if lacks != self._lacks:
            self._lacks = lacks
            _log.warning("ready" if not lacks else "not ready", lacks=[str(one) for one in lacks])
        now = database_now()
        told = {"name": self._name[:200], "seen_at": now, "ready": not lacks}
        ids = [str(version) for version in lacks[:_MOST_TOLD]]
        Worker.objects.update_or_create(id=self._id, defaults={**told, "lacks": ids})
        Worker.objects.filter(seen_at__lt=now - _FORGOTTEN).delete()
        if lacks:
            ready_file(self._name).unlink(missing_ok=True)
        else:
            mark_ready(self._name)

    def turn(self) -> None:
        """That it lives, first, whatever is away or lacking; then whether it is ready."""
        try:
            _touch(alive_file(self._name))
            self.tell()
            tend_copies()
        except (Error, OSError) as error:
            _log.warning("could not say whether it is ready", kind=type(error).__name__)

    def _run(self) -> None:
        while not self._stop.is_set():
            self.turn()
            # Nothing is left open that a new process of the pool would inherit.
            connection.close()
            self._stop.wait(_EVERY_SECONDS)


def say_jointly(tenant_id: UUID) -> None:
    """This organisation's worker of joint answers is there; the row is no answering worker's."""
    told = {"name": _JOINT, "seen_at": database_now(), "ready": True}
    Worker.objects.update_or_create(id=tenant_id, defaults=told)


def heard_jointly() -> set[UUID]:
    """The organisations whose worker of joint answers was there within the last minute."""
    return set(_lately().filter(name=_JOINT).values_list("id", flat=True))


def workers() -> tuple[int, int]:
    """How many were there within the last minute: ready, and not ready."""
    there = list(_there().values_list("ready", flat=True))
    return sum(there), len(there) - sum(there)


def seen_by_nobody() -> list[UUID]:
    """Versions that questions wait for and whose file every worker lacks that is there."""
    lacking = [set(lacks) for lacks in _there().values_list("lacks", flat=True)]
    if not lacking:
        return []
    everywhere = set.intersection(*lacking)
    return [version for version, *_ in asked_for() if str(version) in everywhere]


def asked_for() -> list[Asked]:
    """The versions that questions wait for, each with its file's seal and its key's name."""
    if connection.vendor == "postgresql":
        rows = through_gate("SELECT * FROM queries_versions_asked_for()")
        return [(version, seal, key) for version, seal, key in rows]
    waiting = Query.objects.filter(state__in=UNFINISHED).order_by()
    known = ("version_id", "version__file_seal", "version__fingerprint__key_id")
    return list(waiting.values_list(*known).distinct()[:_MOST_TOLD])


def _there() -> QuerySet[Worker]:
    return _lately().exclude(name=_JOINT)


def _lately() -> QuerySet[Worker]:
    return Worker.objects.filter(seen_at__gte=database_now() - _THERE)


def mark_ready(name: str) -> None:
    """Touch the file of this process."""
    _touch(ready_file(name))


def ready_file(name: str) -> Path:
    """What tells whether to count on it; named after the worker, like `celery@host`."""
    return _told(name, "ready")


def alive_file(name: str) -> Path:
    """What tells whether to restart it: old only when the worker hangs."""
    return _told(name, "alive")


def _told(name: str, what: str) -> Path:
    return Path(settings.DPGOV_HOME) / "operation" / f"{name.replace('/', '-')}.{what}"


def _touch(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
