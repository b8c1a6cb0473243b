"""Questions that take all memory, in a real worker: killed or refused, charged."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as live
from django.core.checks import run_checks

from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.operation.hungry_workers import ended, failed_and_charged
from tests.servers.waiting import PATIENCE

Ask = Callable[..., Query]


@pytest.mark.django_db(transaction=True)
def test_a_process_that_is_killed_for_its_memory_is_tried_twice_and_charged(
    analyst: Membership, ask: Ask, settings: Any, tmp_path: Path
) -> None:
    """B14: nobody answers, the sweep ends it, and the data had been opened."""
    query = ended(ask(analyst), settings, tmp_path, way="killed")
    assert query.attempts == 2
    failed_and_charged(query)


@pytest.mark.django_db(transaction=True)
def test_memory_beyond_the_bound_is_refused_and_the_worker_lives_to_say_so(
    analyst: Membership, ask: Ask, settings: Any, tmp_path: Path
) -> None:
    """B14: the first attempt ends it, charged; the process goes on.

    Its lease is long: on a busy machine one of a second is over before the worker has said so.
    """
    bound = {"DPGOV_QUERY_MEMORY_MB": "100"}
    query = ended(ask(analyst), settings, tmp_path, way="memory", lease=PATIENCE, **bound)
    assert query.attempts == 1
    failed_and_charged(query)


def test_the_bounds_of_time_are_in_order() -> None:
    """B4, B14: a lease outlives the process that holds it."""
    assert live.DPGOV_QUERY_SECONDS < live.CELERY_TASK_SOFT_TIME_LIMIT
    assert live.CELERY_TASK_SOFT_TIME_LIMIT < live.CELERY_TASK_TIME_LIMIT
    assert live.CELERY_TASK_TIME_LIMIT < live.DPGOV_LEASE_SECONDS
    assert "dpgov.E001" not in {message.id for message in run_checks()}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DPGOV_LEASE_SECONDS", 45),
        ("DPGOV_QUERY_SECONDS", 300),
        ("CELERY_TASK_TIME_LIMIT", 35),
        ("CELERY_BROKER_TRANSPORT_OPTIONS", {"visibility_timeout": 30}),
    ],
)
def test_bounds_in_another_order_stop_every_command(settings: Any, name: str, value: Any) -> None:
    """B4, B14"""
    setattr(settings, name, value)
    found = [message for message in run_checks() if message.id == "dpgov.E001"]
    assert len(found) == 1
    assert found[0].is_serious()
