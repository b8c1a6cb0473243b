"""Notices by e-mail, the pages of notices and webhooks, and the sweeper's round."""

import smtplib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dpgov.notices.delivery.letters import send_letters
from dpgov.notices.events.telling import Happening, tell
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Choice, Notice, State, Webhook
from dpgov.sweeper import notices
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.models import Membership, Tenant

pytestmark = pytest.mark.django_db
_EARLIER = timedelta(minutes=1)
ClientFor = Callable[[Membership], Client]


def happen(officer: Membership, key: str = "one", *, late: timedelta = timedelta()) -> None:
    happening = Happening(
        key,
        Kind.HOLD,
        timezone.now() + late,
        frozenset({officer.user_id}),
        {"what": "dataset", "dataset": "Visits\nto <b>"},
    )
    tell(officer.tenant_id, happening)


def send(officer: Membership) -> int:
    with acting_for(officer.tenant_id):
        return send_letters(officer.tenant_id)


def test_a_letter_goes_out_once_with_an_address_to_look_at(
    officer: Membership, settings: Any
) -> None:
    settings.DPGOV_BASE_URL = "https://dpgov.example.org"
    happen(officer)
    assert (send(officer), send(officer)) == (1, 0)
    (letter,) = mail.outbox
    assert letter.to == [officer.user.email]
    assert "\n" not in letter.subject
    assert "https://dpgov.example.org/datasets/" in letter.body
    assert letter.body.endswith("settings.\nhttps://dpgov.example.org/notices/\n")
    assert letter.extra_headers["Message-ID"] == f"<{Notice.objects.get().pk}@notices.dpgov>"
    assert Notice.objects.get().letter == State.SENT


def test_a_mail_server_that_is_away_is_tried_again_later(
    officer: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    happen(officer, "one")
    happen(officer, "two")

    def away(letter: EmailMessage) -> int:
        raise smtplib.SMTPServerDisconnected

    with monkeypatch.context() as broken:
        broken.setattr(EmailMessage, "send", away)
        assert send(officer) == 0
    assert sorted(Notice.objects.values_list("attempts", flat=True)) == [0, 1]
    Notice.objects.update(next_attempt_at=timezone.now())
    assert send(officer) == 2


@pytest.mark.parametrize(
    "refusal",
    [smtplib.SMTPRecipientsRefused({"x": (550, b"no such user")}), smtplib.SMTPDataError(554, b"")],
)
def test_an_address_that_is_refused_holds_up_nobody_else_s_letter(
    officer: Membership, owner: Membership, refusal: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever left the mail server would have cost a round a try; it is tried again later."""
    happen(officer)
    happen(owner, "two")
    real = EmailMessage.send

    def refuse(letter: EmailMessage) -> int:
        if letter.to == [officer.user.email]:
            raise refusal
        return int(real(letter))

    monkeypatch.setattr(EmailMessage, "send", refuse)
    Notice.objects.filter(person=officer.user).update(next_attempt_at=timezone.now() - _EARLIER)
    assert send(officer) == 1
    assert Notice.objects.get(person=owner.user).letter == State.SENT
    assert Notice.objects.get(person=officer.user).letter == State.WAITING


@pytest.mark.parametrize(("pause", "sent"), [(timedelta(minutes=59), 0), (timedelta(days=1), 1)])
def test_a_try_that_a_clock_ahead_put_off_is_made_now(
    pause: timedelta, sent: int, officer: Membership
) -> None:
    """L14: no pause is longer than an hour, so that such a date was made by a clock ahead."""
    happen(officer)
    Notice.objects.update(attempts=1, next_attempt_at=timezone.now() + pause)
    assert send(officer) == sent


def test_who_is_no_member_any_more_gets_no_letter(officer: Membership) -> None:
    happen(officer)
    officer.delete()
    send(officer)
    assert mail.outbox == []
    assert Notice.objects.get().letter == State.GIVEN_UP


def test_no_letter_before_its_moment(officer: Membership) -> None:
    happen(officer, late=timedelta(hours=1))
    assert send(officer) == 0


def test_the_sweeper_makes_a_round_and_one_tenant_s_trouble_is_not_another_s(
    officer: Membership, stranger: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    happen(officer)
    seen: list[object] = []

    def troubled(tenant_id: object, **_: float) -> int:
        seen.append(tenant_id)
        raise RuntimeError

    monkeypatch.setattr(notices, "_STEPS", (troubled, send_letters))
    call_command("sweep", verbosity=0)
    assert len(seen) == Tenant.objects.count() == 2
    assert len(mail.outbox) == 1


def test_the_bell_counts_and_reading_empties_it(
    officer: Membership, client_for: ClientFor, django_assert_max_num_queries: Any
) -> None:
    browser = client_for(officer)
    assert b"Nothing to tell you yet" in browser.get(reverse("notices:list")).content
    happen(officer)
    with django_assert_max_num_queries(12):
        page = browser.get(reverse("notices:list")).content.decode()
    assert '1<span class="visually-hidden"> unread</span>' in page
    assert "Visits\nto &lt;b&gt; is held" in page
    notice = Notice.objects.get()
    opened = browser.post(reverse("notices:read", args=[notice.pk]), {"open": "1"})
    assert opened.headers["Location"] == "/datasets/"
    assert 'visually-hidden"> unread' not in browser.get("/").content.decode()
    browser.post(reverse("notices:read", args=[notice.pk]), {"unread": "1"})
    assert 'visually-hidden"> unread' in browser.get("/").content.decode()
    browser.post(reverse("notices:read_all"))
    assert Notice.objects.get().read_at is not None


def test_a_colleague_s_notice_looks_missing(
    officer: Membership, owner: Membership, client_for: ClientFor
) -> None:
    """H1"""
    happen(officer)
    url = reverse("notices:read", args=[Notice.objects.get().pk])
    assert client_for(owner).post(url).status_code == 404
    assert Notice.objects.get().read_at is None


def test_a_person_chooses_what_reaches_them(
    officer: Membership, client_for: ClientFor, django_assert_max_num_queries: Any
) -> None:
    browser, url = client_for(officer), reverse("notices:choices")
    with django_assert_max_num_queries(12):
        page = browser.get(url).content.decode()
    assert "Datasets are held or frozen" in page
    assert "A question of mine" not in page
    browser.post(url, {"in_app": ["hold"], "letter": ["request", "question"]})
    kept = {c.kind: (c.in_app, c.letter) for c in Choice.objects.all()}
    assert kept["hold"] == (True, False)
    assert kept["request"] == (False, True)
    assert "question" not in kept


def test_an_administrator_adds_a_webhook_and_sees_its_secret_once(
    admin: Membership, client_for: ClientFor, django_assert_max_num_queries: Any
) -> None:
    """H5"""
    browser, url = client_for(admin), reverse("notices:webhooks")
    assert "No webhooks yet" in browser.get(url).content.decode()
    refused = browser.post(url, {"url": "http://10.0.0.1/", "kinds": ["hold"]})
    assert refused.status_code == 422
    assert "has to begin with https://" in refused.content.decode()
    inside = browser.post(url, {"url": "https://127.0.0.1/hook", "kinds": ["hold"]})
    assert inside.status_code == 422
    assert inside.context["form"].errors["url"] == ["The address leads into a private network."]
    made = browser.post(url, {"url": "https://example.org/in", "kinds": ["hold"]})
    assert "dpgov_" in made.content.decode()
    assert "dpgov_" not in browser.get(url).content.decode()
    page = reverse("notices:webhook", args=[Webhook.objects.get().pk])
    browser.post(reverse("notices:webhook_test", args=[Webhook.objects.get().pk]))
    with django_assert_max_num_queries(12):
        shown = browser.get(page).content.decode()
    assert "dpgov_" not in shown
    assert "A test message of a webhook" in shown
