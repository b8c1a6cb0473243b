"""Members: who may be added, what each change records, and that somebody stays in charge."""

from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.approvals.models import ChangeRequest
from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.tenants import services
from dpgov.tenants.invitations import invite
from dpgov.tenants.models import Membership, Role, Tenant, User
from dpgov.tenants.selectors import actor_of
from tests.cast import join

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


def recorded(tenant: Tenant) -> list[str]:
    entries = AuditEntry.objects.filter(tenant_id=tenant.id).order_by("sequence")
    return list(entries.values_list("action", flat=True))


def test_a_new_tenant_has_nobody_and_one_entry() -> None:
    """G1"""
    made = services.create_tenant(name="North Institute")
    assert recorded(made) == [Action.TENANT_CREATED]
    assert not Membership.objects.exists()


def test_two_tenants_of_the_same_name_get_different_short_names() -> None:
    first, second = (services.create_tenant(name="North") for _ in range(2))
    assert [first.slug, second.slug] == ["north", "north-2"]


def test_changing_and_removing_each_make_exactly_one_entry(
    admin: Membership, analyst: Membership
) -> None:
    """G1"""
    services.change_role(membership=analyst, role="admin", actor=actor_of(admin.user))
    services.remove_member(membership=analyst, actor=actor_of(admin.user))
    assert recorded(admin.tenant) == [Action.MEMBER_ROLE_CHANGED, Action.MEMBER_REMOVED]
    assert User.objects.filter(pk=analyst.user_id).exists()


@pytest.mark.parametrize("role", ["owner", "officer"])
def test_no_service_makes_owners_and_officers_for_one_person(
    admin: Membership, analyst: Membership, role: str
) -> None:
    """L9"""
    with pytest.raises(services.RoleTakesTwoPersons):
        services.change_role(membership=analyst, role=role, actor=actor_of(admin.user))
    with pytest.raises(services.RoleTakesTwoPersons):
        invite(membership=admin, email="new@example.org", role=role)
    assert recorded(admin.tenant) == []


def test_the_last_administrator_can_neither_leave_nor_change(admin: Membership) -> None:
    for step in (
        lambda: services.remove_member(membership=admin, actor=actor_of(admin.user)),
        lambda: services.change_role(membership=admin, role="analyst", actor=actor_of(admin.user)),
    ):
        with pytest.raises(services.LastAdministrator):
            step()
    admin.refresh_from_db()
    assert (admin.role, recorded(admin.tenant)) == (Role.ADMIN, [])


def test_with_a_second_administrator_the_first_may_go(admin: Membership) -> None:
    join(admin.tenant, Role.ADMIN, "second")
    services.remove_member(membership=admin, actor=actor_of(admin.user))
    assert not Membership.objects.filter(pk=admin.pk).exists()


def test_an_administrator_of_another_tenant_does_not_count(
    admin: Membership, stranger: Membership
) -> None:
    join(stranger.tenant, Role.ADMIN, "far")
    with pytest.raises(services.LastAdministrator):
        services.remove_member(membership=admin, actor=actor_of(admin.user))


def test_the_same_role_again_is_refused_and_recorded_nowhere(
    admin: Membership, analyst: Membership
) -> None:
    with pytest.raises(services.RoleUnchanged):
        services.change_role(membership=analyst, role="analyst", actor=actor_of(admin.user))
    assert recorded(admin.tenant) == []


def test_a_changed_role_counts_from_the_next_click(
    admin: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    browser = client_for(analyst)
    assert browser.get("/members/").status_code == 403
    services.change_role(membership=analyst, role="admin", actor=actor_of(admin.user))
    assert browser.get("/members/").status_code == 200


def test_removal_is_asked_for_once_more(
    admin: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    browser = client_for(admin)
    assert "Remove" in browser.get(f"/members/{analyst.id}/remove/").text
    assert Membership.objects.filter(pk=analyst.pk).exists()
    assert browser.post(f"/members/{analyst.id}/remove/").status_code == 302
    assert not Membership.objects.filter(pk=analyst.pk).exists()


def test_the_page_keeps_the_last_administrator(admin: Membership, client_for: ClientFor) -> None:
    browser = client_for(admin)
    assert "last administrator" in browser.post(f"/members/{admin.id}/remove/", follow=True).text
    changed = browser.post(f"/members/{admin.id}/role/", {"role": "analyst"}, follow=True)
    assert "last administrator" in changed.text
    admin.refresh_from_db()
    assert admin.role == Role.ADMIN


def test_before_the_last_officer_or_owner_goes_the_page_says_what_stands_still_then(
    admin: Membership,
    officer: Membership,
    owner: Membership,
    tenant: Tenant,
    client_for: ClientFor,
) -> None:
    browser = client_for(admin)

    def said(about: Membership) -> str:
        return " ".join(browser.get(f"/members/{about.id}/remove/").text.split())

    assert "Nobody else here is a compliance officer" in said(officer)
    assert "Nobody else here is a data owner" in said(owner)
    assert "Nobody else here is a compliance officer" not in said(owner)
    join(tenant, Role.OFFICER, "second")
    assert "Nobody else here is a compliance officer" not in said(officer)


@pytest.mark.parametrize("role", [Role.OFFICER, Role.OWNER])
def test_the_last_officer_or_owner_gets_another_role_only_where_that_was_read(
    role: Role, admin: Membership, tenant: Tenant, client_for: ClientFor
) -> None:
    browser, last = client_for(admin), join(tenant, role, "last")
    door = f"/members/{last.id}/role/"
    asked = browser.post(door, {"role": "analyst"})
    assert "Nobody else here is a" in asked.text
    last.refresh_from_db()
    assert (last.role, recorded(tenant)) == (role, [])
    assert browser.post(door, {"role": "analyst", "sure": "yes"}).status_code == 302
    last.refresh_from_db()
    assert last.role == Role.ANALYST


def test_one_of_two_owners_gets_another_role_at_once(
    admin: Membership, owner: Membership, tenant: Tenant, client_for: ClientFor
) -> None:
    join(tenant, Role.OWNER, "second")
    assert (
        client_for(admin).post(f"/members/{owner.id}/role/", {"role": "analyst"}).status_code == 302
    )
    owner.refresh_from_db()
    assert owner.role == Role.ANALYST


def test_a_reason_that_is_too_long_is_said_to_be_and_kept(
    admin: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    """It would have to be written once more; a line break is one sign, as where it is typed."""
    browser, door = client_for(admin), f"/members/{analyst.id}/role/"
    page = browser.post(door, {"role": "officer", "reason": "x" * 501})
    assert page.status_code == 422
    assert "at most 500 characters" in page.text
    assert "x" * 501 in page.text
    assert not ChangeRequest.objects.exists()
    lines = "\r\n".join(["x" * 49] * 10)
    assert browser.post(door, {"role": "officer", "reason": lines}).status_code == 302
    assert ChangeRequest.objects.get().reason == lines.replace("\r\n", "\n")


def test_a_reason_that_nobody_reads_costs_no_error(
    admin: Membership, analyst: Membership, client_for: ClientFor
) -> None:
    """Where one person decides, the page asks for none."""
    sent = {"role": "admin", "reason": "x" * 501}
    page = client_for(admin).post(f"/members/{analyst.id}/role/", sent)
    assert page.status_code == 422
    analyst.refresh_from_db()
    assert analyst.role == Role.ANALYST


def test_where_no_owner_is_left_the_list_of_members_says_so(
    admin: Membership, owner: Membership, client_for: ClientFor
) -> None:
    browser = client_for(admin)
    assert "There is no data owner here" not in browser.get("/members/").text
    services.remove_member(membership=owner, actor=actor_of(admin.user))
    assert "There is no data owner here" in browser.get("/members/").text


def test_where_no_officer_is_left_the_list_of_members_says_so(
    admin: Membership, officer: Membership, client_for: ClientFor
) -> None:
    browser = client_for(admin)
    assert "There is no compliance officer here" not in browser.get("/members/").text
    browser.post(f"/members/{officer.id}/remove/")
    assert "There is no compliance officer here" in browser.get("/members/").text


def test_switching_acts_in_the_other_tenant_until_that_membership_ends(
    officer: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    other = Membership.objects.create(tenant=stranger.tenant, user=officer.user, role=Role.ADMIN)
    browser = client_for(officer)
    assert browser.get("/members/").status_code == 403
    assert browser.post("/switch/", {"membership": other.id}).status_code == 302
    assert "Elsewhere Institute" in browser.get("/members/").text
    other.delete()
    assert browser.get("/members/").status_code == 403


@pytest.mark.parametrize("chosen", ["", "x", "00000000-0000-0000-0000-000000000000"])
def test_switching_to_what_is_not_ones_own_looks_missing(
    officer: Membership, stranger: Membership, client_for: ClientFor, chosen: str
) -> None:
    """H1"""
    browser = client_for(officer)
    missing = browser.post("/switch/", {"membership": chosen})
    foreign = browser.post("/switch/", {"membership": stranger.id})
    assert (missing.status_code, foreign.status_code) == (404, 404)
    assert browser.session["membership"] == str(officer.id)
