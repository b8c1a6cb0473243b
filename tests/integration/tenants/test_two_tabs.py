"""H10: a form that was opened in one organisation is never carried out in another one.

Two tabs are two pages of one session: each keeps the token that it came with.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from django.http import HttpResponse
from django.middleware.csrf import CSRF_SECRET_LENGTH
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import reverse

from dpgov.audit.models import AuditEntry
from dpgov.tenants.invitations import invite_as_operator
from dpgov.tenants.models import Membership, Role, Tenant
from dpgov.tenants.practising import remove_with_practice
from dpgov.tenants.selectors import actor_of
from tests.cast import join
from tests.integration.datasets.registering import CSV
from tests.integration.tenants.test_held_bodies import sent
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Door:
    """A page with a form, who may use it, and what is typed there."""

    name: str
    role: Role
    typed: dict[str, Any] = field(default_factory=dict)
    file: bool = False

    def form(self) -> dict[str, Any]:
        sent = SimpleUploadedFile("people.csv", CSV)
        return {**self.typed, "file": sent} if self.file else self.typed


DOORS = [
    Door("tenants:projects", Role.OWNER, {"name": "Merger"}),
    Door("tenants:tokens", Role.ANALYST, {"name": "nightly", "days": "30"}),
    Door("notices:webhooks", Role.ADMIN, {"url": "https://hooks.example.org/b", "kinds": ["hold"]}),
    Door("people:invitations", Role.ADMIN, {"email": "new@example.org", "role": "analyst"}),
    Door("datasets:upload", Role.OWNER, file=True),
]
every_door = pytest.mark.parametrize("door", DOORS, ids=[door.name for door in DOORS])


class Tabs:
    """The browser of somebody who belongs to two organisations, `here` and `there`."""

    def __init__(self, here: Membership, there: Membership) -> None:
        self.here, self.there = here, there
        self.client = Client(enforce_csrf_checks=True)
        self.client.force_login(here.user)

    def opened(self, path: str) -> str:
        """The token of a page that is opened now."""
        found = _TOKEN.search(self.client.get(path).text)
        assert found is not None
        return found[1]

    def go_to(self, membership: Membership) -> None:
        """In a tab of its own, whose page is new."""
        chosen = {"membership": str(membership.pk), "csrfmiddlewaretoken": self.opened("/")}
        assert self.client.post(reverse("tenants:switch"), chosen).status_code == 302

    def send(self, door: Door, token: str) -> HttpResponse:
        typed = {**door.form(), "csrfmiddlewaretoken": token}
        return cast(HttpResponse, self.client.post(reverse(door.name), typed))


@made_once
def elsewhere(db: None) -> Tenant:
    return Tenant.objects.create(slug="elsewhere", name="Elsewhere Institute")


@pytest.fixture
def tabs_of(tenant: Tenant, elsewhere: Tenant) -> Callable[[Role], Tabs]:
    def both(role: Role) -> Tabs:
        here = join(tenant, role, "nina")
        return Tabs(here, Membership.objects.create(tenant=elsewhere, user=here.user, role=role))

    return both


def steps(tenant: Tenant) -> int:
    return AuditEntry.objects.filter(tenant_id=tenant.pk).count()


@every_door
def test_a_form_is_carried_out_where_it_was_opened(
    door: Door, tabs_of: Callable[[Role], Tabs], elsewhere: Tenant
) -> None:
    """The control: nobody went anywhere."""
    tabs = tabs_of(door.role)
    tabs.go_to(tabs.there)
    assert tabs.send(door, tabs.opened(reverse(door.name))).status_code < 400
    assert steps(elsewhere) == 1


@every_door
def test_a_form_that_was_opened_there_does_nothing_here(
    door: Door, tabs_of: Callable[[Role], Tabs], tenant: Tenant, elsewhere: Tenant
) -> None:
    tabs = tabs_of(door.role)
    tabs.go_to(tabs.there)
    token = tabs.opened(reverse(door.name))
    tabs.go_to(tabs.here)
    answer = tabs.send(door, token)
    assert answer.status_code == 403
    assert "Nothing was changed, sent or spent." in answer.text
    assert "You act in Harbour Statistics Office now." in " ".join(answer.text.split())
    assert (steps(tenant), steps(elsewhere)) == (0, 0)


@every_door
@pytest.mark.parametrize("looked", [False, True], ids=["at once", "after another page"])
def test_a_form_of_an_organisation_that_one_has_left_does_nothing_in_the_next(
    door: Door, looked: bool, tabs_of: Callable[[Role], Tabs], tenant: Tenant
) -> None:
    """Also where the one that was left is the first, which nobody ever chose."""
    tabs = tabs_of(door.role)
    tabs.go_to(tabs.there)
    token = tabs.opened(reverse(door.name))
    tabs.there.delete()
    if looked:
        assert "This is Harbour Statistics Office." in tabs.client.get("/").text
    answers = [tabs.send(door, token) for _again in range(2)]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert all("Nothing was changed, sent or spent" in answer.text for answer in answers)
    assert steps(tenant) == 0


def test_who_never_chose_and_leaves_the_first_does_nothing_in_the_second(
    tabs_of: Callable[[Role], Tabs], elsewhere: Tenant
) -> None:
    tabs, door = tabs_of(Role.OWNER), DOORS[0]
    token = tabs.opened(reverse(door.name))
    tabs.here.delete()
    answer = tabs.send(door, token)
    assert answer.status_code == 403
    assert "You have left the organisation this page is from" in answer.text
    assert steps(elsewhere) == 0


def test_who_has_left_can_still_sign_out_and_go_elsewhere(tabs_of: Callable[[Role], Tabs]) -> None:
    tabs = tabs_of(Role.OWNER)
    token = tabs.opened("/")
    tabs.here.delete()
    answer = tabs.client.post(reverse("account_logout"), {"csrfmiddlewaretoken": token})
    assert answer.status_code == 302


def test_a_form_opened_before_an_invitation_was_accepted_does_nothing_in_the_new_organisation(
    tenant: Tenant, elsewhere: Tenant
) -> None:
    nina, door = join(tenant, Role.OWNER, "nina"), DOORS[0]
    _, key = invite_as_operator(tenant=elsewhere, email=nina.user.email, role=Role.OWNER)
    tabs, before = Tabs(nina, nina), steps(elsewhere)
    token = tabs.opened(reverse(door.name))
    path = reverse("tenants:join", args=[key])
    tabs.client.post(path, {"csrfmiddlewaretoken": tabs.opened(path)})
    joined = steps(elsewhere)
    assert joined > before
    assert tabs.send(door, token).status_code == 403
    assert (steps(tenant), steps(elsewhere)) == (0, joined)


def test_a_form_of_the_practice_does_nothing_in_the_organisation_itself(
    tenant: Tenant, owner: Membership, admin: Membership
) -> None:
    """And the other way round; removed from the organisation, one has left the practice too."""
    practice = Tenant.objects.create(slug="practice", name="Practice", practice_of=tenant.pk)
    there = Membership.objects.create(tenant=practice, user=owner.user, role=Role.OWNER)
    tabs, door = Tabs(owner, there), DOORS[0]
    token = tabs.opened(reverse(door.name))
    tabs.go_to(tabs.there)
    assert tabs.send(door, token).status_code == 403
    token = tabs.opened(reverse(door.name))
    remove_with_practice(membership=tabs.here, actor=actor_of(admin.user))
    assert tabs.send(door, token).status_code == 403
    assert not tenant.projects.exists()


@pytest.fixture
def slow_upload(
    tabs_of: Callable[[Role], Tabs],
) -> tuple[Tabs, Callable[[Callable[[], object]], int]]:
    """Sends a file here, minutes after the last click; something else is done meanwhile."""
    tabs, door = tabs_of(Role.OWNER), DOORS[-1]
    typed = {**door.form(), "csrfmiddlewaretoken": tabs.opened(reverse(door.name))}

    def send(meanwhile: Callable[[], object]) -> int:
        Session.objects.update(expire_date=F("expire_date") - timedelta(minutes=6))
        body = encode_multipart(BOUNDARY, typed)
        return sent(tabs.client, reverse(door.name), body, meanwhile, MULTIPART_CONTENT)

    return tabs, send


def test_a_form_is_carried_out_where_it_was_opened_though_an_upload_elsewhere_ends_in_between(
    slow_upload: Any, tenant: Tenant, elsewhere: Tenant
) -> None:
    tabs, send = slow_upload
    door, tokens = DOORS[0], []

    def go() -> None:
        tabs.go_to(tabs.there)
        tokens.append(tabs.opened(reverse(door.name)))

    assert send(go) == 302
    assert tabs.send(door, tokens[0]).status_code == 302
    assert (tenant.projects.count(), elsewhere.projects.count()) == (0, 1)


@every_door
def test_a_form_does_nothing_elsewhere_whatever_becomes_of_the_session(
    door: Door, tabs_of: Callable[[Role], Tabs], tenant: Tenant, elsewhere: Tenant
) -> None:
    """As where the answers of two requests at a time arrive in another order than they ended."""
    tabs = tabs_of(door.role)
    tabs.go_to(tabs.there)
    token = tabs.opened(reverse(door.name))
    session = tabs.client.session
    session["membership"] = str(tabs.here.pk)
    session.save()
    answer = tabs.send(door, token)
    assert answer.status_code == 403
    assert "Nothing was changed, sent or spent." in answer.text
    assert (steps(tenant), steps(elsewhere)) == (0, 0)
    assert tabs.send(door, tabs.opened(reverse(door.name))).status_code < 400
    assert (steps(tenant), steps(elsewhere)) == (1, 0)


def test_a_form_that_was_open_over_the_upgrade_is_refused_once_and_is_told_why(
    tabs_of: Callable[[Role], Tabs], tenant: Tenant
) -> None:
    """H10: what an earlier version gave it does not say of which membership it is."""
    tabs, door, earlier = tabs_of(Role.OWNER), DOORS[0], "x" * CSRF_SECRET_LENGTH
    tabs.client.cookies[settings.CSRF_COOKIE_NAME] = earlier
    answer = tabs.send(door, earlier)
    assert answer.status_code == 403
    assert "or dpgov was updated meanwhile" in " ".join(answer.text.split())
    assert steps(tenant) == 0
    assert tabs.send(door, tabs.opened(reverse(door.name))).status_code == 302
    assert steps(tenant) == 1
