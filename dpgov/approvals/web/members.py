"""Doors for the members of a tenant and their roles: each translates and calls one service."""

from collections.abc import Collection
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dpgov.approvals import giving
from dpgov.approvals.errors import ApprovalRefusal, NotYourRequest
from dpgov.approvals.giving import GIVE_ROLE
from dpgov.approvals.selectors import subjects_waiting, waiting_about
from dpgov.approvals.services import withdraw
from dpgov.tenants import services
from dpgov.tenants.invitations import open_invitations
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.permissions import MemberRequest, Permission, requires
from dpgov.tenants.practising import remove_with_practice
from dpgov.tenants.role_names import within
from dpgov.tenants.roles import choices, roles_in, takes_two_persons
from dpgov.tenants.selectors import actor_of, has_officer, has_somebody, members_of, theirs_alone
from dpgov.tenants.web.forms import RoleForm
from dpgov.web.lists import listed
from dpgov.web.pages import show_page

_REFUSALS = (
    services.RoleUnchanged,
    services.RoleChanged,
    services.LastAdministrator,
    ApprovalRefusal,
)


@require_safe
@requires(Permission.MANAGE_MEMBERS)
def members(request: MemberRequest) -> HttpResponse:
    """The list of members, their roles, and what waits for an officer."""
    tenant = request.membership.tenant
    waiting = subjects_waiting(tenant.pk, GIVE_ROLE)
    found = listed(request, members_of(tenant), by=("user__name", "user__email"))
    context = {
        "found": found,
        "rows": [(member, f"member:{member.user_id}" in waiting) for member in found.rows],
        "roles": choices(),
        "waiting": open_invitations(tenant).count(),
        "has_officer": has_officer(tenant) or tenant.is_practice,
        "has_owner": has_somebody(tenant, Role.OWNER),
    }
    return render(request, "tenants/members.html", context)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
def member_role(request: MemberRequest, membership_id: UUID) -> HttpResponse:
    """Change a member's role; a page asks why where an officer has to agree.

    And once more where nobody else has the role that they would lose.
    """
    membership = _member(request, membership_id)
    form = RoleForm(request.POST)
    if "role" not in form.data or "role" in form.errors:
        messages.error(request, _("Choose one of the roles in the list."))
        return redirect("people:members")
    role = form.cleaned_data["role"]
    takes_two = takes_two_persons(role, membership.roles_code)
    is_missed = not takes_two and bool(_lost(membership, role)) and not form.cleaned_data["sure"]
    if is_missed or form.errors or (takes_two and not form.has_reason()):
        return _ask(request, membership, form, takes_two=takes_two)
    try:
        asked = giving.change_role(
            membership=membership,
            by=request.membership,
            role=role,
            reason=form.cleaned_data["reason"],
        )
        _say(request, membership, waits=asked is not None)
    except _REFUSALS as refusal:
        messages.error(request, str(refusal))
    except Membership.DoesNotExist as gone:
        raise Http404 from gone
    return redirect("people:members")


def _say(request: MemberRequest, membership: Membership, *, waits: bool) -> None:
    text = _("The role of {person} was changed.")
    if waits:
        text = _("Requested. The role of {person} changes when a compliance officer agrees.")
    messages.success(request, text.format(person=membership.user))


def _ask(
    request: MemberRequest, membership: Membership, form: RoleForm, *, takes_two: bool
) -> HttpResponse:
    role = form.cleaned_data["role"]
    context = {
        "member": membership,
        "form": form,
        "code": role,
        "role": within(roles_in(role)),
        "takes_two": takes_two,
        "has_officer": has_officer(membership.tenant),
        **_said_of(_lost(membership, role)),
    }
    return show_page(request, "tenants/member_role.html", context, refused="reason" in form.data)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
def member_role_withdraw(request: MemberRequest, membership_id: UUID) -> HttpResponse:
    """Take back one's own request about a member's role."""
    membership = _member(request, membership_id)
    subject = f"member:{membership.user_id}"
    asked = waiting_about(membership.tenant_id, GIVE_ROLE, subject)
    try:
        if asked is None:
            raise NotYourRequest
        withdraw(request_id=asked.pk, membership=request.membership)
        messages.success(request, _("Withdrawn. Nothing was changed."))
    except ApprovalRefusal as refusal:
        messages.error(request, str(refusal))
    return redirect("people:members")


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_MEMBERS)
def member_remove(request: MemberRequest, membership_id: UUID) -> HttpResponse:
    """Ask once more, then remove a member."""
    membership = _member(request, membership_id)
    if request.method != "POST":
        context = {"member": membership, **_said_of(theirs_alone(membership))}
        return render(request, "tenants/member_remove.html", context)
    try:
        remove_with_practice(membership=membership, actor=actor_of(request.user))
        text = _("{person} is no longer a member.")
        messages.success(request, text.format(person=membership.user))
    except services.LastAdministrator as refusal:
        messages.error(request, str(refusal))
    except Membership.DoesNotExist as gone:
        raise Http404 from gone
    return redirect("people:members")


def _lost(membership: Membership, role: str) -> set[Role]:
    """What nobody here would have any more: it is no accident where somebody says so."""
    return {Role.OFFICER, Role.OWNER} & set(theirs_alone(membership)) - set(roles_in(role))


def _said_of(alone: Collection[Role]) -> dict[str, bool]:
    return {"is_last_officer": Role.OFFICER in alone, "is_last_owner": Role.OWNER in alone}


def _member(request: MemberRequest, membership_id: UUID) -> Membership:
    try:
        return members_of(request.membership.tenant).get(pk=membership_id)
    except Membership.DoesNotExist as missing:
        raise Http404 from missing
