"""Bounds of time that must come in order, looked at whenever a command starts.

A lease that ends before its worker was stopped would let two workers answer one question: the
fence keeps the second answer out, but one of the two attempts would be lost for nothing.
"""

from itertools import pairwise
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error


def bounds_are_in_order(**_: Any) -> list[CheckMessage]:
    """scan < soft limit < hard limit < lease, and the broker waits longer than the hard limit."""
    order = {
        "DPGOV_QUERY_SECONDS": settings.DPGOV_QUERY_SECONDS,
        "the soft limit of a task": settings.CELERY_TASK_SOFT_TIME_LIMIT,
        "the hard limit of a task": settings.CELERY_TASK_TIME_LIMIT,
        "DPGOV_LEASE_SECONDS": settings.DPGOV_LEASE_SECONDS,
    }
    names = list(order)
    found = [
        _error(first, order[first], second, order[second])
        for first, second in pairwise(names)
        if order[first] >= order[second]
    ]
    visibility = getattr(settings, "CELERY_BROKER_TRANSPORT_OPTIONS", {}).get("visibility_timeout")
    if visibility is not None and visibility <= settings.CELERY_TASK_TIME_LIMIT:
        found.append(
            _error(
                "the hard limit of a task",
                settings.CELERY_TASK_TIME_LIMIT,
                "the broker's visibility timeout",
                visibility,
            )
        )
    return found


def _error(shorter: str, seconds: int, longer: str, others: int) -> CheckMessage:
    return Error(
        f"{shorter} ({seconds} s) must be shorter than {longer} ({others} s).",
        hint="Lower DPGOV_QUERY_SECONDS or raise DPGOV_LEASE_SECONDS; see docs/configuration.md.",
        id="dpgov.E001",
    )
