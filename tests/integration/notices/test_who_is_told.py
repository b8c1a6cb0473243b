"""Who is told of what: from entries of the log and counters of the ledger, once each."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from structlog.testing import capture_logs

from dpgov.approvals.services import reject
from dpgov.audit.models import AuditEntry
from dpgov.audit.selectors import log_size
from dpgov.budgets.models import Budget
from dpgov.budgets.services import allocate, freeze_tenant
from dpgov.budgets.services.raising import request_raise
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import set_terms
from dpgov.noise_check.findings import Finding, NoiseReport, keep
from dpgov.notices.events import follow as following
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Choice, Cursor, Event, Notice, State
from dpgov.notices.selectors import notices_of, unread_of
from dpgov.notices.words import page_of
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.answering import ending
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of
from tests.cast import Ask, join
from tests.integration.notices.conftest import Told, read_the_log

pytestmark = pytest.mark.django_db
BROKEN = Finding("sum", "pure", 2.0, 1.3, 20_000, 1e-6, 50, bound=2.2, control=2.9)


def want_more(owner: Membership, dataset: Dataset) -> Any:
    return request_raise(
        membership=owner, budget=dataset.budget, limit_nano=11 * NANO, reason="it goes on"
    )


def give_up(query: Query) -> None:
    ending.give_up(query, fence=query.fence, actor=actor_of(query.analyst))


def test_a_request_is_told_to_who_may_decide_and_to_nobody_else(
    owner: Membership,
    analyst: Membership,
    officer: Membership,
    admin: Membership,
    dataset: Dataset,
    told: Told,
) -> None:
    want_more(owner, dataset)
    read_the_log(owner.tenant)
    assert told(officer) == ["“Raise a limit: visits” was requested and waits for a decision."]
    assert [told(person) for person in (owner, analyst, admin)] == [[], [], []]


def test_a_decision_is_told_to_who_asked(
    owner: Membership, officer: Membership, dataset: Dataset, told: Told
) -> None:
    request = want_more(owner, dataset)
    reject(request_id=request.pk, decider=officer, reason="no")
    read_the_log(owner.tenant)
    assert told(owner) == ["The request “Raise a limit: visits” was rejected."]
    assert told(officer) == []


def test_whatever_is_repeated_tells_once(
    owner: Membership, officer: Membership, dataset: Dataset, ask: Ask, analyst: Membership
) -> None:
    """Also when the cursor is lost, as after a crash before it was written."""
    want_more(owner, dataset)
    ask(analyst, epsilon=1)
    first = read_the_log(owner.tenant)
    assert first > 0
    Cursor.objects.all().delete()
    assert read_the_log(owner.tenant) == read_the_log(owner.tenant) == 0
    told = Notice.objects.filter(person=officer.user)
    assert told.exclude(event__kind=Kind.NEW_DATA).count() == 1


def test_a_crash_in_the_middle_leaves_nothing_half_told(
    owner: Membership, officer: Membership, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    want_more(owner, dataset)
    with monkeypatch.context() as broken:
        broken.setattr(following, "reached", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            read_the_log(owner.tenant)
    assert not Event.objects.exists()
    assert not Cursor.objects.exists()
    read_the_log(owner.tenant)
    assert unread_of(officer).exclude(event__kind=Kind.NEW_DATA).count() == 1


def test_an_entry_that_cannot_be_understood_stands_in_nobody_s_way(
    owner: Membership, officer: Membership, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    want_more(owner, dataset)

    def puzzled(entry: object) -> None:
        raise KeyError(entry)

    monkeypatch.setattr(following, "happening_of", puzzled)
    assert read_the_log(owner.tenant) == 0
    assert Cursor.objects.get().sequence == log_size(owner.tenant_id)


def test_following_the_log_writes_nothing_into_it(
    owner: Membership, officer: Membership, dataset: Dataset
) -> None:
    want_more(owner, dataset)
    before = AuditEntry.objects.count()
    read_the_log(owner.tenant)
    assert AuditEntry.objects.count() == before


def test_a_failed_question_is_told_to_who_asked_and_not_before_its_slot(
    analyst: Membership, officer: Membership, ask: Ask, told: Told
) -> None:
    """A notice must not say sooner than the page how a question ended."""
    query = ask(analyst)
    give_up(query)
    slot = timezone.now() + timedelta(hours=1)
    Query.objects.filter(pk=query.pk).update(visible_at=slot)
    read_the_log(analyst.tenant)
    assert unread_of(analyst).count() == 0
    assert Notice.objects.get(person=analyst.user).due_at == slot
    Notice.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert unread_of(analyst).count() == 1
    assert told(analyst) == [
        "A question about Visits could not be run. It cost nothing.",
    ]
    assert told(officer) == []


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([4], None),
        ([5], "Half of the budget of Visits is used or reserved."),
        ([8], "80% of the budget of Visits is used or reserved: "),
        ([10], "All of the budget of Visits is used or reserved: "),
    ],
)
def test_a_budget_is_told_by_the_highest_level_it_has_reached(
    asked: list[int],
    said: str | None,
    dataset: Dataset,
    owner: Membership,
    officer: Membership,
    analyst: Membership,
    ask: Ask,
    told: Told,
) -> None:
    """Reserved counts like spent; owners and officers are told."""
    Dataset.objects.update(per_query_limit_nano=10 * NANO)
    for epsilon in asked:
        ask(analyst, epsilon=epsilon, of=Dataset.objects.get())
    read_the_log(owner.tenant)
    assert [text.startswith(said or "-") for text in told(owner)] == [True] * bool(said)
    assert told(officer) == told(owner)
    assert told(analyst) == []


@pytest.mark.tampers_with_ledger
def test_each_level_is_told_once_for_each_limit(
    dataset: Dataset, owner: Membership, analyst: Membership, ask: Ask, told: Told
) -> None:
    """What falls and rises again is no news; with another limit it is."""
    Dataset.objects.update(per_query_limit_nano=10 * NANO)
    query = ask(analyst, epsilon=8, of=Dataset.objects.get())
    read_the_log(owner.tenant)
    give_up(query)
    ask(analyst, epsilon=6, of=Dataset.objects.get())
    read_the_log(owner.tenant)
    assert len(told(owner)) == 1
    Budget.objects.filter(kind=Budget.Kind.DATASET).update(limit_nano=7 * NANO)
    ask(analyst, epsilon=0.1, of=Dataset.objects.get())
    read_the_log(owner.tenant)
    assert len(told(owner)) == 2


def test_an_allocation_is_told_to_its_holder_alone(
    dataset: Dataset,
    owner: Membership,
    admin: Membership,
    analyst: Membership,
    ask: Ask,
    told: Told,
) -> None:
    allocate(
        dataset_budget=dataset.budget,
        holder=analyst.user,
        limit_nano=NANO,
        actor=actor_of(owner.user),
        reason="the study",
    )
    ask(analyst, epsilon=1)
    read_the_log(owner.tenant)
    assert [text.partition(" is used")[0] for text in told(analyst)] == [
        "All of your allocation of Visits"
    ]
    assert told(owner) == told(admin) == []


def test_an_alarm_of_the_noise_check_is_told_once_a_run(
    officer: Membership, admin: Membership, owner: Membership, stranger: Membership, told: Told
) -> None:
    keep(NoiseReport((BROKEN,), 1_700_000_000.0))
    for _ in range(2):
        read_the_log(officer.tenant)
    assert len(told(officer)) == len(told(admin)) == 1
    assert told(owner) == []
    keep(NoiseReport((BROKEN,), 1_700_000_001.0))
    read_the_log(officer.tenant)
    assert len(told(officer)) == 2


def test_frozen_datasets_are_told_to_owners_and_officers(
    owner: Membership, officer: Membership, analyst: Membership, dataset: Dataset, told: Told
) -> None:
    freeze_tenant(tenant_id=owner.tenant_id, reason="restored")
    read_the_log(owner.tenant)
    assert told(owner) == told(officer) != []
    assert told(analyst) == []


def test_a_person_hears_of_a_kind_as_they_chose(
    owner: Membership, officer: Membership, dataset: Dataset
) -> None:
    """Neither here nor by e-mail: then there is no notice at all."""
    choice = Choice.objects.create(
        tenant=officer.tenant, person=officer.user, kind=Kind.REQUEST, in_app=False, letter=True
    )
    request = want_more(owner, dataset)
    read_the_log(owner.tenant)
    assert not notices_of(officer).exclude(event__kind=Kind.NEW_DATA).exists()
    others = Notice.objects.exclude(event__kind=Kind.NEW_DATA)
    assert others.get(person=officer.user).letter == State.WAITING
    reject(request_id=request.pk, decider=officer, reason="no")
    choice.letter = False
    choice.save()
    want_more(owner, dataset)
    read_the_log(owner.tenant)
    told = Notice.objects.filter(person=officer.user)
    assert told.exclude(event__kind=Kind.NEW_DATA).count() == 1


def test_nobody_of_another_tenant_is_told(
    owner: Membership, officer: Membership, stranger: Membership, dataset: Dataset, told: Told
) -> None:
    """H2"""
    want_more(owner, dataset)
    read_the_log(stranger.tenant)
    assert not Notice.objects.exists()
    read_the_log(owner.tenant)
    assert told(stranger) == []


def test_new_terms_are_told_to_who_asked_before_and_may_ask(
    owner: Membership,
    analyst: Membership,
    admin: Membership,
    dataset: Dataset,
    ask: Ask,
    told: Told,
) -> None:
    """Once, with the page that has them; nobody else is told of what they never read."""
    ask(analyst, epsilon=1)
    other = join(dataset.tenant, Role.ANALYST, "late")
    read_the_log(owner.tenant)
    set_terms(dataset=dataset, text="Publish nothing about groups under ten.", user=owner.user)
    read_the_log(owner.tenant)
    words = "There are new terms of use for visits. Accept them before your next question."
    assert told(analyst) == [words.replace("visits", dataset.name)]
    assert [told(person) for person in (other, owner, admin)] == [[], [], []]
    event = Event.objects.get(kind=Kind.TERMS)
    assert page_of(event.kind, event.detail) == f"/datasets/{dataset.slug}/terms/"


def test_a_log_whose_last_entries_are_missing_ends_its_round(
    officer: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verifier says what is wrong with it; the sweeper went round in it for ever."""
    monkeypatch.setattr(following, "log_size", lambda _: 10**6)
    with capture_logs() as said:
        read_the_log(officer.tenant)
    assert [one["event"] for one in said] == ["a log cannot be followed"]
