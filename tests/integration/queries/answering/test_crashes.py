"""Death at every database statement of a query's journey, and what is left after the restart."""

import itertools
import json
import signal
import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db.models import QuerySet

from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Charge, Reservation
from dpgov.datasets.models import Dataset
from dpgov.queries.asking.submit import submit, submit_batch
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.cast import answer_now
from tests.integration.children import Death, run

pytestmark = pytest.mark.django_db(transaction=True)

KILLED = -signal.SIGKILL
Step = Callable[[], object]


@pytest.fixture(autouse=True)
def leases_end_at_once(settings: object) -> None:
    settings.DPGOV_LEASE_SECONDS = 0  # type: ignore[attr-defined]


def deaths(step: Callable[[int], Step]) -> int:
    """Run a fresh step for each point of death until one gets through; how many deaths it took."""
    for count in itertools.count():
        code = run(step(count), Death(statement=1 + count // 2, after=bool(count % 2)))
        assert code in (0, KILLED)
        if code == 0:
            # Every death was in a step of its own, so all that they left is still there.
            assert ledger_findings() == []
            return count
    raise AssertionError("unreachable")


def test_a_client_that_repeats_its_request_after_a_crash_gets_one_query(
    analyst: Membership, dataset: Dataset
) -> None:
    """B2: death before and after each statement of submit; the same key always converges."""

    def submission(count: int) -> Step:
        plan = {"dataset": dataset.slug, "statistics": [{"statistic": "count"}], "epsilon": 0.001}
        return lambda: submit(
            membership=analyst, dataset=dataset, raw_plan=plan, idempotency_key=f"key-{count}"
        )

    died = deaths(submission)
    assert died >= 10
    for count in range(died + 1):
        assert run(submission(count)) == 0
    assert Query.objects.count() == died + 1
    assert Reservation.objects.filter(state="held").count() == died + 1
    assert ledger_findings() == []


def test_a_set_of_tables_that_is_asked_through_a_crash_is_asked_whole_or_not_at_all(
    analyst: Membership, dataset: Dataset
) -> None:
    """B2, M2: death before and after each statement; the same key always converges."""
    columns = [{"column": "sex"}, {"column": "education"}]
    body = {"columns": columns, "tables": 1, "epsilon": 0.004, "method": "separate_tables"}

    def submission(count: int) -> Step:
        return lambda: submit_batch(
            membership=analyst, dataset=dataset, raw_batch=body, idempotency_key=f"set-{count}"
        )

    died = deaths(submission)
    assert died >= 15
    assert Query.objects.count() % 2 == 0
    for count in range(died + 1):
        assert run(submission(count)) == 0
    assert Query.objects.count() == 2 * (died + 1)
    assert Reservation.objects.filter(state="held").count() == 2 * (died + 1)
    assert ledger_findings() == []


# What lies between two statements differs by the question, the statements do not: one of them is
# tried in every run, the others where there are minutes.
@pytest.mark.parametrize(
    "statistic",
    [
        {"statistic": "count"},
        pytest.param(
            {"statistic": "logistic_regression", "column": "sex", "predictors": ["age"]},
            marks=pytest.mark.long,
        ),
    ],
    ids=lambda one: one["statistic"],
)
def test_a_worker_that_dies_anywhere_leaves_one_answer_and_one_charge(
    statistic: dict[str, Any], analyst: Membership, dataset: Dataset, ask: Callable[..., Query]
) -> None:
    """B2, M3, M32: death before and after each statement of claim, compute, seal and publish; all
    scans and draws of a descent lie between two of them.
    """
    queries: list[uuid.UUID] = []

    def answering(_: int) -> Step:
        query_id = ask(analyst, statistics=(statistic,), epsilon=0.001).pk
        queries.append(query_id)
        return lambda: answer_now(query_id)

    died = deaths(answering)
    assert died >= 10
    for query_id in queries:
        run(partial(answer_now, query_id))
        assert_answered_once(Query.objects.filter(pk=query_id))


@pytest.mark.long
def test_a_worker_that_dies_between_rounds_leaves_one_answer_and_one_charge(
    analyst: Membership, dataset: Dataset
) -> None:
    """B2, M13: adaptive rounds lie between two statements; no second set of rounds is released."""
    columns = [{"column": "sex"}, {"column": "education"}]
    body = {"columns": columns, "tables": 1, "method": "adaptive", "rounds": 3, "epsilon": 0.01}
    queries: list[uuid.UUID] = []

    def answering(count: int) -> Step:
        (query,) = submit_batch(
            membership=analyst, dataset=dataset, raw_batch=body, idempotency_key=f"rounds-{count}"
        ).queries
        queries.append(query.pk)
        return lambda: answer_now(query.pk)

    assert deaths(answering) >= 10
    for query_id in queries:
        run(partial(answer_now, query_id))
        assert_answered_once(Query.objects.filter(pk=query_id))
        assert len(json.loads(Release.objects.get(query=query_id).body)["rounds"]) == 3


def assert_answered_once(queries: QuerySet[Query]) -> None:
    query = queries.get()
    assert query.state == Query.State.RELEASED
    assert Release.objects.filter(query=query).count() == 1
    assert Charge.objects.filter(query_id=query.pk).count() == 1
    assert Reservation.objects.get(query_id=query.pk).state == Reservation.State.SETTLED
