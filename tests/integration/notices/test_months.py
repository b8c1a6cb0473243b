"""The report of a month is told to officers on the first of the next, by e-mail if wanted."""

from datetime import UTC, datetime

import pytest
from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.actor import WORKER
from dpgov.audit.services import append
from dpgov.notices.events.months import ended_months
from dpgov.notices.events.telling import tell
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Choice, Notice
from dpgov.notices.words import page_of, sentence
from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db
FIRST = datetime(2026, 11, 1, 0, 5, tzinfo=UTC)


@pytest.fixture
def october(officer: Membership) -> None:
    """Something happened in October."""
    with transaction.atomic():
        append(
            tenant_id=officer.tenant_id,
            actor=WORKER,
            action=Action.AUDIT_LOG_EXPORTED,
            subject="log",
            at=datetime(2026, 10, 20, tzinfo=UTC),
        )


def _told(officer: Membership, now: datetime) -> int:
    return sum(tell(officer.tenant_id, one) for one in ended_months(officer.tenant_id, now))


def test_officers_are_told_once_and_led_to_the_month(
    october: None, officer: Membership, owner: Membership, analyst: Membership
) -> None:
    """Of what stands in the report the notice says nothing."""
    assert [_told(officer, FIRST), _told(officer, FIRST)] == [1, 0]
    (notice,) = Notice.objects.select_related("event")
    assert (notice.person_id, notice.letter, notice.in_app) == (officer.user_id, "", True)
    event = notice.event
    assert sentence(event.kind, event.detail) == (
        "The report of October 2026 is ready to be read and signed."
    )
    assert page_of(event.kind, event.detail) == "/month/?month=2026-10"


def test_by_e_mail_it_comes_to_who_chose_so(october: None, officer: Membership) -> None:
    Choice.objects.create(
        tenant=officer.tenant, person=officer.user, kind=Kind.MONTH, in_app=False, letter=True
    )
    assert _told(officer, FIRST) == 1
    assert Notice.objects.get().letter == "waiting"


@pytest.mark.parametrize(
    "now", [datetime(2026, 11, 9, tzinfo=UTC), datetime(2026, 10, 2, tzinfo=UTC)]
)
def test_old_news_and_months_without_a_log_are_not_told(
    october: None, officer: Membership, now: datetime
) -> None:
    assert _told(officer, now) == 0
