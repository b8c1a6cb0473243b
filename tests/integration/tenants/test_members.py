"""Members: who may be added, what each change records, and that somebody stays in charge."""

from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from dpgov.audit.actions import Action
from dpgov.audit.models import AuditEntry
from dpgov.tenants import services
from dpgov.tenants.accounts import Account, UnconfirmedAddress, password_path, set_password
from dpgov.tenants.models import Membership, Role, Tenant, User
from dpgov.tenants.selectors import actor_of

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
PASSWORD = "a quiet harbour at dawn"  # noqa: S105 - of invented people


def recorded(tenant: Tenant) -> list[str]:
    entries = AuditEntry.objects.filter(tenant_id=tenant.id).order_by("sequence")
    return list(entries.values_list("action", flat=True))


def add(admin: Membership, email: str, role: str = "analyst") -> services.NewMember:
    return services.add_member(
        tenant=admin.tenant, email=email, role=role, actor=actor_of(admin.user)
    )


def test_a_new_tenant_has_one_administrator_and_one_entry() -> None:
    """G1"""
    made = services.create_tenant(name="North Institute", admin_email="Ada@Example.org")
    assert (made.membership.role, made.account) == (Role.ADMIN, Account.NEW)
    assert made.membership.user.email == "ada@example.org"
    assert recorded(made.membership.tenant) == [Action.TENANT_CREATED]


def test_two_tenants_of_the_same_name_get_different_short_names() -> None:
    first = services.create_tenant(name="North", admin_email="a@example.org")
    second = services.create_tenant(name="North", admin_email="b@example.org")
    assert [t.membership.tenant.slug for t in (first, second)] == ["north", "north-2"]


def test_adding_changing_and_removing_each_make_exactly_one_entry(admin: Membership) -> None:
    """G1"""
    added = add(admin, "new@example.org").membership
    services.change_role(membership=added, role="officer", actor=actor_of(admin.user))
    services.remove_member(membership=added, actor=actor_of(admin.user))
    assert recorded(admin.tenant) == [
        Action.MEMBER_ADDED,
        Action.MEMBER_ROLE_CHANGED,
        Action.MEMBER_REMOVED,
    ]
    assert User.objects.filter(email="new@example.org").exists()


def test_nobody_is_added_twice_whatever_the_spelling(admin: Membership) -> None:
    add(admin, "new@example.org")
    with pytest.raises(services.AlreadyMember):
        add(admin, "NEW@example.org")
    assert recorded(admin.tenant) == [Action.MEMBER_ADDED]


def test_an_account_of_another_tenant_needs_a_confirmed_address(
    admin: Membership, stranger: Membership
) -> None:
    """H6: whoever made an account elsewhere may know its password; mail alone proves the person."""
    with pytest.raises(UnconfirmedAddress):
        add(admin, stranger.user.email)
    assert recorded(admin.tenant) == []
    EmailAddress.objects.create(user=stranger.user, email=stranger.user.email, verified=True)
    added = add(admin, stranger.user.email)
    assert (added.account, added.needs_password) == (Account.EXISTING, False)
    assert added.membership.user == stranger.user


def test_another_address_that_was_confirmed_is_not_enough(
    admin: Membership, stranger: Membership
) -> None:
    """H6: the address that is asked for must be the confirmed one."""
    EmailAddress.objects.create(user=stranger.user, email="other@example.org", verified=True)
    with pytest.raises(UnconfirmedAddress):
        add(admin, stranger.user.email)


def test_an_account_that_belongs_nowhere_starts_afresh(admin: Membership, client: Client) -> None:
    """H6: its former password and the sessions opened with it end."""
    added = add(admin, "back@example.org").membership
    set_password(user=added.user, password=PASSWORD)
    client.post("/account/login/", {"login": "back@example.org", "password": PASSWORD})
    assert "_auth_user_id" in client.session
    services.remove_member(membership=added, actor=actor_of(admin.user))
    again = add(admin, "back@example.org")
    assert (again.account, again.membership.user) == (Account.STARTED_AFRESH, added.user)
    assert not again.membership.user.has_usable_password()
    assert client.get("/tokens/").status_code == 302


def test_the_last_administrator_can_neither_leave_nor_change(admin: Membership) -> None:
    for step in (
        lambda: services.remove_member(membership=admin, actor=actor_of(admin.user)),
        lambda: services.change_role(membership=admin, role="owner", actor=actor_of(admin.user)),
    ):
        with pytest.raises(services.LastAdministrator):
            step()
    admin.refresh_from_db()
    assert (admin.role, recorded(admin.tenant)) == (Role.ADMIN, [])


def test_with_a_second_administrator_the_first_may_go(admin: Membership) -> None:
    add(admin, "second@example.org", role="admin")
    services.remove_member(membership=admin, actor=actor_of(admin.user))
    assert not Membership.objects.filter(pk=admin.pk).exists()


def test_an_administrator_of_another_tenant_does_not_count(admin: Membership) -> None:
    services.create_tenant(name="Far away", admin_email="far@example.org")
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


def test_the_members_page_adds_a_person_and_shows_the_link_once(
    admin: Membership, client_for: ClientFor
) -> None:
    browser = client_for(admin)
    page = browser.post("/members/", {"email": "new@example.org", "name": "Nora", "role": "owner"})
    made = Membership.objects.get(user__email="new@example.org")
    assert (made.role, made.tenant, made.user.name) == ("owner", admin.tenant, "Nora")
    assert "/account/password/reset/key/" in page.text
    assert "/account/password/reset/key/" not in browser.get("/members/").text


def test_the_link_sets_the_password_once_and_only_once(admin: Membership) -> None:
    """H6"""
    user = add(admin, "new@example.org").membership.user
    link = password_path(user)
    form_page = Client().get(link, follow=True)
    answer = Client()
    answer.get(link)
    answer.post(form_page.redirect_chain[-1][0], {"password1": PASSWORD, "password2": PASSWORD})
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    assert "password1" not in Client().get(link, follow=True).text


@pytest.mark.parametrize(
    ("posted", "message"),
    [
        ({"email": "nonsense", "role": "owner"}, "valid email"),
        ({"email": "x@example.org", "role": "emperor"}, "valid choice"),
        ({"email": "", "role": "owner"}, "required"),
    ],
)
def test_bad_input_gets_a_message_at_the_field_and_changes_nothing(
    admin: Membership, client_for: ClientFor, posted: dict[str, str], message: str
) -> None:
    page = client_for(admin).post("/members/", posted)
    assert page.status_code == 422
    assert message in page.text
    assert recorded(admin.tenant) == []


def test_the_page_says_why_an_account_from_elsewhere_is_refused(
    admin: Membership, stranger: Membership, client_for: ClientFor
) -> None:
    page = client_for(admin).post("/members/", {"email": stranger.user.email, "role": "owner"})
    assert page.status_code == 422
    assert "has not confirmed the address" in page.text


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
    changed = browser.post(f"/members/{admin.id}/role/", {"role": "owner"}, follow=True)
    assert "last administrator" in changed.text
    admin.refresh_from_db()
    assert admin.role == Role.ADMIN


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
    assert browser.session.get("membership") is None
