"""B1: workers are replaced one by one while people ask, as another version is brought in.

What could happen: an answer that a stopping worker is at is lost, opened twice or charged without
an end, or nobody takes what comes meanwhile.
"""

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Charge
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.integration.queries.answering.workers import one_worker

# For a machine on which everything takes long; nothing waits for it.
_PATIENCE = 300
_SLOW = "tests.integration.queries.answering.slow"


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_stopped_ends_what_it_is_at_and_another_goes_on(
    analyst: Membership, ask: Callable[..., Query], tmp_path: Path
) -> None:
    """B1: asked to stop in the middle of an answer of three seconds, beside its successor."""
    with one_worker(tmp_path / "former.log", app=_SLOW) as former:
        asked = [ask(analyst, epsilon=0.001)]
        _until(lambda: Query.objects.filter(opened_at__isnull=False).exists())
        with one_worker(tmp_path / "later.log"):
            former.send_signal(signal.SIGTERM)
            asked += [ask(analyst, epsilon=0.001) for _ in range(5)]
            assert former.wait(_PATIENCE) == 0
            _until(_all_ended)
    found = Query.objects.filter(pk__in=[query.pk for query in asked])
    assert {(query.state, query.attempts) for query in found} == {(Query.State.RELEASED, 1)}
    assert Release.objects.count() == Charge.objects.values("query_id").distinct().count() == 6
    assert ledger_findings() == []


def _all_ended() -> bool:
    sweep()
    publish_now()
    return not Query.objects.exclude(state__in=Query.ENDED).exists()


def _until(there: Callable[[], bool]) -> None:
    pause, until = threading.Event(), time.monotonic() + _PATIENCE
    while not there():
        assert time.monotonic() < until
        pause.wait(0.05)
