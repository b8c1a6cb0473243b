"""Requests for budget: an owner hears of each, and who asked hears what became of it, once."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from dpgov.datasets.models import Dataset
from dpgov.datasets.services import change_audience
from dpgov.notices.models import Event
from dpgov.notices.selectors import notices_of
from dpgov.notices.words import page_of
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import BudgetRequest
from dpgov.queries.workbench import budget_requests as service
from dpgov.tenants.models import Membership
from tests.integration.notices.conftest import Told, read_the_log

pytestmark = pytest.mark.django_db
ASKED = "An analyst asks for budget of Visits."
Wanted = Callable[..., BudgetRequest]


@pytest.fixture
def wanted(analyst: Membership, dataset: Dataset) -> Wanted:
    """The analyst asks the owners for something."""

    def ask(about: str = "allocation") -> BudgetRequest:
        return service.ask_for_budget(
            membership=analyst, dataset=dataset, about=about, epsilon_nano=15 * NANO, reason="more"
        )

    return ask


def _known(owner: Membership, sent: BudgetRequest) -> dict[str, Any]:
    return {"membership": owner, "request_id": sent.pk, "answer": "well"}


def test_owners_are_told_that_one_waits_and_nobody_else(
    owner: Membership, analyst: Membership, officer: Membership, wanted: Wanted, told: Told
) -> None:
    sent = wanted()
    read_the_log(owner.tenant)
    assert read_the_log(owner.tenant) == 0
    assert [told(one) for one in (owner, analyst, officer)] == [[ASKED], [], []]
    event = Event.objects.get(key__startswith="budget_request:")
    assert page_of(event.kind, event.detail) == f"/requests/{sent.pk}/"


def _granted(owner: Membership, sent: BudgetRequest) -> None:
    service.grant_request(**_known(owner, sent), limit_nano=2 * NANO)


def _permitted(owner: Membership, sent: BudgetRequest) -> None:
    day = clock.today() + timedelta(days=7)
    service.grant_permit(**_known(owner, sent), epsilon_nano=2 * NANO, last_day=day)


def _passed_on(owner: Membership, sent: BudgetRequest) -> None:
    service.pass_on(**_known(owner, sent), limit_nano=12 * NANO)


def _declined(owner: Membership, sent: BudgetRequest) -> None:
    service.decline_request(**_known(owner, sent))


@pytest.mark.parametrize(
    ("about", "answer", "words"),
    [
        ("allocation", _granted, "was granted."),
        ("permit", _permitted, "was granted."),
        ("limit", _passed_on, "was passed on: a compliance officer decides."),
        ("allocation", _declined, "was declined. Open it to see why."),
    ],
)
def test_who_asked_is_told_the_answer(
    owner: Membership, analyst: Membership, wanted: Wanted, told: Told,
    about: str, answer: Callable[[Membership, BudgetRequest], None], words: str,
) -> None:  # fmt: skip
    sent = wanted(about)
    read_the_log(owner.tenant)
    answer(owner, sent)
    read_the_log(owner.tenant)
    assert read_the_log(owner.tenant) == 0
    assert told(analyst) == [f"Your request for budget of Visits {words}"]
    assert told(owner) == [ASKED]


def test_an_answer_is_told_however_many_requests_came_after_its_own(
    owner: Membership, analyst: Membership, wanted: Wanted, told: Told
) -> None:
    """And all of a burst are told, in rounds."""
    sent = wanted()
    read_the_log(owner.tenant)
    known = {"dataset": sent.dataset, "tenant": sent.tenant, "epsilon_nano": NANO, "reason": "more"}
    later = {"asked_by": owner.user, "answered_by": analyst.user, "answered_at": clock.now()}
    later |= {"about": "permit", "state": BudgetRequest.State.DECLINED, "answer": "no"}
    BudgetRequest.objects.bulk_create(BudgetRequest(**known, **later) for _ in range(401))
    _declined(owner, sent)
    for _ in range(4):
        read_the_log(owner.tenant)
    declined = "Your request for budget of Visits was declined. Open it to see why."
    assert told(analyst) == [declined]
    assert told(owner).count(declined) == 401


def test_of_what_was_withdrawn_before_anybody_looked_nobody_is_told(
    owner: Membership, analyst: Membership, wanted: Wanted, told: Told
) -> None:
    service.withdraw_request(membership=analyst, request_id=wanted().pk)
    read_the_log(owner.tenant)
    assert [told(owner), told(analyst)] == [[], []]


def test_old_news_is_not_told(owner: Membership, wanted: Wanted, told: Told) -> None:
    """As after an upgrade, or a sweeper that was away."""
    long_ago = clock.now() - timedelta(days=8)
    BudgetRequest.objects.filter(pk=wanted().pk).update(asked_at=long_ago)
    read_the_log(owner.tenant)
    assert told(owner) == []


def test_what_is_of_a_dataset_for_named_people_is_hidden_from_others(
    owner: Membership, analyst: Membership, dataset: Dataset, wanted: Wanted
) -> None:
    """L37: somebody who is not named any more sees no answer to what they once asked."""
    sent = wanted()
    _declined(owner, sent)
    read_the_log(owner.tenant)
    assert notices_of(analyst).count() == 1
    change_audience(dataset=dataset, named_only=True, named=set(), user=owner.user)
    assert notices_of(analyst).count() == 0
