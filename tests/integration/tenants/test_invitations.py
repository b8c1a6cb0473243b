"""Invitations: by letter to the address alone, and the same for everybody who is invited."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.tenants import invitations as service
from dpgov.tenants.models import Invitation, Membership, Role, Tenant
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import AlreadyMember, change_role
from tests.cast import join

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
NEW = "nora@example.org"
_RANDOM = re.compile(
    r'name="csrfmiddlewaretoken" value="[^"]*"|nonce="[^"]*"|[0-9a-f-]{36}'
    r'|X-CSRFToken[^,}]*|datetime="[^"]*"'
)


def recorded(admin: Membership) -> list[str]:
    entries = AuditEntry.objects.filter(tenant_id=admin.tenant_id).order_by("sequence")
    return list(entries.values_list("action", flat=True))


def send(browser: Client, email: str, role: str = "analyst", **more: str) -> Any:
    door = reverse("people:invitations")
    return browser.post(door, {"email": email, "role": role, **more}, follow=True)


def test_the_link_is_in_the_letter_alone(
    admin: Membership, client_for: ClientFor, django_assert_max_num_queries: Any
) -> None:
    """L9, H5: no page, log or list holds the token."""
    browser, url = client_for(admin), reverse("people:invitations")
    assert "No invitation waits" in browser.get(url).text
    page = send(browser, "Nora@Example.org", "admin")
    assert "An e-mail with the link is on its way." in page.text
    token = re.findall(r"/join/([\w-]+)/", str(mail.outbox[0].body))[0]
    assert mail.outbox[0].to == [NEW]
    with django_assert_max_num_queries(14):
        again = browser.get(url).text
    for text in (page.text, again):
        assert NEW in text
        assert token not in text
        assert "/join/" not in text
    assert Invitation.objects.get().token_hash == service.hash_of(token)
    assert recorded(admin) == [Action.INVITATION_SENT]
    assert token not in AuditEntry.objects.get().detail


def test_whoever_has_an_account_elsewhere_is_invited_like_anybody(
    admin: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    """H8: the same page, words, status, statements and letter, but for the address."""
    seen, browser = [], client_for(admin)
    send(browser, "first@example.org")
    mail.outbox.clear()
    Invitation.objects.update(ended_at=timezone.now())
    for email in (stranger.user.email, "nobody@" + stranger.user.email.partition("@")[2]):
        with CaptureQueriesContext(connection) as asked:
            page = send(browser, email)
        Invitation.objects.update(ended_at=timezone.now())
        text = _RANDOM.sub("", page.text).replace(email, "X")
        seen.append((page.status_code, re.sub(r"\d\d:\d\d(:\d\d)?", "", text), len(asked)))
    assert seen[0] == seen[1]
    assert "Sven" not in seen[0][1]
    bodies = [re.sub(r"/join/[\w-]+/", "", str(letter.body)) for letter in mail.outbox]
    assert bodies[0] == bodies[1]
    assert not Membership.objects.filter(tenant=admin.tenant, user=stranger.user).exists()


def test_a_member_is_not_invited_again(admin: Membership, analyst: Membership) -> None:
    with pytest.raises(AlreadyMember):
        service.invite(membership=admin, email=analyst.user.email.upper(), role="analyst")
    assert recorded(admin) == []


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_an_address_that_a_member_confirmed_is_no_second_person(
    admin: Membership, owner: Membership, client: Client, when: str
) -> None:
    """F1: with two accounts one person would ask, and agree."""
    confirmed = EmailAddress(user=owner.user, email=NEW, verified=True, primary=False)
    if when == "before":
        confirmed.save()
        with pytest.raises(AlreadyMember):
            service.invite(membership=admin, email=NEW.upper(), role="analyst")
        return
    _, token = service.invite(membership=admin, email=NEW, role="analyst")
    confirmed.save()
    door, password = reverse("tenants:join", args=[token]), "a quiet harbour at dawn"
    page = client.post(door, {"name": "N", "password": password, "again": password})
    assert f"{NEW} is a member already" in page.text
    assert not Membership.objects.filter(tenant=admin.tenant, user__email=NEW).exists()


def test_an_address_that_nobody_confirmed_may_be_invited(
    admin: Membership, owner: Membership
) -> None:
    """Anybody could say that it is theirs, and keep its person out."""
    EmailAddress.objects.create(user=owner.user, email=NEW, verified=False, primary=False)
    assert service.invite(membership=admin, email=NEW, role="analyst")


def test_no_link_is_sent_again_that_would_not_work(
    admin: Membership, tenant: Tenant, client_for: ClientFor
) -> None:
    """L9: an invitation ends with its sender's role; whoever sends it again is told."""
    other = join(tenant, Role.ADMIN, "other")
    invitation, _ = service.invite(membership=other, email=NEW, role="analyst")
    change_role(membership=other, role="analyst", actor=actor_of(admin.user))
    door = reverse("people:invitation_again", args=[invitation.pk])
    page = client_for(admin).post(door, follow=True)
    assert "may not invite anybody any more" in page.text
    assert mail.outbox == []
    with pytest.raises(CommandError, match="with --role"):
        call_command("invite", tenant.slug, NEW)


def test_inviting_is_slow_after_twenty_an_hour(admin: Membership, client_for: ClientFor) -> None:
    """H8: nobody goes through lists of addresses, or floods them."""
    browser = client_for(admin)
    for number in range(service.MOST_AN_HOUR):
        assert send(browser, f"n{number}@example.org").status_code == 200
    refused = send(browser, NEW)
    assert refused.status_code == 422
    assert "within an hour" in refused.text
    assert len(mail.outbox) == Invitation.objects.count() == service.MOST_AN_HOUR
    lately = timezone.now() - timedelta(hours=1, seconds=1)
    Invitation.objects.update(created_at=lately)
    assert send(browser, NEW).status_code == 200


def test_a_letter_is_sent_again_with_another_link_a_few_times(
    admin: Membership, client_for: ClientFor
) -> None:
    browser = client_for(admin)
    send(browser, NEW)
    door = reverse("people:invitation_again", args=[Invitation.objects.get().pk])
    for _ in range(service.MOST_LETTERS):
        page = browser.post(door, follow=True)
    assert "was sent 5 times" in page.text
    tokens = [re.findall(r"/join/([\w-]+)/", str(letter.body))[0] for letter in mail.outbox]
    assert len(set(tokens)) == service.MOST_LETTERS
    assert Invitation.objects.get().token_hash == service.hash_of(tokens[-1])
    assert recorded(admin) == [Action.INVITATION_SENT] * service.MOST_LETTERS


def test_a_letter_that_cannot_be_sent_is_told_without_a_link(
    admin: Membership, client_for: ClientFor, settings: Any
) -> None:
    """L9"""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    page = send(client_for(admin), NEW)
    assert "could not be sent" in page.text
    assert "Not sent" in page.text
    assert "/join/" not in page.text


def test_without_a_mail_server_the_page_says_where_the_letter_is(
    admin: Membership, client_for: ClientFor, settings: Any, tmp_path: Any
) -> None:
    """L9: whoever runs the installation hands it over, not who invites."""
    settings.EMAIL_BACKEND = "dpgov.tenants.mail_folder.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    page = send(client_for(admin), NEW)
    assert "manage.py invite" in page.text
    assert "The operator of this installation finds it and hands it over." in page.text
    assert "on its way" not in page.text
    (letter,) = (tmp_path / "mail").iterdir()
    assert "/join/" in letter.read_text()


@pytest.mark.parametrize(
    ("posted", "message"),
    [
        ({"email": "nonsense", "role": "admin"}, "valid email"),
        ({"email": "x@example.org", "role": "emperor"}, "valid choice"),
        ({"email": "", "role": "admin"}, "required"),
        ({"email": "x@example.org", "role": "owner"}, "Give a reason"),
    ],
)
def test_bad_input_gets_a_message_at_the_field_and_changes_nothing(
    admin: Membership, client_for: ClientFor, posted: dict[str, str], message: str
) -> None:
    page = client_for(admin).post(reverse("people:invitations"), posted)
    assert page.status_code == 422
    assert message in page.text
    assert recorded(admin) == []
    assert not Invitation.objects.exists()


def test_another_tenant_s_invitation_looks_missing(
    admin: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    """H1"""
    foreign = join(stranger.tenant, Role.ADMIN, "far")
    found, _ = service.invite(membership=foreign, email=NEW, role="analyst")
    for step in ("people:invitation_revoke", "people:invitation_again"):
        assert client_for(admin).post(reverse(step, args=[found.pk])).status_code == 404
    assert Invitation.objects.get().ended_at is None
