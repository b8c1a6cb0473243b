"""Projects: who works together, and that nothing about them reaches another tenant."""

from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.tenants.models import Membership, Project
from dpgov.tenants.projects import (
    AlreadyInProject,
    ProjectEnded,
    ProjectNameTaken,
    add_project_member,
    create_project,
    end_project,
    projects_of,
    remove_project_member,
)
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import remove_member
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
SignIn = Callable[[Membership], Client]


@made_once
def project(owner: Membership) -> Project:
    return create_project(tenant=owner.tenant, name="Trains", actor=actor_of(owner.user))


def last_action() -> str:
    return AuditEntry.objects.latest("pk").action


def test_a_project_is_created_filled_and_ended_each_with_one_entry(
    owner: Membership, analyst: Membership, project: Project
) -> None:
    """G1"""
    actor = actor_of(owner.user)
    assert last_action() == "PROJECT_CREATED"
    add_project_member(project=project, membership=analyst, actor=actor)
    assert last_action() == "PROJECT_MEMBER_ADDED"
    remove_project_member(project=project, user_id=analyst.user_id, actor=actor)
    assert last_action() == "PROJECT_MEMBER_REMOVED"
    assert end_project(project=project, actor=actor).ended_at is not None
    assert last_action() == "PROJECT_ENDED"
    assert AuditEntry.objects.filter(subject=f"project:{project.pk}").count() == 4


def test_an_ended_project_takes_nobody_and_gives_its_name_free(
    owner: Membership, analyst: Membership, project: Project
) -> None:
    actor = actor_of(owner.user)
    end_project(project=project, actor=actor)
    with pytest.raises(ProjectEnded):
        add_project_member(project=project, membership=analyst, actor=actor)
    with pytest.raises(ProjectEnded):
        end_project(project=project, actor=actor)
    assert not project.members.exists()
    assert create_project(tenant=owner.tenant, name="Trains", actor=actor).pk != project.pk


def test_a_name_is_taken_within_the_tenant_only(
    owner: Membership, stranger: Membership, project: Project
) -> None:
    """H8"""
    with pytest.raises(ProjectNameTaken):
        create_project(tenant=owner.tenant, name="Trains", actor=actor_of(owner.user))
    create_project(tenant=stranger.tenant, name="Trains", actor=actor_of(stranger.user))
    assert Project.objects.count() == 2


def test_nobody_joins_twice_and_nobody_from_elsewhere(
    owner: Membership, analyst: Membership, stranger: Membership, project: Project
) -> None:
    actor = actor_of(owner.user)
    add_project_member(project=project, membership=analyst, actor=actor)
    with pytest.raises(AlreadyInProject):
        add_project_member(project=project, membership=analyst, actor=actor)
    with pytest.raises(Membership.DoesNotExist):
        add_project_member(project=project, membership=stranger, actor=actor)
    assert list(project.members.values_list("user_id", flat=True)) == [analyst.user_id]


def test_whoever_leaves_the_tenant_leaves_its_projects(
    owner: Membership, analyst: Membership, project: Project
) -> None:
    """H7: an allocation of the project is no longer theirs."""
    add_project_member(project=project, membership=analyst, actor=actor_of(owner.user))
    remove_member(membership=analyst, actor=actor_of(owner.user))
    assert not project.members.exists()


def test_the_pages_create_fill_and_end_a_project(
    owner: Membership, analyst: Membership, client_for: SignIn
) -> None:
    browser = client_for(owner)
    made = browser.post("/projects/", {"name": "Trains"}, follow=True)
    assert "Now add its people" in made.content.decode()
    project = Project.objects.get()
    page = f"/projects/{project.pk}/"
    filled = browser.post(page, {"person": analyst.pk}, follow=True).content.decode()
    assert f"{analyst.user} now works on Trains" in filled
    assert f'value="{analyst.pk}"' not in filled
    emptied = browser.post(f"{page}remove/{analyst.pk}/", follow=True).content.decode()
    assert "no longer works on Trains" in emptied
    assert f'value="{analyst.pk}"' in emptied
    assert [vars(one)["size"] for one in projects_of(owner.tenant_id)] == [0]
    assert "End Trains?" in browser.get(f"{page}end/").content.decode()
    assert "has ended" in browser.post(f"{page}end/", follow=True).content.decode()


def test_a_taken_name_and_a_foreign_person_are_refused_at_the_field(
    owner: Membership, stranger: Membership, project: Project, client_for: SignIn
) -> None:
    browser = client_for(owner)
    taken = browser.post("/projects/", {"name": "Trains"})
    assert (taken.status_code, "already" in taken.content.decode()) == (422, True)
    foreign = browser.post(f"/projects/{project.pk}/", {"person": stranger.pk})
    assert (foreign.status_code, "valid choice" in foreign.content.decode()) == (422, True)
    assert not project.members.exists()
