"""A scan that ignores every request to end, in a worker with a pool: killed, charged, tried twice.

On production's servers only: the embedded worker answers in its own process, without a pool, and
has no other process to end it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.operation.hungry_workers import ended, failed_and_charged

Ask = Callable[..., Query]


@pytest.mark.long
@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_a_scan_that_ignores_every_request_to_end_is_killed_and_charged(
    analyst: Membership, ask: Ask, settings: Any, tmp_path: Path
) -> None:
    """B14: the hard limit, twice, each time before the lease is over."""
    changes = {"DPGOV_QUERY_SECONDS": "1"}
    query = ended(ask(analyst), settings, tmp_path, way="time", lease=25, **changes)
    assert query.attempts == 2
    failed_and_charged(query)
    assert (tmp_path / "worker.log").read_text().count("Hard time limit (21s) exceeded") == 2
