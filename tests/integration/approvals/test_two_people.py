"""L9: two persons are two people. One administrator, whomever they make up, remove and add again,
is never both persons of a decision, and never an officer by their own hand.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from dpgov.approvals import giving
from dpgov.approvals.errors import MayNotDecide, MayNotRequest, OwnRequest, RequesterGone
from dpgov.approvals.giving import GIVE_ROLE
from dpgov.approvals.kinds import carry_out
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.selectors import decidable_by, deciders, in_requests
from dpgov.approvals.services import approve
from dpgov.audit.models import AuditEntry
from dpgov.language.translation import retold
from dpgov.tenants.models import Invitation, Membership, Role
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import change_role, remove_member
from tests.cast import join
from tests.integration.approvals.conftest import Asking, Counted

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
PASSWORD = "a quiet harbour at dawn"  # noqa: S105 - of invented people
NEW = "nora@example.org"


def ask(browser: Client, email: str, role: str) -> Any:
    typed = {"email": email, "role": role, "reason": "we need another one"}
    return browser.post(reverse("people:invitations"), typed, follow=True)


def agree(officer: Client) -> Any:
    waiting = ChangeRequest.objects.get(state="waiting")
    door = reverse("oversight:approve", args=[waiting.pk])
    return officer.post(door, {"reason": "I know her"}, follow=True)


def take_up(link: str) -> int:
    typed = {"name": "Nora", "password": PASSWORD, "again": PASSWORD}
    return Client().post(link, typed).status_code


def links() -> list[str]:
    return [link for letter in mail.outbox for link in re.findall(r"/join/\S+", str(letter.body))]


@pytest.mark.parametrize("role", ["owner", "officer"])
def test_an_owner_or_officer_joins_after_an_officer_agreed_and_by_letter_alone(
    role: str, admin: Membership, officer: Membership, client_for: ClientFor
) -> None:
    """L9: nothing leaves before, and neither page shows the link."""
    pages = [ask(client_for(admin), NEW, role)]
    assert "A compliance officer has to agree" in pages[0].text
    assert (links(), Invitation.objects.get().is_agreed) == ([], False)
    pages.append(agree(client_for(officer)))
    (link,) = links()
    pages.append(client_for(admin).get(reverse("people:invitations")))
    assert not [page for page in pages if "/join/" in page.text]
    assert take_up(link) == 302
    assert Membership.objects.get(user__email=NEW).role == role
    actions = AuditEntry.objects.order_by("sequence").values_list("action", flat=True)
    assert list(actions) == ["CHANGE_REQUESTED", "CHANGE_APPROVED", "INVITATION_ACCEPTED"]


@pytest.mark.parametrize("role", ["owner", "officer"])
def test_an_administrator_alone_makes_nobody_owner_or_officer(
    role: str, admin: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    """L9: neither by the page of members nor by that of invitations; not themselves either."""
    browser = client_for(admin)
    for member in (admin, analyst):
        door = reverse("people:member_role", args=[member.pk])
        page = browser.post(door, {"role": role})
        assert "has to agree before anything changes" in page.text
        browser.post(door, {"role": role, "reason": "please"})
    ask(browser, NEW, role)
    roles = set(Membership.objects.values_list("role", flat=True))
    assert (roles, links()) == ({"admin", "analyst"}, [])
    assert ChangeRequest.objects.filter(state="waiting").count() == 3


def test_a_member_changes_role_when_an_officer_agrees(
    admin: Membership, analyst: Membership, officer: Membership, client_for: ClientFor
) -> None:
    """L9"""
    door = reverse("people:member_role", args=[analyst.pk])
    client_for(admin).post(door, {"role": "owner", "reason": "she registers data now"})
    assert "Another role waits" in client_for(admin).get(reverse("people:members")).text
    agree(client_for(officer))
    analyst.refresh_from_db()
    assert analyst.role == Role.OWNER


def test_somebody_removed_and_invited_again_is_not_who_they_were(
    admin: Membership, owner: Membership, officer: Membership, asking: Asking, change: Counted
) -> None:
    """L9, S4a: the officer's place is not taken over by their address."""
    asking(owner)
    email = officer.user.email
    remove_member(membership=officer, actor=actor_of(admin.user))
    giving.invite(membership=admin, email=email, role="officer", reason="back again")
    asked = ChangeRequest.objects.first()
    assert asked is not None
    assert (links(), list(deciders(asked))) == ([], [])
    keeper = join(admin.tenant, Role.OFFICER, "keeper")
    back = ChangeRequest.objects.get(kind=GIVE_ROLE)
    approve(request_id=back.pk, decider=keeper, reason="yes", carry_out=carry_out)
    made = Invitation.objects.get(email=email)
    assert made.consent == str(back.pk)
    assert made.accepted_by_id is None


def test_made_up_people_do_not_become_both_persons(
    admin: Membership, client_for: ClientFor
) -> None:
    """L9, S4b, S4c: where there is no officer, no number of made-up people makes one."""
    browser = client_for(admin)
    ask(browser, "second@example.org", "admin")
    take_up(links()[0])
    second = Membership.objects.get(user__email="second@example.org")
    for role in ("owner", "officer"):
        ask(client_for(second), f"{role}@example.org", role)
    for request in ChangeRequest.objects.all():
        for member in (admin, second):
            with pytest.raises((MayNotDecide, OwnRequest)):
                approve(request_id=request.pk, decider=member, reason="x", carry_out=carry_out)
    assert len(links()) == 1
    assert "no compliance officer here" in browser.get(reverse("people:invitations")).text


def test_nobody_agrees_to_their_own_role(
    admin: Membership, officer: Membership, second_officer: Membership
) -> None:
    """L9"""
    asked = giving.change_role(membership=officer, by=admin, role="owner", reason="both")
    assert asked is not None
    assert [person.pk for person in deciders(asked)] == [second_officer.pk]
    assert not decidable_by(officer, *in_requests(officer)).exists()
    with pytest.raises(MayNotDecide):
        approve(request_id=asked.pk, decider=officer, reason="me", carry_out=carry_out)


def test_administrators_request_people_and_nothing_else(
    admin: Membership, owner: Membership, officer: Membership, asking: Asking
) -> None:
    """L9"""
    with pytest.raises(MayNotRequest):
        asking(admin)
    for member in (owner, officer):
        with pytest.raises(MayNotRequest):
            asking(member, GIVE_ROLE)


@pytest.mark.parametrize("what", ["removed", "suspended", "moved", "moved and back", "came again"])
def test_what_somebody_requested_ends_with_who_they_were(
    what: str,
    admin: Membership,
    owner: Membership,
    officer: Membership,
    asking: Asking,
    change: Counted,
) -> None:
    """L9, S13: looked at in the decision's own transaction."""
    request = asking(owner)
    if what in ("removed", "came again"):
        remove_member(membership=owner, actor=actor_of(admin.user))
    if what == "came again":
        Membership.objects.create(tenant=admin.tenant, user=owner.user, role=Role.OWNER)
    if what == "suspended":
        owner.user.is_active = False
        owner.user.save(update_fields=["is_active"])
    if what in ("moved", "moved and back"):
        change_role(membership=owner, role="analyst", actor=actor_of(admin.user))
    if what == "moved and back":
        owner.refresh_from_db()
        moved = giving.change_role(membership=owner, by=admin, role="owner", reason="back")
        assert moved is not None
        approve(request_id=moved.pk, decider=officer, reason="yes", carry_out=carry_out)
    decision = approve(request_id=request.pk, decider=officer, reason="yes", carry_out=change)
    assert (decision.request.state, change.requests) == ("stale", [])
    assert retold(decision.request.outcome) == str(RequesterGone())


@pytest.mark.parametrize("what", ["taken back", "member", "replaced"])
def test_consent_to_what_is_no_longer_as_requested_sends_nothing(
    what: str, admin: Membership, officer: Membership, client_for: ClientFor
) -> None:
    """L9"""
    second = join(admin.tenant, Role.ADMIN, "second")
    begun = giving.invite(membership=admin, email=NEW, role="officer", reason="help")
    if what == "taken back":
        door = reverse("people:invitation_revoke", args=[begun.invitation.pk])
        assert client_for(second).post(door).status_code == 302
    if what == "member":
        member = join(admin.tenant, Role.ANALYST, "n")
        member.user.email = NEW
        member.user.save(update_fields=["email"])
    if what == "replaced":
        giving.invite(membership=second, email=NEW, role="analyst", reason="")
    agree(client_for(officer))
    assert ChangeRequest.objects.get(kind=GIVE_ROLE).state == "stale"
    assert links() == []


def test_taking_back_ones_own_request_leaves_one_entry(
    admin: Membership, client_for: ClientFor
) -> None:
    """G1"""
    begun = giving.invite(membership=admin, email=NEW, role="officer", reason="help")
    client_for(admin).post(reverse("people:invitation_revoke", args=[begun.invitation.pk]))
    actions = AuditEntry.objects.order_by("sequence").values_list("action", flat=True)
    assert list(actions) == ["CHANGE_REQUESTED", "CHANGE_WITHDRAWN"]
    assert not Invitation.objects.filter(ended_at=None).exists()
