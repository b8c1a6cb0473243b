"""Client processes that make charges as the product does, without HTTP and without an engine.

A charge is the two transactions that a question costs the ledger: accepted (row, hold, entry) and
released (row, charge, release, entry). The broker is left out: its message is sent after commit.
"""

import multiprocessing
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import cycle
from multiprocessing.synchronize import Barrier
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from bench import pgbench
from bench.cast import COST_NANO, Cast
from bench.plans import plan_of
from bench.rig import as_application, as_owner
from dpgov.budgets.services import Line, reserve, settle
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.selectors import current_version
from dpgov.operation.clock import database_now
from dpgov.queries.answering import ending
from dpgov.queries.answering.lease import Claim
from dpgov.queries.answering.publishing import publish
from dpgov.queries.asking.submit import write_down
from dpgov.queries.models import Query
from dpgov.tenants.boundary import acting_for

BODY = {"answers": [{"statistic": "count", "value": 117, "scale": "20000"}], "format": 1}
Work = Callable[[], None]
Prepare = Callable[[Cast], Work]


def charging(cast: Cast) -> Work:
    """One charge on the next of the datasets, in an order of this process's own."""
    turns = _turns(cast)

    def charge() -> None:
        dataset, version = next(turns)
        query = _asked(cast, dataset, version)
        with transaction.atomic():
            write_down(query, [Line(dataset.budget_id, COST_NANO)])
        claimed = Claim(query, query.fence, query.submitted_at, time.monotonic())
        ending.seal(claimed, body=BODY, started=timedelta())
        publish(query.pk)

    return charge


def charging_without_log(cast: Cast) -> Work:
    """The same with nobody who writes it into the log."""
    charge = charging(cast)

    def unlogged() -> None:
        with (
            patch("dpgov.queries.asking.submit.append"),
            patch("dpgov.queries.answering.publishing.append"),
        ):
            charge()

    return unlogged


def stepping(cast: Cast) -> Work:
    """A question's row, its hold and its charge, one statement and one transaction each."""
    turns = _turns(cast)

    def step() -> None:
        query = _asked(cast, *next(turns))
        # The ledger holds nothing for a question that is not there.
        query.save(force_insert=True)
        dataset, query_id = query.dataset, query.pk
        line = Line(dataset.budget_id, COST_NANO)
        reserve(query_id=query_id, tenant_id=dataset.tenant_id, lines=[line])
        settle(query_id=query_id, amount_nano=COST_NANO)

    return step


def _turns(cast: Cast) -> Any:
    kinds = [(dataset, current_version(dataset)) for dataset in cast.datasets]
    Random().shuffle(kinds)
    return cycle(kinds)


def _asked(cast: Cast, dataset: Dataset, version: DatasetVersion) -> Query:
    return Query(
        id=uuid4(),
        tenant_id=dataset.tenant_id,
        dataset=dataset,
        version=version,
        analyst=cast.analyst.user,
        plan=plan_of(dataset.slug),
        cost_nano=COST_NANO,
        idempotency_key=str(uuid4()),
        body_hash="0" * 64,
        submitted_at=database_now(),
    )


def captured(cast: Cast, prepare: Prepare) -> list[str]:
    """For each dataset, the statements of one piece of work as a script for pgbench."""
    as_application()
    with patch("dpgov.queries.asking.submit.wake"), acting_for(cast.tenant.pk):
        scripts = [_captured(Cast(cast.people, [dataset]), prepare) for dataset in cast.datasets]
    as_owner()
    return scripts


def _captured(cast: Cast, prepare: Prepare) -> str:
    work = prepare(cast)
    work()
    ids = [uuid4(), uuid4()]
    with CaptureQueriesContext(connection) as seen, patch("bench.clients.uuid4", side_effect=ids):
        work()
    return pgbench.script_of([str(one["sql"]) for one in seen], new=ids)


def rate(cast: Cast, prepare: Prepare, *, clients: int, seconds: float) -> float:
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
    return float(done) / seconds


def _client(cast: Cast, prepare: Prepare, barrier: Barrier, seconds: float, counts: Any) -> None:
    as_application()
    done = 0
    with patch("dpgov.queries.asking.submit.wake"), acting_for(cast.tenant.pk):
        work = prepare(cast)
        work()
        barrier.wait()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            work()
            done += 1
    connection.close()
    counts.put(done)
