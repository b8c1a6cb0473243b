"""Answers lie sealed until their moment, and then appear with everything that is numbered."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Charge, RateLimit
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.engines.base import EngineFailure
from dpgov.queries.answering import answer, lease
from dpgov.queries.answering.moments import horizon
from dpgov.queries.answering.publishing import PATIENCE, publish_due, publish_overdue
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.models import Query, Release
from dpgov.queries.selectors import PublicState, public_state, visible_release
from dpgov.tenants.models import Membership
from tests.cast import answer_query, publish_now

pytestmark = pytest.mark.django_db(transaction=True)

HALF = 500_000_000
LEAST = 1_000_000
HOUR = 3600
Asking = Callable[..., Query]


class Clock:
    """The worker's steady clock, which stands still but for the work of an engine."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def monotonic(self) -> float:
        return self.seconds


class Timed:
    """An engine that takes so long, and then answers, or fails, as it should."""

    def __init__(self, clock: Clock, seconds: float, error: Exception | None = None) -> None:
        self.clock, self.seconds, self.error = clock, seconds, error

    def answer(self, request: Any) -> Any:
        self.clock.seconds += self.seconds
        if self.error is not None:
            raise self.error
        return ((7,) * len(request.measures),) * request.cells


@pytest.fixture
def takes(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Callable[..., None]:
    """From now on reading the data takes so many hours, and nothing else takes any.

    Classes are hours here: how busy the machine of the tests is then moves nothing.
    """
    settings.DPGOV_ANSWER_SLOT_MS = HOUR * 1000
    settings.CELERY_TASK_SOFT_TIME_LIMIT = 40 * HOUR
    clock = Clock()
    monkeypatch.setattr(lease, "time", clock)

    def take(hours: float, error: Exception | None = None) -> None:
        monkeypatch.setattr(answer, "engine_for", lambda _: Timed(clock, hours * HOUR, error))

    return take


def seal(query: Query) -> Query:
    """A worker's part; the row as it is then."""
    assert answer_query(query.pk)
    query.refresh_from_db()
    assert query.state == Query.State.SEALED
    return query


def due_after(query: Query) -> timedelta:
    assert query.due_at is not None
    return query.due_at - query.submitted_at


def standing(dataset: Dataset) -> tuple[int, int]:
    budget = Budget.objects.get(pk=dataset.budget_id)
    return budget.reserved_nano, budget.spent_nano


def entries_about(query: Query) -> list[str]:
    found = AuditEntry.objects.filter(subject=f"query:{query.pk}").order_by("sequence")
    return list(found.values_list("action", flat=True))


def test_a_sealed_answer_shows_in_nothing_that_is_numbered_or_counted(
    analyst: Membership, dataset: Dataset, ask: Asking, takes: Callable[..., None]
) -> None:
    """L4: no entry, no charge, no release, no other balance; then all of it at once."""
    takes(0)
    query = ask(analyst)
    before = (standing(dataset), AuditEntry.objects.count())
    seal(query)
    assert (standing(dataset), AuditEntry.objects.count()) == before == ((HALF, 0), before[1])
    assert not Charge.objects.exists()
    assert not Release.objects.exists()
    assert public_state(query) is PublicState.WAITING
    assert visible_release(query) is None
    assert query.due_at is not None
    assert publish_due(query.due_at - timedelta(milliseconds=1)) == 0
    assert publish_due(query.due_at) == 1
    query.refresh_from_db()
    assert public_state(query) is PublicState.RELEASED
    assert visible_release(query) == Release.objects.get()
    assert query.sealed_text == ""
    assert standing(dataset) == (0, HALF)
    assert entries_about(query) == ["QUERY_SUBMITTED", "QUERY_RELEASED"]


@pytest.mark.parametrize("error", [None, EngineFailure()], ids=["answered", "failed"])
def test_slow_and_fast_work_are_not_told_apart(
    analyst: Membership,
    dataset: Dataset,
    ask: Asking,
    takes: Callable[..., None],
    error: Exception | None,
) -> None:
    """L4: the same moment after submission, the same order in the log and the same price.

    The questions are worked off in the other order than they were asked in, the slow ones last.
    What only cubes answer may be as slow as this on a machine that stands still, and never by data.
    """
    DatasetVersion.objects.update(cubes=None)
    queries = [ask(analyst, epsilon=0.001) for _ in range(6)]
    for place in (5, 4, 3, 2, 1, 0):
        takes(0.79 if place % 2 else 0, error)
        seal(queries[place])
    assert len({due_after(query) for query in queries}) == 1
    assert publish_now() == 6
    ended = AuditEntry.objects.exclude(action="QUERY_SUBMITTED").order_by("sequence")
    told = list(ended.filter(subject__startswith="query:").values_list("subject", flat=True))
    assert told == [f"query:{query.pk}" for query in queries]
    assert standing(dataset) == (0, 6 * LEAST)


def test_the_control_work_beyond_its_class_is_told(
    analyst: Membership, ask: Asking, takes: Callable[..., None]
) -> None:
    """L4: the negative control: the same look finds what is there to be found."""
    queries = [ask(analyst, epsilon=0.001) for _ in range(2)]
    for query, hours in zip(queries, (0, 0.81), strict=True):
        takes(hours)
        seal(query)
    assert len({due_after(query) for query in queries}) == 2


def test_a_doubling_is_paid_with_the_least_price_and_logged(
    analyst: Membership, dataset: Dataset, ask: Asking, takes: Callable[..., None]
) -> None:
    """L4: each costs as much as the cheapest question."""
    takes(3)
    query = seal(ask(analyst))
    assert due_after(query) == timedelta(hours=4)
    assert publish_due(query.due_at) == 1
    query.refresh_from_db()
    assert (query.cost_nano, query.doublings) == (HALF + 2 * LEAST, 2)
    assert standing(dataset) == (0, HALF + 2 * LEAST)
    assert entries_about(query) == ["QUERY_SUBMITTED", "QUERY_EXTENDED", "QUERY_RELEASED"]
    assert Charge.objects.get().amount_nano == HALF + 2 * LEAST


@pytest.mark.parametrize("full", ["budget", "rate", "closed"])
def test_what_cannot_be_paid_appears_at_the_latest_moment(
    analyst: Membership,
    dataset: Dataset,
    ask: Asking,
    takes: Callable[..., None],
    full: str,
) -> None:
    """L4: nothing is charged, and the moment is the same for any number of doublings."""
    takes(3)
    query = seal(ask(analyst))
    if full == "budget":
        for epsilon in (2, 2, 2, 2, "1.499"):
            ask(analyst, epsilon=epsilon)
    else:
        _stop(dataset, full)
    assert query.due_at is not None
    assert publish_due(query.due_at) == 0
    query.refresh_from_db()
    assert due_after(query) == horizon()
    assert publish_due(query.due_at) == 1
    query.refresh_from_db()
    assert (query.cost_nano, query.doublings) == (HALF, 0)
    assert standing(dataset)[1] == HALF


def _stop(dataset: Dataset, full: str) -> None:
    if full == "closed":
        Budget.objects.filter(pk=dataset.budget_id).update(closed_at=timezone.now())
    else:
        RateLimit.objects.create(
            tenant_id=dataset.tenant_id,
            budget=dataset.budget,
            period="day",
            limit_nano=HALF + LEAST,
            taken_nano=HALF,
            window_start=timezone.localdate(),
        )


@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(days=1)], ids=["hour", "day"])
def test_a_clock_that_was_set_back_hides_no_paid_answer(
    analyst: Membership, dataset: Dataset, ask: Asking, jump: timedelta
) -> None:
    """L14: asked, or sealed, while the clock was ahead: it appears at once when it is right."""
    ahead = seal(ask(analyst))
    asked_at, due = ahead.submitted_at, ahead.due_at
    assert due is not None
    Query.objects.filter(pk=ahead.pk).update(submitted_at=asked_at + jump, due_at=due + jump)
    worked = seal(ask(analyst))
    Query.objects.filter(pk=worked.pk).update(due_at=due + jump)
    assert publish_due() == 2
    for query in (ahead, worked):
        query.refresh_from_db()
        assert public_state(query) is PublicState.RELEASED
        assert query.visible_at is not None
        assert query.visible_at <= timezone.now()


@pytest.mark.parametrize("hours", [1, -1, 24, -24])
def test_what_is_published_stays_so_whatever_the_clock_says(
    analyst: Membership,
    ask: Asking,
    answer_all: Callable[[], int],
    hours: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L14: visibility is a stored fact, on pages as in the database."""
    query = ask(analyst)
    assert answer_all() == 1
    query.refresh_from_db()
    really = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: really() + timedelta(hours=hours))
    assert public_state(query) is PublicState.RELEASED
    assert visible_release(query) == Release.objects.get()


def test_nothing_is_published_while_its_dataset_is_frozen(
    analyst: Membership, dataset: Dataset, ask: Asking
) -> None:
    """A9: it may have been published in what a backup lacks; later it is, with the same bytes."""
    text = seal(ask(analyst)).sealed_text
    Budget.objects.filter(pk=dataset.budget_id).update(frozen_at=timezone.now())
    assert publish_now() == 0
    assert not publish_overdue(Query.objects.get())
    Budget.objects.filter(pk=dataset.budget_id).update(frozen_at=None)
    assert publish_now() == 1
    assert Release.objects.get().body == text


def test_a_sealed_answer_is_never_drawn_again(analyst: Membership, ask: Asking) -> None:
    """B1: neither a repeated message nor the sweep touches it."""
    query = seal(ask(analyst))
    assert not answer_query(query.pk)
    Query.objects.update(submitted_at=timezone.now() - timedelta(days=3))
    assert (sweep().sent, sweep().given_up) == (0, 0)
    assert Query.objects.get().sealed_text == query.sealed_text


def test_whoever_looks_publishes_what_is_long_due(
    analyst: Membership, ask: Asking, takes: Callable[..., None]
) -> None:
    """L14: while no publisher runs nobody waits for ever; before that looking changes nothing."""
    takes(0)
    query = seal(ask(analyst))
    assert not publish_overdue(query)
    past = timezone.now() - 2 * PATIENCE
    Query.objects.update(submitted_at=past, due_at=past)
    assert publish_overdue(query)
    assert Query.objects.get().state == Query.State.RELEASED
    assert not publish_overdue(query)


def test_one_that_cannot_be_published_stands_in_nobodys_way(
    analyst: Membership, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, fine = seal(ask(analyst)), seal(ask(analyst))
    from dpgov.queries.answering import publishing

    really = publishing.publish

    def broken(query_id: object) -> bool:
        if query_id == stuck.pk:
            raise ValueError("broken")
        return really(query_id)  # type: ignore[arg-type]

    monkeypatch.setattr(publishing, "publish", broken)
    assert publish_now() == 1
    fine.refresh_from_db()
    assert fine.state == Query.State.RELEASED
