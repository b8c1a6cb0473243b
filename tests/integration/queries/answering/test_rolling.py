"""B1: workers are replaced one by one while people ask, as another version is brought in.

What could happen: an answer that a stopping worker is at is lost, opened twice or charged without
an end, or nobody takes what comes meanwhile.
"""

import signal
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
from tests.servers.waiting import PATIENCE, end_of, until

_SLOW = "tests.integration.queries.answering.slow"


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_stopped_ends_what_it_is_at_and_another_goes_on(
    analyst: Membership, ask: Callable[..., Query], tmp_path: Path
) -> None:
    """B1: asked to stop in the middle of an answer of three seconds, beside its successor."""
    log, later = tmp_path / "former.log", tmp_path / "later.log"
    with one_worker(log, app=_SLOW) as former:
        asked = [ask(analyst, epsilon=0.001)]
        until(Query.objects.filter(opened_at__isnull=False).exists, end_of(log))
        with one_worker(later):
            former.send_signal(signal.SIGTERM)
            asked += [ask(analyst, epsilon=0.001) for _ in range(5)]
            assert former.wait(PATIENCE) == 0
            until(_all_ended, end_of(later))
    found = Query.objects.filter(pk__in=[query.pk for query in asked])
    assert {(query.state, query.attempts) for query in found} == {(Query.State.RELEASED, 1)}
    assert Release.objects.count() == Charge.objects.values("query_id").distinct().count() == 6
    assert ledger_findings() == []


def _all_ended() -> bool:
    sweep()
    publish_now()
    return not Query.objects.exclude(state__in=Query.ENDED).exists()
