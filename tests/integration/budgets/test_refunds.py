"""A charge is given back only for data that was never opened, by two persons, and once."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import transaction

from dpgov.approvals.errors import AlreadyRequested, NotApproved, OwnRequest, Stale
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import Decision, approve
from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import AlreadyCorrected
from dpgov.budgets.models import Budget, Charge, Correction, RateLimit
from dpgov.budgets.services import correct, open_parts, set_rate_limit
from dpgov.budgets.services.corrections import refund_charges
from dpgov.dashboards.budget.committed import committed_thinned
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import engine_for
from dpgov.datasets.services.files.data import _engine
from dpgov.engines.base import DataNotOpened, EngineFailure
from dpgov.queries.answering import answer
from dpgov.queries.answering.lease import claim, mark_opened
from dpgov.queries.answering.refunding import (
    NotRefundable,
    RefundedBefore,
    refund,
    refundable,
    request_refund,
)
from dpgov.queries.models import Query
from dpgov.queries.selectors import PublicState, public_state
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of
from tests.cast import answer_now

pytestmark = pytest.mark.django_db(transaction=True)

NANO = 10**9
HALF = NANO // 2
Asking = Callable[..., Query]


class Broken:
    """An engine that fails after it has begun to read."""

    def answer(self, request: object) -> Any:
        raise EngineFailure


def spoil(dataset: Dataset, content: bytes = b"this is no database") -> None:
    """The data file is there, but nothing can be opened."""
    _engine.cache_clear()
    storage.data_path(dataset.versions.get().pk).write_bytes(content)


def spent(dataset: Dataset) -> int:
    return Budget.objects.get(pk=dataset.budget_id).spent_nano


def approved_refund(query: Query, owner: Membership, officer: Membership) -> Decision:
    request = request_refund(membership=owner, query=query, reason="the file was damaged")
    return approve(request_id=request.pk, decider=officer, reason="seen", carry_out=refund)


@pytest.fixture
def unread(analyst: Membership, dataset: Dataset, ask: Asking) -> Query:
    """A question that was charged although its data could not be opened."""
    query = ask(analyst)
    spoil(dataset)
    assert answer_now(query.pk)
    query.refresh_from_db()
    return query


def test_data_that_could_not_be_opened_is_charged_and_said_to_be_unread(
    unread: Query, dataset: Dataset
) -> None:
    """F8, B7: the charge stays until two persons give it back."""
    assert (unread.state, unread.never_read_at is not None) == (Query.State.FAILED, True)
    assert spent(dataset) == HALF
    entry = AuditEntry.objects.get(action="QUERY_FAILED")
    assert json.loads(entry.detail)["never_read"] == "yes"


def test_two_persons_give_it_back_once(
    unread: Query, dataset: Dataset, owner: Membership, officer: Membership
) -> None:
    """F8: with a reason; a replay is refused, and so is a second request."""
    request = request_refund(membership=owner, query=unread, reason="the file was damaged")
    with pytest.raises(AlreadyRequested):
        request_refund(membership=owner, query=unread, reason="again")
    with pytest.raises(OwnRequest):
        approve(request_id=request.pk, decider=owner, reason="mine", carry_out=refund)
    assert spent(dataset) == HALF
    approve(request_id=request.pk, decider=officer, reason="seen", carry_out=refund)
    assert spent(dataset) == 0
    assert committed_thinned(dataset.budget)[0][-1].spent_nano == 0
    correction = Correction.objects.get()
    assert (correction.amount_nano, correction.query_id) == (-HALF, unread.pk)
    detail = json.loads(AuditEntry.objects.latest("sequence").detail)
    assert detail["effect"]["corrections"] == [
        {"budget": str(dataset.budget_id), "epsilon": "-0.5"}
    ]
    with pytest.raises(RefundedBefore):
        request_refund(membership=owner, query=unread, reason="again")
    assert Correction.objects.count() == 1


def test_a_replayed_approval_gives_nothing_back_a_second_time(
    unread: Query, dataset: Dataset, owner: Membership, officer: Membership
) -> None:
    """F8: the ledger's own unique key is behind the request's single decision."""
    decision = approved_refund(unread, owner, officer)
    correct(
        budget=dataset.budget, kind=Correction.Kind.AFTER_RESTORE, amount_nano=NANO, reason="more"
    )
    with pytest.raises(Stale), transaction.atomic():
        refund(decision.request)
    with pytest.raises(AlreadyCorrected), transaction.atomic():
        refund_charges(decision.request)
    assert (spent(dataset), Correction.objects.count()) == (NANO, 2)


def test_a_request_that_nobody_approved_gives_nothing_back(
    unread: Query, dataset: Dataset, owner: Membership
) -> None:
    """F8"""
    request = request_refund(membership=owner, query=unread, reason="the file was damaged")
    for carry_out in (refund, refund_charges):
        with pytest.raises(NotApproved):
            carry_out(request)
    assert (spent(dataset), Correction.objects.exists()) == (HALF, False)


def test_a_released_question_is_never_refunded(
    analyst: Membership,
    owner: Membership,
    dataset: Dataset,
    ask: Asking,
    answer_all: Callable[[], int],
) -> None:
    """F8"""
    query = ask(analyst)
    answer_all()
    assert Query.objects.get(pk=query.pk).state == Query.State.RELEASED
    with pytest.raises(NotRefundable):
        request_refund(membership=owner, query=query, reason="I did not like the answer")
    assert not ChangeRequest.objects.exists()


def test_a_failure_after_reading_began_is_never_refunded(
    analyst: Membership,
    owner: Membership,
    officer: Membership,
    dataset: Dataset,
    ask: Asking,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F8, E3: an error of the engine that came later counts as read."""
    query = ask(analyst)
    monkeypatch.setattr(answer, "engine_for", lambda _: Broken())
    assert answer_now(query.pk)
    query.refresh_from_db()
    assert (query.state, query.never_read_at) == (Query.State.FAILED, None)
    with pytest.raises(NotRefundable):
        request_refund(membership=owner, query=query, reason="it failed")


def test_a_file_that_goes_away_between_two_scans_counts_as_read(
    analyst: Membership, dataset: Dataset, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F8, M32: a descent scans several times; what the first scan gave was used in a draw.

    What could be given back: the price of draws that happened, to whoever sees to it that the file
    goes away in time.
    """
    query = ask(
        analyst,
        statistics=({"statistic": "logistic_regression", "column": "sex", "predictors": ["age"]},),
    )
    scans: list[Any] = []

    def away_after_one(version: Any) -> Any:
        engine = engine_for(version)

        def scan(request: Any) -> Any:
            scans.append(request)
            if len(scans) > 1:
                raise DataNotOpened
            return engine.answer(request)

        return SimpleNamespace(answer=scan)

    monkeypatch.setattr(answer, "engine_for", away_after_one)
    assert answer_now(query.pk)
    query.refresh_from_db()
    assert len(scans) == 2
    assert (query.state, query.never_read_at) == (Query.State.FAILED, None)


def test_a_damaged_database_counts_as_read(
    analyst: Membership, owner: Membership, dataset: Dataset, ask: Asking
) -> None:
    """F8: once DuckDB was let at the file, nobody can say that nothing was read."""
    query = ask(analyst)
    path = storage.data_path(dataset.versions.get().pk)
    spoil(dataset, path.read_bytes()[:12] + b"\x00" * 5000)
    assert answer_now(query.pk)
    query.refresh_from_db()
    assert (query.state, query.never_read_at) == (Query.State.FAILED, None)


def test_a_second_attempt_cannot_call_unread_what_the_first_may_have_read(
    analyst: Membership, dataset: Dataset, ask: Asking
) -> None:
    """F8: the first worker opened the data and died; the second finds the file damaged."""
    query = ask(analyst)
    first = claim(query.pk)
    assert first is not None
    assert mark_opened(first) is True
    Query.objects.filter(pk=query.pk).update(lease_until=query.submitted_at)
    spoil(dataset)
    assert answer_now(query.pk)
    query.refresh_from_db()
    assert (query.state, query.never_read_at) == (Query.State.FAILED, None)


def test_what_changed_before_the_approval_is_looked_at_again(
    unread: Query, dataset: Dataset, owner: Membership, officer: Membership
) -> None:
    """F8: the query's state is checked at the request and at the approval."""
    request = request_refund(membership=owner, query=unread, reason="the file was damaged")
    Query.objects.filter(pk=unread.pk).update(never_read_at=None)
    decision = approve(request_id=request.pk, decider=officer, reason="seen", carry_out=refund)
    assert decision.request.state == ChangeRequest.State.STALE
    assert (spent(dataset), Correction.objects.exists()) == (HALF, False)


def test_every_line_is_given_back_but_no_rate_window(
    analyst: Membership,
    owner: Membership,
    officer: Membership,
    dataset: Dataset,
    ask: Asking,
) -> None:
    """F8, F7: both lines of a partition; what a week had used stays used."""
    open_parts(budget=dataset.budget, parts=["Female", "Male"])
    set_rate_limit(
        budget=dataset.budget,
        period=RateLimit.Period.WEEK,
        limit_nano=NANO,
        actor=actor_of(owner.user),
    )
    query = ask(analyst)
    spoil(dataset)
    assert answer_now(query.pk)
    assert Charge.objects.count() == 2
    approved_refund(query, owner, officer)
    assert set(Correction.objects.values_list("amount_nano", flat=True)) == {-HALF}
    assert set(Budget.objects.values_list("spent_nano", flat=True)) == {0}
    assert set(RateLimit.objects.values_list("taken_nano", flat=True)) == {HALF}


def test_an_analyst_reads_the_same_about_every_failure(
    analyst: Membership,
    dataset: Dataset,
    ask: Asking,
    client_for: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """E3: whether the data could be opened is not for analysts."""
    read, unread = ask(analyst, key="a"), ask(analyst, key="b")
    with monkeypatch.context() as patch:
        patch.setattr(answer, "engine_for", lambda _: Broken())
        answer_now(read.pk)
    spoil(dataset)
    answer_now(unread.pk)
    for query in (read, unread):
        query.refresh_from_db()
        assert public_state(query) is PublicState.FAILED
    browser = client_for(analyst)
    pages = [
        browser.get(f"/queries/{query.pk}/status/").content.decode().replace(str(query.pk), "")
        for query in (read, unread)
    ]
    assert pages[0] == pages[1]


def test_the_refundable_are_those_of_the_own_tenant(
    unread: Query, stranger: Membership, owner: Membership
) -> None:
    """H1"""
    assert [query.pk for query in refundable(owner.tenant)] == [unread.pk]
    assert not refundable(stranger.tenant).exists()
    with pytest.raises(NotRefundable):
        request_refund(membership=stranger, query=unread, reason="foreign")
