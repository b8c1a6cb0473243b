"""Client processes that make charges as the product does, without HTTP and without an engine.

A charge is the two transactions that a question costs the ledger: accepted (row, hold, entry) and
released (row, booking, release, entry). The broker is left out: its message is sent after commit.
"""

import multiprocessing
import time
from collections.abc import Callable
from itertools import cycle
from multiprocessing.synchronize import Barrier
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from django.db import connection, connections, transaction

from bench.cast import COST_NANO, Cast
from bench.rig import as_application
from dpgov.audit.actor import WORKER
from dpgov.budgets.services import Line
from dpgov.datasets.selectors import current_version
from dpgov.queries import ending
from dpgov.queries.lease import Claim
from dpgov.queries.models import Query
from dpgov.queries.submit import write_down
from dpgov.tenants.boundary import acting_for

BODY = {"answers": [{"statistic": "count", "value": 117, "scale": "20000"}], "format": 1}
Work = Callable[[], None]


def plan_of(slug: str) -> dict[str, Any]:
    """The question of every charge."""
    statistics = [{"statistic": "count"}]
    return {
        "dataset": slug,
        "statistics": statistics,
        "where": [],
        "group_by": [],
        "epsilon": 0.0001,
    }


def charging(cast: Cast) -> Work:
    """One charge on the next of the datasets, in an order of this process's own."""
    kinds = [(one, current_version(one)) for one in cast.datasets]
    Random().shuffle(kinds)
    turns = cycle(kinds)

    def charge() -> None:
        dataset, version = next(turns)
        query = Query(
            tenant_id=dataset.tenant_id,
            dataset=dataset,
            version=version,
            analyst=cast.analyst.user,
            plan=plan_of(dataset.slug),
            cost_nano=COST_NANO,
            idempotency_key=str(uuid4()),
            body_hash="0" * 64,
        )
        from dpgov.queries.clock import database_now

        query.submitted_at = database_now()
        with transaction.atomic():
            write_down(query, [Line(dataset.budget_id, COST_NANO)])
        ending.release(Claim(query, query.fence), body=BODY, actor=WORKER)

    return charge


def rate(cast: Cast, prepare: Callable[[Cast], Work], *, clients: int, seconds: float) -> float:
    """How often a second the work is done by so many processes together."""
    connections.close_all()
    fork = multiprocessing.get_context("fork")
    barrier, counts = fork.Barrier(clients), fork.SimpleQueue()
    arguments = (cast, prepare, barrier, seconds, counts)
    processes = [fork.Process(target=_client, args=arguments) for _ in range(clients)]
    for process in processes:
        process.start()
    done = sum(counts.get() for _ in processes)
    for process in processes:
        process.join()
    return done / seconds


def _client(
    cast: Cast, prepare: Callable[[Cast], Work], barrier: Barrier, seconds: float, counts: Any
) -> None:
    as_application()
    done = 0
    with patch("dpgov.queries.submit.wake"), acting_for(cast.tenant.pk):
        work = prepare(cast)
        work()
        barrier.wait()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            work()
            done += 1
    connection.close()
    counts.put(done)
