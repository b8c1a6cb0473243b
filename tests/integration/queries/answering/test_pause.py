"""L26: what waits when its dataset is paused goes on waiting, and loses nothing."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import (
    PausedDataset,
    archive_dataset,
    pause_questions,
    resume_questions,
)
from dpgov.queries.answering.answer import answered
from dpgov.queries.answering.lease import Stopped, claim, mark_opened
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.answering.turns import next_turn, number_waiting
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.cast import answer_query, publish_now

pytestmark = pytest.mark.django_db(transaction=True)

Ask = Callable[..., Query]
State = Query.State


@pytest.fixture
def pause(dataset: Dataset, owner: Membership) -> Callable[[], None]:
    return lambda: pause_questions(dataset=dataset, user=owner.user, reason="A cell looks wrong.")


@pytest.fixture
def resume(dataset: Dataset, owner: Membership) -> Callable[[], None]:
    return lambda: resume_questions(dataset=dataset, user=owner.user)


def _reserved(dataset: Dataset) -> tuple[int, int]:
    budget = Budget.objects.get(pk=dataset.budget_id)
    return budget.reserved_nano, budget.spent_nano


def test_what_waits_goes_on_waiting_and_is_answered_after_the_pause(
    analyst: Membership,
    dataset: Dataset,
    ask: Ask,
    pause: Callable[[], None],
    resume: Callable[[], None],
) -> None:
    """L26: no worker takes it, its hold stays, nothing is charged; then it is answered as ever."""
    waiting = ask(analyst)
    pause()
    assert (next_turn(), number_waiting(), answer_query(waiting.pk)) == (None, 0, False)
    assert _reserved(dataset) == (500_000_000, 0)
    resume()
    assert answer_query(waiting.pk)
    assert publish_now() == 1
    assert _reserved(dataset) == (0, 500_000_000)


def test_a_claim_made_before_the_pause_opens_nothing(
    analyst: Membership, ask: Ask, pause: Callable[[], None], resume: Callable[[], None]
) -> None:
    """L26: the worker that holds it gives it back, and no attempt is counted."""
    asked = ask(analyst)
    held = claim(asked.pk)
    assert held is not None
    pause()
    assert answered(held) is False
    asked.refresh_from_db()
    assert (asked.state, asked.attempts, asked.opened_at) == (State.QUEUED, 0, None)
    resume()
    assert answer_query(asked.pk)


def test_the_database_opens_nothing_for_a_question_of_a_paused_dataset(
    analyst: Membership, ask: Ask, pause: Callable[[], None]
) -> None:
    """L26: whatever a worker believes."""
    asked = ask(analyst)
    assert claim(asked.pk) is not None
    pause()
    with pytest.raises(DatabaseError, match="stays closed"), transaction.atomic():
        Query.objects.filter(pk=asked.pk).update(opened_at=timezone.now())


def test_an_answer_that_was_sealed_appears_after_the_pause(
    analyst: Membership,
    dataset: Dataset,
    ask: Ask,
    pause: Callable[[], None],
    resume: Callable[[], None],
) -> None:
    """L26: while it lasts nothing tells it from one that nobody took up; it is charged once."""
    sealed, waiting = ask(analyst), ask(analyst, epsilon=0.25)
    answer_query(sealed.pk)
    pause()
    assert publish_now() == 0
    assert _reserved(dataset) == (750_000_000, 0)
    resume()
    assert publish_now() == 1
    sealed.refresh_from_db()
    waiting.refresh_from_db()
    assert (sealed.state, waiting.state) == (State.RELEASED, State.QUEUED)
    assert _reserved(dataset) == (250_000_000, 500_000_000)


def test_a_pause_uses_up_nobodys_patience(
    analyst: Membership, ask: Ask, pause: Callable[[], None], resume: Callable[[], None]
) -> None:
    """L26: not while it lasts, and not in the moment after it; a day later it expires as ever."""
    waiting = ask(analyst)
    pause()
    long_ago = timezone.now() - timedelta(days=3)
    Query.objects.filter(pk=waiting.pk).update(submitted_at=long_ago)
    assert sweep().given_up == 0
    resume()
    assert sweep().given_up == 0
    Dataset.objects.update(resumed_at=long_ago)
    assert sweep().given_up == 1


def test_a_pause_and_its_end_are_one_entry_each(
    dataset: Dataset, owner: Membership, pause: Callable[[], None], resume: Callable[[], None]
) -> None:
    """G1: a second pause changes nothing; neither does a second end."""
    pause()
    with pytest.raises(Dataset.DoesNotExist):
        pause()
    resume()
    with pytest.raises(Dataset.DoesNotExist):
        resume()
    actions = AuditEntry.objects.filter(action__startswith="QUESTIONS_").order_by("sequence")
    assert list(actions.values_list("action", flat=True)) == [
        "QUESTIONS_PAUSED",
        "QUESTIONS_RESUMED",
    ]


def test_a_paused_dataset_is_not_archived_over_its_waiting_questions(
    dataset: Dataset, owner: Membership, pause: Callable[[], None]
) -> None:
    """L26: nobody could resume it, and what waits would hold its budget for ever."""
    pause()
    with pytest.raises(PausedDataset):
        archive_dataset(dataset=dataset, user=owner.user)
    assert Dataset.objects.get(pk=dataset.pk).archived_at is None


def test_what_was_archived_while_it_was_paused_ends_as_a_failure(
    analyst: Membership, dataset: Dataset, ask: Ask, pause: Callable[[], None]
) -> None:
    """L26: as two persons could discard it once: nobody can resume it, and nothing is held on."""
    sealed, waiting = ask(analyst), ask(analyst, epsilon=0.25)
    answer_query(sealed.pk)
    pause()
    Dataset.objects.update(archived_at=timezone.now())
    assert (sweep().given_up, publish_now()) == (1, 1)
    sealed.refresh_from_db()
    waiting.refresh_from_db()
    assert (sealed.state, waiting.state) == (State.FAILED, State.VOIDED)
    assert _reserved(dataset) == (0, 500_000_000)


def test_a_pause_that_ends_at_the_moment_of_opening_leaves_nothing_read_unmarked(
    analyst: Membership,
    dataset: Dataset,
    ask: Ask,
    pause: Callable[[], None],
    resume: Callable[[], None],
) -> None:
    """L26: a question whose data was read is marked so, or a dead worker's would cost nothing."""
    asked = ask(analyst)
    held = claim(asked.pk)
    assert held is not None
    pause()
    written: list[str] = []

    def resumes(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        found = execute(sql, *rest)
        if sql.startswith("UPDATE") and not written:
            written.append(sql)
            resume()
        return found

    with connection.execute_wrapper(resumes), pytest.raises(Stopped):
        mark_opened(held)
    assert "opened_at" in written[0]
    assert mark_opened(held)
    asked.refresh_from_db()
    assert asked.opened_at is not None


def test_an_owner_pauses_and_resumes_on_the_datasets_page(
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    client_for: Callable[[Membership], Client],
) -> None:
    """L26: everybody reads why; an analyst finds neither button, and may press none."""
    owners, analysts = client_for(owner), client_for(analyst)
    assert owners.post("/datasets/visits/pause/", {"reason": ""}).status_code == 422
    assert analysts.post("/datasets/visits/pause/", {"reason": "x"}).status_code == 403
    owners.post("/datasets/visits/pause/", {"reason": "A cell looks wrong."})
    page = analysts.get("/datasets/visits/").content.decode()
    assert "A cell looks wrong." in page
    assert "/resume/" not in page
    assert "/resume/" in owners.get("/datasets/visits/").content.decode()
    assert analysts.post("/datasets/visits/resume/").status_code == 403
    owners.post("/datasets/visits/resume/")
    assert Dataset.objects.get(pk=dataset.pk).paused_at is None
