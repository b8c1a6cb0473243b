"""The report of a month is told to officers on the first of the next, and sent to them."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta

import pytest
from django.core import mail
from django.db import transaction
from django.test import Client

from dpgov.audit.actions import Action
from dpgov.audit.actor import WORKER
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.services import append
from dpgov.notices.events.routine import ended_months
from dpgov.notices.events.telling import tell
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Choice, Event, Notice, State
from dpgov.notices.words import page_of, sentence
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.letter import enclosed
from dpgov.sweeper.notices import letters
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
FIRST = datetime(2026, 11, 1, 0, 5, tzinfo=UTC)
SECOND = FIRST + timedelta(days=1)


@made_once
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


def _send(officer: Membership) -> int:
    with acting_for(officer.tenant_id):
        return letters(officer.tenant_id)


def test_officers_are_told_once_and_led_to_the_month(
    october: None, officer: Membership, owner: Membership, analyst: Membership
) -> None:
    """Of what stands in the report the sentence says nothing."""
    assert [_told(officer, SECOND), _told(officer, SECOND)] == [1, 0]
    (notice,) = Notice.objects.select_related("event")
    assert (notice.person_id, notice.letter, notice.in_app) == (officer.user_id, "waiting", True)
    event = notice.event
    assert sentence(event.kind, event.detail) == (
        "The report of October 2026 is ready to be read and signed."
    )
    assert page_of(event.kind, event.detail) == "/month/?month=2026-10"


def test_it_is_told_once_the_log_of_the_month_is_signed_or_a_day_later(
    october: None, officer: Membership
) -> None:
    """A checkpoint from before its end is not enough."""
    assert _told(officer, FIRST) == 0
    make_checkpoint(tenant_id=officer.tenant_id)
    assert _told(officer, FIRST) == 1
    this = Month.read("")
    end = datetime.combine(this.after, time.min, UTC)
    assert [_told(officer, end + timedelta(hours=n)) for n in (1, 24)] == [0, 1]


def test_the_letter_has_the_report_of_the_page_enclosed(
    october: None, officer: Membership, client_for: Callable[[Membership], Client]
) -> None:
    """Byte for byte, whatever language its reader has."""
    officer.user.language = "de"
    officer.user.save(update_fields=["language"])
    _told(officer, SECOND)
    assert _send(officer) == 1
    (letter,) = mail.outbox
    (enclosure,) = letter.attachments
    assert letter.to == [officer.user.email]
    assert tuple(enclosure)[::2] == ("month-harbour-2026-10.pdf", "application/pdf")
    page = client_for(officer).get("/month/report/", {"month": "2026-10"})
    assert tuple(enclosure)[1] == page.content
    assert page.content.startswith(b"%PDF-")


@pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN, Role.ANALYST])
def test_whoever_may_not_read_the_log_is_not_sent_the_report(
    october: None, officer: Membership, role: Role
) -> None:
    """Nor somebody who was an officer when they were told."""
    _told(officer, SECOND)
    (event,) = Event.objects.all()
    assert enclosed(event, join(officer.tenant, role, "nina")) is None
    Membership.objects.filter(pk=officer.pk).update(role=role)
    _send(officer)
    assert mail.outbox == []
    assert Notice.objects.get().letter == State.GIVEN_UP


def test_who_wants_no_e_mail_gets_none(october: None, officer: Membership) -> None:
    Choice.objects.create(
        tenant=officer.tenant, person=officer.user, kind=Kind.MONTH, in_app=True, letter=False
    )
    _told(officer, SECOND)
    assert _send(officer) == 0
    assert mail.outbox == []


@pytest.mark.parametrize(
    "now", [datetime(2026, 11, 9, tzinfo=UTC), datetime(2026, 10, 2, tzinfo=UTC)]
)
def test_old_news_and_months_without_a_log_are_not_told(
    october: None, officer: Membership, now: datetime
) -> None:
    assert _told(officer, now) == 0
