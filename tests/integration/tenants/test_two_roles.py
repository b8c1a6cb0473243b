"""L39: two roles of one person: who gives them, which, and what stays as it was."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dpgov.approvals import giving
from dpgov.approvals.kinds import carry_out
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approve
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.budgets.services.raising import request_raise
from dpgov.dashboards.tour import STEPS, tour_of
from dpgov.datasets.models import Dataset
from dpgov.demo.practice import prepare_practice
from dpgov.tenants import services
from dpgov.tenants.invitations import invite
from dpgov.tenants.joining import accept
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.web.middleware import is_missing
from tests.agreed import join_in_two_roles
from tests.cast import join
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
BOTH = "owner+analyst"


def ask_for(admin: Client, member: Membership, role: str, reason: str = "a small team") -> Any:
    door = reverse("people:member_role", args=[member.pk])
    return admin.post(door, {"role": role, "reason": reason}, follow=True)


def agree(officer: Client) -> Any:
    waiting = ChangeRequest.objects.get(state="waiting")
    door = reverse("oversight:approve", args=[waiting.pk])
    return officer.post(door, {"reason": "I know her"}, follow=True)


@made_once
def both(owner: Membership, officer: Membership, admin: Membership) -> Membership:
    """An owner who asks questions too."""
    return join_in_two_roles(owner.tenant, Role.OWNER, "beate")


@pytest.mark.parametrize(("who", "role"), [("owner", BOTH), ("admin", "admin+analyst")])
def test_a_second_role_comes_when_an_officer_agrees(
    who: str, role: str, request: pytest.FixtureRequest, client_for: ClientFor
) -> None:
    """L39: nothing before; also where an administrator asks it for themselves."""
    member, admin = request.getfixturevalue(who), request.getfixturevalue("admin")
    officer = client_for(request.getfixturevalue("officer"))
    asked = ask_for(client_for(admin), member, role)
    member.refresh_from_db()
    assert (member.second_role, "changes when a compliance officer agrees" in asked.text) == (
        "",
        True,
    )
    waiting = ChangeRequest.objects.get()
    page = officer.get(reverse("oversight:approval", args=[waiting.pk])).text
    assert "and analyst" in page
    agree(officer)
    member.refresh_from_db()
    assert member.roles_code == role
    actions = AuditEntry.objects.order_by("sequence").values_list("action", flat=True)
    assert list(actions) == ["CHANGE_REQUESTED", "CHANGE_APPROVED"]


def test_the_page_asks_why_before_it_requests_a_second_role(
    admin: Membership, analyst: Membership, officer: Membership, client_for: ClientFor
) -> None:
    page = ask_for(client_for(admin), analyst, BOTH, reason="")
    assert "data owner and analyst?" in page.text
    assert "has to agree before anything changes" in page.text
    assert not ChangeRequest.objects.exists()


@pytest.mark.parametrize("role", ["officer+analyst", "owner+admin", "analyst+owner", "owner+owner"])
def test_other_roles_do_not_go_together(
    role: str, admin: Membership, owner: Membership, client_for: ClientFor
) -> None:
    """L39"""
    assert "Choose one of the roles" in ask_for(client_for(admin), owner, role).text
    assert not ChangeRequest.objects.exists()


@pytest.mark.parametrize(
    ("role", "second"),
    [("officer", "analyst"), ("owner", "admin"), ("analyst", "owner"), ("owner", "owner")],
)
def test_the_database_knows_which_roles_go_together(
    owner: Membership, role: str, second: str
) -> None:
    """L39: whoever writes the row."""
    people = Membership.objects.filter(pk=owner.pk)
    with (
        without_triggers("tenants_membership"),
        pytest.raises(IntegrityError),
        transaction.atomic(),
    ):
        people.update(role=role, second_role=second, second_since=timezone.now())


def test_the_database_asks_for_the_two_persons(owner: Membership, analyst: Membership) -> None:
    """L39: neither a changed row nor a new one, nor the agreement about somebody else."""
    people, now = Membership.objects.filter(pk=owner.pk), timezone.now()
    join_in_two_roles(owner.tenant, Role.OWNER, "somebody")
    with pytest.raises(DatabaseError, match="two persons agreed"), transaction.atomic():
        people.update(second_role="analyst", second_since=now)
    analyst.delete()
    with pytest.raises(DatabaseError, match="joins in two roles"), transaction.atomic():
        Membership.objects.create(
            tenant=owner.tenant,
            user=analyst.user,
            role="owner",
            second_role="analyst",
            second_since=now,
        )
    with pytest.raises(DatabaseError, match="from its beginning"), transaction.atomic():
        type(owner.tenant).objects.filter(pk=owner.tenant_id).update(practice_of=owner.pk)


def test_no_service_gives_two_roles_for_one_person(admin: Membership, owner: Membership) -> None:
    """L39: nor where nobody practises."""
    with pytest.raises(services.RoleTakesTwoPersons):
        services.change_role(membership=owner, role=BOTH, actor=actor_of(admin.user))
    with pytest.raises(services.RoleTakesTwoPersons):
        services.change_role_in_practice(membership=owner, role=BOTH)


def test_a_role_is_taken_away_by_one_person_at_once(
    admin: Membership, both: Membership, client_for: ClientFor
) -> None:
    """Less power needs nobody's consent, and the role that stays has no break."""
    since = both.role_since
    ask_for(client_for(admin), both, "owner", reason="")
    both.refresh_from_db()
    assert (both.roles_code, both.role_since, both.second_since) == ("owner", since, None)


def test_who_changed_meanwhile_is_not_made_what_was_asked(
    admin: Membership, both: Membership
) -> None:
    """The page was opened when they had both; now "owner" would be a role that takes two."""
    services.change_role(membership=both, role="analyst", actor=actor_of(admin.user))
    with pytest.raises(services.RoleChanged):
        giving.change_role(membership=both, by=admin, role="owner", reason="")


def test_what_an_owner_requested_still_stands_when_they_may_ask_too(
    owner: Membership, admin: Membership, officer: Membership, dataset: Dataset
) -> None:
    """They are who they were; only who lost the role in which they asked is not."""
    budget = Budget.objects.get(pk=dataset.budget_id)
    request = request_raise(membership=owner, budget=budget, limit_nano=2 * 10**10, reason="more")
    given = giving.change_role(membership=owner, by=admin, role=BOTH, reason="a small team")
    assert given is not None
    approve(request_id=given.pk, decider=officer, reason="yes", carry_out=carry_out)
    done = approve(request_id=request.pk, decider=officer, reason="yes", carry_out=carry_out)
    assert done.request.state == "approved"


def test_whoever_invited_keeps_that_when_they_may_ask_too(
    admin: Membership, officer: Membership
) -> None:
    """And the last administrator may not lose that role to be an analyst alone."""
    _invitation, token = invite(membership=admin, email="n@example.org", role="analyst")
    given = giving.change_role(membership=admin, by=admin, role="admin+analyst", reason="small")
    assert given is not None
    approve(request_id=given.pk, decider=officer, reason="yes", carry_out=carry_out)
    joined = accept(token=token, person=admin.user, password="a quiet harbour at dawn")  # noqa: S106
    assert joined.role == "analyst"
    with pytest.raises(services.LastAdministrator):
        services.change_role(membership=admin, role="analyst", actor=actor_of(admin.user))


def test_a_second_factor_is_asked_for_in_either_role(both: Membership, settings: Any) -> None:
    settings.DPGOV_MFA_REQUIRED = ["analyst"]
    assert is_missing(both)


def test_home_shows_both_cockpits_and_who_they_are(
    both: Membership, dataset: Dataset, client_for: ClientFor
) -> None:
    page = client_for(both).get(reverse("dashboards:home")).text
    assert "Data owner and analyst at" in " ".join(page.split())
    for part in ("Budgets", "Datasets you can ask about", "Your answers in 30 days"):
        assert part in page, part


def test_who_asks_questions_is_not_told_how_workers_are(
    admin: Membership, officer: Membership, client_for: ClientFor
) -> None:
    """E8: not as an administrator either."""
    both = join_in_two_roles(admin.tenant, Role.ADMIN, "bo")
    alone, asking = (client_for(one).get(reverse("dashboards:home")).text for one in (admin, both))
    assert ("Answering now" in alone, "Answering now" in asking) == (True, False)
    assert "Without a second factor" in asking


def test_the_log_has_both_roles_of_who_is_removed(admin: Membership, both: Membership) -> None:
    """G1"""
    services.remove_member(membership=both, actor=actor_of(admin.user))
    assert json.loads(AuditEntry.objects.latest("sequence").detail)["role"] == BOTH


def test_people_practise_in_both_of_their_roles(both: Membership) -> None:
    """And the tour has the steps of both."""
    practice = prepare_practice(both.tenant)
    there = Membership.objects.get(tenant=practice, user=both.user)
    assert there.roles_code == BOTH
    steps = [place.step for place in tour_of(there).places]
    assert steps == [*STEPS[Role.OWNER], *STEPS[Role.ANALYST]]


def test_people_are_found_in_each_of_their_roles(both: Membership, client_for: ClientFor) -> None:
    """Another owner may grant them what analysts are granted."""
    second = client_for(join(both.tenant, Role.OWNER, "second"))
    dataset = register_small_dataset(both, name="Visits")
    assert "Beate" in second.get(reverse("limits:allocation_new", args=[dataset.slug])).text
