"""Projects: who works together, so that a budget can be granted to them as one.

Ending a project ends nothing that was spent; it only takes no more people and no more allocations.
"""

from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.services import append
from dpgov.operation import clock
from dpgov.tenants.models import Membership, Project, ProjectMember, Role, Tenant
from dpgov.tenants.roles import having
from dpgov.tenants.selectors import is_by


class ProjectNameTaken(ValueError):
    """There is a project of that name that has not ended."""

    def __init__(self, name: str) -> None:
        text = _("There is a project named {name} already. Choose another name.")
        super().__init__(text.format(name=name))


class AlreadyInProject(ValueError):
    """The person works on the project already."""

    def __init__(self) -> None:
        super().__init__(_("This person works on the project already."))


class ProjectEnded(ValueError):
    """The project has ended; nothing about it can be changed any more."""

    def __init__(self, name: str) -> None:
        super().__init__(_("The project {name} has ended. Create a new one.").format(name=name))


class OwnPlace(ValueError):
    """Nobody joins a project by their own hand; who asks neither leaves nor ends theirs so."""

    def __init__(self) -> None:
        text = _("You would have a part in its budget. Another data owner has to do this.")
        super().__init__(text)


def projects_of(tenant_id: UUID) -> QuerySet[Project]:
    """The tenant's projects, running ones first, each with the number of its people."""
    projects = Project.objects.filter(tenant_id=tenant_id)
    present = Q(places__ended_at__isnull=True)
    return projects.annotate(size=Count("places", filter=present)).order_by(
        "-ended_at", "name", "pk"
    )


def people_of(project: Project) -> QuerySet[ProjectMember]:
    """Who works on it, by name, each with their membership."""
    mine = Membership.objects.filter(tenant=project.tenant_id, user=OuterRef("user"))
    people = project.members.annotate(membership_id=Subquery(mine.values("id")[:1]))
    return people.select_related("user").order_by("user__name", "user__email")


@transaction.atomic
def create_project(*, tenant: Tenant, name: str, actor: Actor) -> Project:
    """A project without people. Raises ProjectNameTaken."""
    try:
        with transaction.atomic():
            project = Project.objects.create(tenant=tenant, name=name)
    except IntegrityError as taken:
        raise ProjectNameTaken(name) from taken
    _record(project, actor, Action.PROJECT_CREATED)
    return project


@transaction.atomic
def add_project_member(*, project: Project, membership: Membership, actor: Actor) -> ProjectMember:
    """Let a member of the tenant work on the project.

    Raises ProjectEnded, AlreadyInProject, OwnPlace, and Membership.DoesNotExist when it ended
    meanwhile or is of another tenant.
    """
    current = _running(project)
    people = Membership.objects.select_for_update(of=("self",)).select_related("user")
    member = people.get(pk=membership.pk, tenant_id=current.tenant_id)
    if current.members.filter(user=member.user).exists():
        raise AlreadyInProject
    # Who asks nothing today may be given that role tomorrow, and has the place then.
    if is_by(member.user_id, actor):
        raise OwnPlace
    added = ProjectMember.objects.create(
        tenant_id=current.tenant_id, project=current, user=member.user
    )
    _record(current, actor, Action.PROJECT_MEMBER_ADDED, email=member.user.email)
    return added


@transaction.atomic
def remove_project_member(*, project: Project, user_id: UUID, actor: Actor) -> None:
    """Let somebody work on the project no longer.

    Raises ProjectEnded, OwnPlace, and ProjectMember.DoesNotExist when they do not (any more).
    """
    current = _running(project)
    member = current.members.select_related("user").get(user_id=user_id)
    _refuse_own(current, user_id, actor)
    _record(current, actor, Action.PROJECT_MEMBER_REMOVED, email=member.user.email)
    current.members.filter(pk=member.pk).end()


@transaction.atomic
def end_project(*, project: Project, actor: Actor) -> Project:
    """End the project for good. Raises ProjectEnded at the second time, and OwnPlace."""
    current = _running(project)
    for user_id in current.members.values_list("user_id", flat=True):
        _refuse_own(current, user_id, actor)
    current.ended_at = clock.now()
    current.save(update_fields=["ended_at"])
    _record(current, actor, Action.PROJECT_ENDED)
    return current


def _refuse_own(project: Project, user_id: UUID, actor: Actor) -> None:
    if is_by(user_id, actor):
        analysts = Membership.objects.filter(having(Role.ANALYST), tenant=project.tenant_id)
        if analysts.filter(user_id=user_id).exists():
            raise OwnPlace


def _running(project: Project) -> Project:
    """The row under its lock: changes to one project happen one after another."""
    current = Project.objects.select_for_update().get(pk=project.pk)
    if current.ended_at is not None:
        raise ProjectEnded(current.name)
    return current


def _record(project: Project, actor: Actor, action: Action, **detail: str) -> None:
    append(
        tenant_id=project.tenant_id,
        actor=actor,
        action=action,
        subject=f"project:{project.id}",
        detail={"name": project.name, **detail},
    )
