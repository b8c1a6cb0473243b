"""L27: a question is cancelled in a pause, by whom it may be, and its hold comes back once."""

from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Reservation
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import pause_questions, resume_questions
from dpgov.queries.answering.cancelling import NotPaused, TooLate, cancel
from dpgov.queries.answering.lease import LostLease, claim, mark_opened
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role
from tests.cast import answer_query, join, publish_now
from tests.integration.children import run_at_once
from tests.integration.queries.reusing import BY_SEX, plan, taken
from tests.made_once import made_once

pytestmark = pytest.mark.django_db(transaction=True)

Ask = Callable[..., Query]
ClientFor = Callable[[Membership], Client]


@made_once
def waiting(ask: Ask, analyst: Membership, owner: Membership, dataset: Dataset) -> Query:
    """A question that waits while its dataset is paused."""
    asked = ask(analyst)
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")
    return asked


def _reserved(dataset: Dataset) -> tuple[int, int]:
    budget = Budget.objects.get(pk=dataset.budget_id)
    return budget.reserved_nano, budget.spent_nano


@pytest.mark.parametrize("who", ["analyst", "owner"])
def test_its_hold_comes_back_with_one_entry_by_whoever_cancelled(
    waiting: Query, dataset: Dataset, analyst: Membership, owner: Membership, who: str
) -> None:
    """L27: a second time there is nothing left to cancel."""
    person = {"analyst": analyst, "owner": owner}[who]
    cancel(membership=person, query_id=waiting.pk)
    assert _reserved(dataset) == (0, 0)
    waiting.refresh_from_db()
    assert waiting.state == Query.State.VOIDED
    with pytest.raises(TooLate):
        cancel(membership=person, query_id=waiting.pk)
    (entry,) = AuditEntry.objects.filter(subject=f"query:{waiting.pk}").exclude(
        action="QUERY_SUBMITTED"
    )
    assert (entry.action, entry.actor_label) == ("QUERY_VOIDED", person.user.email)


def test_nobody_else_finds_it(
    waiting: Query, tenant: object, officer: Membership, stranger: Membership
) -> None:
    """L27: an officer sees it and may not; another analyst and another organisation see nothing."""
    other = join(waiting.tenant, Role.ANALYST, "ada")
    for person in (officer, stranger, other):
        with pytest.raises(Query.DoesNotExist):
            cancel(membership=person, query_id=waiting.pk)


def test_outside_a_pause_nothing_is_cancelled(
    ask: Ask, analyst: Membership, dataset: Dataset
) -> None:
    """L27: whether a worker has come to it would tell how long the one before took."""
    asked = ask(analyst)
    with pytest.raises(NotPaused):
        cancel(membership=analyst, query_id=asked.pk)
    assert _reserved(dataset) == (500_000_000, 0)


def test_what_was_opened_before_the_pause_is_charged(
    ask: Ask, analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    """L27: sealed or still at work; its answer appears when questions are resumed."""
    sealed = ask(analyst)
    answer_query(sealed.pk)
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")
    with pytest.raises(TooLate):
        cancel(membership=analyst, query_id=sealed.pk)
    resume_questions(dataset=dataset, user=owner.user)
    assert publish_now() == 1
    assert _reserved(dataset) == (0, 500_000_000)


def test_what_was_free_and_what_has_ended_are_not_said_to_be_charged(
    analyst: Membership, owner: Membership, dataset: Dataset, ask: Ask, stored: Ask
) -> None:
    """L27: the data was opened for neither of them."""
    paid = stored(BY_SEX)
    gratis, ended = taken(analyst, dataset, plan()), ask(analyst)
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")
    cancel(membership=analyst, query_id=ended.pk)
    for query, said in (
        (gratis, "cost nothing"),
        (ended, "nothing was charged"),
        (paid, "so that it is charged"),
    ):
        with pytest.raises(TooLate, match=said):
            cancel(membership=analyst, query_id=query.pk)


def test_a_worker_that_holds_it_has_lost_it(
    ask: Ask, analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    """L27: a claim made before the pause opens nothing after the cancellation either."""
    asked = ask(analyst)
    held = claim(asked.pk)
    assert held is not None
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")
    cancel(membership=analyst, query_id=asked.pk)
    resume_questions(dataset=dataset, user=owner.user)
    with pytest.raises(LostLease):
        mark_opened(held)


def test_cancelled_resumed_and_taken_at_once_it_ends_in_one_way(
    waiting: Query, analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    """L27: given back once, or answered and charged once; never both, and never neither."""

    def cancels() -> int:
        try:
            cancel(membership=analyst, query_id=waiting.pk)
        except (NotPaused, TooLate):
            return 0
        return 1

    def resumes_and_answers() -> int:
        resume_questions(dataset=dataset, user=owner.user)
        return 2 * int(answer_query(waiting.pk))

    ended = run_at_once([cancels, cancels, cancels, resumes_and_answers])
    publish_now()
    assert sum(ended) in (1, 2)
    charged = 500_000_000 if sum(ended) == 2 else 0
    assert _reserved(dataset) == (0, charged)
    hold = Reservation.objects.get(query_id=waiting.pk, budget=dataset.budget_id)
    assert hold.state == ("settled" if charged else "voided")


def test_the_page_offers_it_in_a_pause_alone(
    waiting: Query,
    analyst: Membership,
    officer: Membership,
    client_for: ClientFor,
) -> None:
    """L27: pressed, it is not run and not charged."""
    address = f"/queries/{waiting.pk}/"
    browser = client_for(analyst)
    assert "Cancel this question" in browser.get(address).text
    assert "Cancel this question" not in client_for(officer).get(address).text
    assert client_for(officer).post(f"{address}cancel/").status_code == 403
    assert "Nothing was charged" in browser.post(f"{address}cancel/", follow=True).text
