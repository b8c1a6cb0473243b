"""Invitations: one way in, once, for one address; and never as somebody else."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.tenants import invitations as service
from dpgov.tenants.models import Invitation, Membership, Role, User

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
PASSWORD = "a quiet harbour at dawn"  # noqa: S105 - of invented people
NEW = "nora@example.org"


def invite(admin: Membership, email: str = NEW, role: str = "analyst") -> str:
    return service.invite(membership=admin, email=email, role=role)[1]


def join(client: Client, token: str, **typed: str) -> Any:
    return client.post(reverse("tenants:join", args=[token]), typed)


def choose(client: Client, token: str, password: str = PASSWORD) -> Any:
    return join(client, token, name="Nora", password=password, again=password)


def is_member(admin: Membership, email: str) -> bool:
    return Membership.objects.filter(tenant=admin.tenant, user__email=email).exists()


def recorded(admin: Membership) -> list[str]:
    entries = AuditEntry.objects.filter(tenant_id=admin.tenant_id).order_by("sequence")
    return list(entries.values_list("action", flat=True))


def test_an_administrator_invites_by_mail_and_the_link_is_shown_once(
    admin: Membership, client_for: ClientFor, django_assert_max_num_queries: Any
) -> None:
    """H5: the log and the list hold no token."""
    browser, url = client_for(admin), reverse("tenants:invitations")
    assert "Nobody is invited" in browser.get(url).content.decode()
    page = browser.post(url, {"email": "Nora@Example.org", "role": "officer"}).content.decode()
    token = re.findall(r"/join/([\w-]+)/", mail.outbox[0].body)[0]
    assert mail.outbox[0].to == [NEW]
    assert token in page
    with django_assert_max_num_queries(12):
        again = browser.get(url).content.decode()
    assert NEW in again
    assert token not in again
    assert Invitation.objects.get().token_hash == service.hash_of(token)
    assert not [
        text for text in AuditEntry.objects.values_list("detail", flat=True) if token in text
    ]


def test_a_new_person_joins_with_a_password_and_one_entry(
    admin: Membership, client: Client
) -> None:
    """G1"""
    token = invite(admin, role="officer")
    assert choose(client, token).status_code == 302
    member = Membership.objects.get(tenant=admin.tenant, user__email=NEW)
    assert (member.role, member.user.name) == (Role.OFFICER, "Nora")
    assert member.user.check_password(PASSWORD)
    assert recorded(admin) == [Action.INVITATION_SENT, Action.INVITATION_ACCEPTED]
    entry = AuditEntry.objects.latest("sequence")
    assert entry.actor_label == NEW
    assert json.loads(entry.detail) == {"email": NEW, "role": "officer", "account": "new"}


def test_an_invitation_works_once(admin: Membership, client: Client) -> None:
    """H6"""
    token = invite(admin)
    choose(client, token)
    Membership.objects.get(user__email=NEW).delete()
    assert choose(client, token, "another harbour at dusk").status_code == 410
    assert not is_member(admin, NEW)
    assert User.objects.get(email=NEW).check_password(PASSWORD)


@pytest.mark.parametrize("why", ["too old", "taken back", "replaced", "unknown"])
def test_what_cannot_be_used_says_the_same_whatever_the_reason(
    why: str, admin: Membership, client: Client, client_for: ClientFor
) -> None:
    """H6"""
    token = invite(admin)
    invitation = Invitation.objects.get()
    if why == "too old":
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    if why == "taken back":
        url = reverse("tenants:invitation_revoke", args=[invitation.pk])
        assert client_for(admin).post(url).status_code == 302
        assert client_for(admin).post(url).status_code == 404
    if why == "replaced":
        invite(admin)
    answer = choose(client, "unknown" if why == "unknown" else token)
    assert answer.status_code == 410
    assert "cannot be used any more" in answer.content.decode()
    assert not is_member(admin, NEW)


def test_a_weak_password_is_refused_and_the_invitation_stays(
    admin: Membership, client: Client
) -> None:
    token = invite(admin)
    assert choose(client, token, "12345").status_code == 422
    assert not User.objects.filter(email=NEW).exists()
    assert join(client, token, password=PASSWORD, again="other").status_code == 422
    assert choose(client, token).status_code == 302


def test_who_has_an_account_must_sign_in_to_it_and_keeps_it(
    admin: Membership, stranger: Membership, client: Client, client_for: ClientFor
) -> None:
    """H6: the link alone gives nobody somebody else's account."""
    EmailAddress.objects.create(
        user=stranger.user, email=stranger.user.email, verified=True, primary=True
    )
    token = invite(admin, stranger.user.email)
    before = stranger.user.password
    assert choose(client, token).status_code == 422
    assert choose(client_for(admin), token).status_code == 422
    assert not is_member(admin, stranger.user.email)
    assert join(client_for(stranger), token).status_code == 302
    assert is_member(admin, stranger.user.email)
    stranger.user.refresh_from_db()
    assert stranger.user.password == before


def test_an_account_whose_address_nobody_confirmed_does_not_come_in(
    admin: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    """H6: whoever made the account may know its password."""
    answer = join(client_for(stranger), invite(admin, stranger.user.email))
    assert "has not confirmed the address" in answer.content.decode()
    assert not is_member(admin, stranger.user.email)


def test_a_member_is_not_invited_again(admin: Membership, analyst: Membership) -> None:
    with pytest.raises(service.AlreadyMember):
        invite(admin, analyst.user.email.upper())
    assert recorded(admin) == []


def test_another_tenant_s_invitation_looks_missing(
    admin: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    """H1"""
    found, _ = service.invite(membership=stranger, email=NEW, role="analyst")
    url = reverse("tenants:invitation_revoke", args=[found.pk])
    assert client_for(admin).post(url).status_code == 404
    assert Invitation.objects.get().ended_at is None
