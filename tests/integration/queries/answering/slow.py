"""A worker whose answer takes three seconds, over a broker that loses patience after one; given to
Celery as its app.
"""

import time
from typing import Any

from celery.signals import task_postrun, task_prerun
from django.conf import settings

from dpgov.celery import app
from dpgov.engines.files import DuckDBEngine

__all__ = ["app"]

SECONDS = 3
_look = DuckDBEngine._by_cube


def _slow(*arguments: Any) -> Any:
    time.sleep(SECONDS)
    return _look(*arguments)


def _told(**_: Any) -> None:
    print("a delivery begins", flush=True)


def _told_its_end(**_: Any) -> None:
    print("a delivery is over", flush=True)


task_prerun.connect(_told)
task_postrun.connect(_told_its_end)
_engine: Any = DuckDBEngine
# What every answer begins with, whether it comes from a cube or a scan.
_engine._by_cube = _slow
_known: Any = settings
# Redis looks for messages that nobody acknowledged at each poll, and takes them back after 1 s.
_known.CELERY_BROKER_TRANSPORT_OPTIONS |= {
    "visibility_timeout": 1,
    "unacked_restore_interval": 1,
    "unacked_restore_throttle": 1,
}
