"""Clients that ask under attack: each repeats its request under one key until it has an answer."""

import multiprocessing
import time
from random import Random
from typing import Any
from uuid import UUID, uuid4

from django.db import Error, connection, connections

from bench.cast import Cast, make_cast
from bench.plans import plan_of
from bench.rig import as_application
from dpgov.budgets.errors import NotAdmitted
from dpgov.budgets.models import Budget, LimitChange
from dpgov.datasets.models import Dataset
from dpgov.queries.asking.submit import submit
from dpgov.tenants.boundary import acting_for

_PAUSE = 0.02
_NARROW_NANO = 200_000_000


def chaos_cast() -> Cast:
    """Three datasets; the budget of the first lasts for 200 questions only."""
    cast = make_cast("harbour", datasets=3)
    narrow = cast.datasets[0].budget
    Budget.objects.filter(pk=narrow.pk).update(limit_nano=_NARROW_NANO)
    LimitChange.objects.create(
        tenant=cast.tenant,
        budget=narrow,
        before_nano=narrow.limit_nano,
        after_nano=_NARROW_NANO,
        reason="narrow",
    )
    return cast


def load(cast: Cast, *, clients: int, seconds: float) -> list[tuple[UUID, str]]:
    """Ask so long; every query id that a client was told, with the client's key."""
    connections.close_all()
    fork = multiprocessing.get_context("fork")
    told: Any = fork.SimpleQueue()
    processes = [
        fork.Process(target=_client, args=(cast, seconds, number, told))
        for number in range(clients)
    ]
    for process in processes:
        process.start()
    answers = [answer for _ in processes for answer in told.get()]
    for process in processes:
        process.join()
    return answers


def _client(cast: Cast, seconds: float, number: int, told: Any) -> None:
    as_application()
    until, heard, choose = time.monotonic() + seconds, [], Random(number)
    while time.monotonic() < until:
        dataset, key = choose.choice(cast.datasets), str(uuid4())
        times = choose.choice((1, 1, 2))
        ids = {_persist(cast, dataset, key) for _ in range(times)}
        heard += [(query_id, key) for query_id in ids if query_id is not None]
        time.sleep(_PAUSE)
    connection.close()
    told.put(heard)


def _persist(cast: Cast, dataset: Dataset, key: str) -> UUID | None:
    """Ask until there is an answer: a query's id, or None when the budget does not allow it."""
    while True:
        try:
            with acting_for(cast.tenant.pk):
                return submit(
                    membership=cast.analyst,
                    dataset=dataset,
                    raw_plan=plan_of(dataset.slug),
                    idempotency_key=key,
                ).query.pk
        except NotAdmitted:
            return None
        except Error:
            # Cut off: whether it was accepted is not known, so the same request is sent again.
            connection.close()
            time.sleep(_PAUSE)
