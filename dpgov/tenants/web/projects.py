"""Doors for projects: each translates and calls one service."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.tenants import projects as services
from dpgov.tenants.models import Membership, Project, ProjectMember, Role
from dpgov.tenants.permissions import MemberRequest, Permission, requires
from dpgov.tenants.selectors import actor_of, members_of
from dpgov.tenants.web.forms import ProjectForm, ProjectMemberForm
from dpgov.web.lists import listed
from dpgov.web.pages import show_page


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_PROJECTS)
def projects(request: MemberRequest) -> HttpResponse:
    """The list of projects, and the form that starts one."""
    form = ProjectForm(request.POST or None)
    if form.is_valid() and (made := _create(request, form)):
        text = _("The project {name} was created. Now add its people.")
        messages.success(request, text.format(name=made.name))
        return redirect("tenants:project", made.pk)
    every = services.projects_of(request.membership.tenant_id)
    context = {"form": form, "found": listed(request, every, by=("name",))}
    return show_page(request, "tenants/projects.html", context, refused=form.errors)


def _create(request: MemberRequest, form: ProjectForm) -> Project | None:
    try:
        return services.create_project(
            tenant=request.membership.tenant,
            name=form.cleaned_data["name"],
            actor=actor_of(request.user),
        )
    except services.ProjectNameTaken as refusal:
        form.add_error("name", str(refusal))
    return None


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_PROJECTS)
def project(request: MemberRequest, project_id: UUID) -> HttpResponse:
    """One project: its people, and the form that adds one."""
    shown = _project(request, project_id)
    form = ProjectMemberForm(request.POST or None, people=_others(request, shown))
    if form.is_valid() and _add(request, shown, form):
        return redirect("tenants:project", shown.pk)
    found = listed(request, services.people_of(shown), by=("user__name", "user__email"))
    asks = request.membership.has(Role.ANALYST)
    context: dict[str, Any] = {
        "form": form,
        "project": shown,
        "found": found,
        "asks": asks,
        "has_a_part": asks and shown.members.filter(user=request.user).exists(),
    }
    return show_page(request, "tenants/project.html", context, refused=form.errors)


def _add(request: MemberRequest, shown: Project, form: ProjectMemberForm) -> bool:
    person: Membership = form.cleaned_data["person"]
    try:
        services.add_project_member(project=shown, membership=person, actor=actor_of(request.user))
    except (services.ProjectEnded, services.AlreadyInProject, services.OwnPlace) as refusal:
        form.add_error("person", str(refusal))
        return False
    except Membership.DoesNotExist as gone:
        raise Http404 from gone
    text = _("{person} now works on {project}.")
    messages.success(request, text.format(person=person.user, project=shown.name))
    return True


def _others(request: MemberRequest, shown: Project) -> Any:
    """The tenant's members who do not work on the project yet; nobody adds themselves."""
    working = shown.members.values("user_id")
    people = members_of(request.membership.tenant).exclude(user_id__in=working)
    return people.exclude(user=request.user)


@require_POST
@requires(Permission.MANAGE_PROJECTS)
def project_remove(request: MemberRequest, project_id: UUID, membership_id: UUID) -> HttpResponse:
    """Take somebody off the project."""
    shown = _project(request, project_id)
    try:
        person = members_of(request.membership.tenant).get(pk=membership_id)
        services.remove_project_member(
            project=shown, user_id=person.user_id, actor=actor_of(request.user)
        )
        text = _("{person} no longer works on {project}.")
        messages.success(request, text.format(person=person.user, project=shown.name))
    except (services.ProjectEnded, services.OwnPlace) as refusal:
        messages.error(request, str(refusal))
    except (Membership.DoesNotExist, ProjectMember.DoesNotExist) as gone:
        raise Http404 from gone
    return redirect("tenants:project", shown.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_PROJECTS)
def project_end(request: MemberRequest, project_id: UUID) -> HttpResponse:
    """Ask once more, then end the project."""
    shown = _project(request, project_id)
    if request.method != "POST":
        return render(request, "tenants/project_end.html", {"project": shown})
    try:
        services.end_project(project=shown, actor=actor_of(request.user))
        messages.success(request, _("The project {name} has ended.").format(name=shown.name))
    except (services.ProjectEnded, services.OwnPlace) as refusal:
        messages.error(request, str(refusal))
    return redirect("tenants:projects")


def _project(request: MemberRequest, project_id: UUID) -> Project:
    try:
        return services.projects_of(request.membership.tenant_id).get(pk=project_id)
    except Project.DoesNotExist as missing:
        raise Http404 from missing
