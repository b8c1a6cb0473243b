"""Accepting an invitation: once, for one address, by one's own yes; never as somebody else."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.tenants import invitations as service
from dpgov.tenants.accounts import set_password
from dpgov.tenants.models import Invitation, Membership, Role, User
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import change_role, remove_member
from tests.cast import join as member_of

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


def test_a_new_person_joins_with_a_password_and_one_entry(
    admin: Membership, client: Client
) -> None:
    """G1"""
    assert choose(client, invite(admin, role="admin")).status_code == 302
    member = Membership.objects.get(tenant=admin.tenant, user__email=NEW)
    assert (member.role, member.user.name) == (Role.ADMIN, "Nora")
    assert member.user.check_password(PASSWORD)
    actions = AuditEntry.objects.order_by("sequence").values_list("action", flat=True)
    assert list(actions) == [Action.INVITATION_SENT, Action.INVITATION_ACCEPTED]
    entry = AuditEntry.objects.latest("sequence")
    assert entry.actor_label == NEW
    assert json.loads(entry.detail) == {"email": NEW, "role": "admin", "account": "new"}


def test_an_invitation_works_once(admin: Membership, client: Client) -> None:
    """H6"""
    token = invite(admin)
    choose(client, token)
    Membership.objects.get(user__email=NEW).delete()
    assert choose(client, token, "another harbour at dusk").status_code == 410
    assert not is_member(admin, NEW)
    assert User.objects.get(email=NEW).check_password(PASSWORD)


@pytest.mark.parametrize(
    "why",
    ["too old", "taken back", "replaced", "unknown", "sender gone", "sender moved", "no consent"],
)
def test_what_cannot_be_used_says_the_same_whatever_the_reason(
    why: str, admin: Membership, client: Client, client_for: ClientFor
) -> None:
    """H6, L9: an invitation ends with the role of who sent it."""
    second = member_of(admin.tenant, Role.ADMIN, "second")
    token = invite(second)
    invitation = Invitation.objects.get()
    if why == "too old":
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    if why == "taken back":
        url = reverse("people:invitation_revoke", args=[invitation.pk])
        assert client_for(admin).post(url).status_code == 302
        assert client_for(admin).post(url).status_code == 404
    if why == "replaced":
        invite(admin)
    if why == "sender gone":
        remove_member(membership=second, actor=actor_of(admin.user))
    if why == "sender moved":
        for role in ("analyst", "admin"):
            change_role(membership=second, role=role, actor=actor_of(admin.user))
            second.refresh_from_db()
    if why == "no consent":
        Invitation.objects.update(role="officer")
    answer = choose(client, "unknown" if why == "unknown" else token)
    assert answer.status_code == 410
    assert "cannot be used any more" in answer.text
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
    """H6, H8: the link alone gives nobody somebody else's account, and nobody is added unasked."""
    token = invite(admin, stranger.user.email)
    before = stranger.user.password
    assert choose(client, token).status_code == 422
    assert choose(client_for(admin), token).status_code == 422
    assert not is_member(admin, stranger.user.email)
    page = client_for(stranger).get(reverse("tenants:join", args=[token]))
    assert "see your address and your name, Sven" in page.text
    assert join(client_for(stranger), token).status_code == 302
    assert is_member(admin, stranger.user.email)
    stranger.user.refresh_from_db()
    assert stranger.user.password == before


def test_an_account_taken_up_again_is_a_new_one(admin: Membership, client_for: ClientFor) -> None:
    """L9: another id, and no session, password, second factor or address of before."""
    choose(Client(), invite(admin))
    before = Membership.objects.get(user__email=NEW)
    TOTP.activate(before.user, generate_totp_secret())
    EmailAddress.objects.create(user=before.user, email=NEW, verified=True)
    session = client_for(before)
    assert session.get("/tokens/").status_code == 200
    remove_member(membership=before, actor=actor_of(admin.user))
    choose(Client(), invite(admin), "another harbour at dusk")
    now = Membership.objects.get(user__email=NEW)
    former = User.objects.get(pk=before.user_id)
    assert now.user_id != former.pk
    assert (former.name, former.is_active, former.has_usable_password()) == ("Nora", False, False)
    assert former.email.endswith("@former.invalid")
    assert session.get("/tokens/").status_code == 302
    assert not EmailAddress.objects.filter(user=former).exists()
    old = {"login": NEW, "password": PASSWORD}
    assert Client().post("/account/login/", old).status_code == 200
    new = {"login": NEW, "password": "another harbour at dusk"}
    assert Client().post("/account/login/", new).status_code == 302


def test_a_password_set_before_by_somebody_else_opens_nothing_afterwards(
    admin: Membership,
) -> None:
    """L9: an account that belongs nowhere is not continued."""
    user = User.objects.create_user(NEW, name="Made up")
    set_password(user=user, password=PASSWORD)
    choose(Client(), invite(admin), "another harbour at dusk")
    member = Membership.objects.get(user__email=NEW)
    assert (member.user_id != user.pk, member.user.name) == (True, "Nora")


@pytest.mark.parametrize(
    ("role", "is_here", "first"),
    [
        ("analyst", "analyst", "/datasets/"),
        ("admin", "administrator", "/members/"),
    ],
)
def test_who_has_come_in_reads_where_as_what_by_whom_and_what_comes_next(
    admin: Membership, client: Client, role: str, is_here: str, first: str
) -> None:
    answer = choose(client, invite(admin, role=role))
    page = client.get(answer["Location"]).text
    assert f"Welcome to {admin.tenant.name}" in page
    assert f"Your role here: {is_here}. Invited by {admin.user.name}." in " ".join(page.split())
    assert f"Sign in with {NEW}" in page
    assert f"{reverse('account_login')}?next={first}" in page


def test_who_had_an_account_goes_on_from_the_welcome(
    admin: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    """As the member that they have just become, although they had a membership before."""
    client = client_for(stranger)
    answer = join(client, invite(admin, stranger.user.email))
    page = client.get(answer["Location"])
    assert f"Welcome to {admin.tenant.name}" in page.text
    assert page.context["membership"].tenant == admin.tenant
    assert "Sign in" not in page.text.split("<main")[1]


def test_nobody_is_welcomed_who_did_not_come_in(client: Client) -> None:
    assert client.get(reverse("tenants:welcome"))["Location"] == reverse("dashboards:home")


def test_whoever_signs_in_next_at_that_browser_reads_nothing_of_it(
    admin: Membership, client: Client
) -> None:
    """H6: the welcome is for the person who joined."""
    choose(client, invite(admin))
    client.force_login(admin.user)
    assert client.get(reverse("tenants:welcome"))["Location"] == reverse("dashboards:home")
