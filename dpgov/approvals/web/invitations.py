"""Doors of an administrator's invitations. No page ever shows a link: it is in the letter."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from dpgov.approvals import giving
from dpgov.approvals.errors import ApprovalRefusal
from dpgov.tenants import invitations as service
from dpgov.tenants.letters import send_invitation, site_has_mail
from dpgov.tenants.models import Invitation
from dpgov.tenants.permissions import MemberRequest, Permission, requires
from dpgov.tenants.selectors import actor_of, has_officer
from dpgov.tenants.services import AlreadyMember
from dpgov.tenants.web.forms import InvitationForm
from dpgov.web.pages import show_page


@require_http_methods(["GET", "HEAD", "POST"])
@requires(Permission.MANAGE_MEMBERS)
def invitations(request: MemberRequest) -> HttpResponse:
    """Invitations that wait, and the form that sends one."""
    form = InvitationForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _invite(request, form):
        return redirect("people:invitations")
    tenant = request.membership.tenant
    context = {
        "form": form,
        "waiting": service.open_invitations(tenant),
        "has_mail": site_has_mail(),
        "has_officer": has_officer(tenant),
    }
    return show_page(request, "tenants/invitations.html", context, refused=form.errors)


def _invite(request: MemberRequest, form: InvitationForm) -> bool:
    try:
        begun = giving.invite(membership=request.membership, **form.cleaned_data)
    except (AlreadyMember, service.TooManyInvitations) as refusal:
        form.add_error("email", str(refusal))
        return False
    except ApprovalRefusal as refusal:
        form.add_error("reason", str(refusal))
        return False
    if begun.token:
        _send(request, begun.invitation, begun.token)
    else:
        text = _("A compliance officer has to agree. Then the e-mail goes to {email}.")
        messages.success(request, text.format(email=begun.invitation.email))
    return True


def _send(request: MemberRequest, invitation: Invitation, token: str) -> None:
    if not send_invitation(invitation, token, request.build_absolute_uri):
        messages.warning(request, _("The e-mail could not be sent. Send it again later."))
    elif site_has_mail():
        messages.success(request, _("An e-mail with the link is on its way."))
    else:
        text = _(
            "A link to join is made. The operator of this installation finds it and hands it over."
        )
        messages.success(request, text)


@require_POST
@requires(Permission.MANAGE_MEMBERS)
def again(request: MemberRequest, invitation_id: UUID) -> HttpResponse:
    """Send the letter once more, with a new link; the old one works no more."""
    found = _invitation(request, invitation_id)
    try:
        token = service.issue_again(invitation=found, actor=actor_of(request.user))
    except (service.InviterGone, service.TooManyLetters) as refusal:
        messages.error(request, str(refusal))
    except service.InvitationRefused as gone:
        raise Http404 from gone
    else:
        _send(request, found, token)
    return redirect("people:invitations")


@require_POST
@requires(Permission.MANAGE_MEMBERS)
def revoke(request: MemberRequest, invitation_id: UUID) -> HttpResponse:
    """Take an invitation back."""
    found = _invitation(request, invitation_id)
    try:
        giving.take_back(invitation=found, membership=request.membership)
    except service.InvitationRefused as gone:
        raise Http404 from gone
    text = _("The invitation of {email} no longer works.")
    messages.success(request, text.format(email=found.email))
    return redirect("people:invitations")


def _invitation(request: MemberRequest, invitation_id: UUID) -> Invitation:
    waiting = service.open_invitations(request.membership.tenant).select_related("tenant")
    try:
        return waiting.get(pk=invitation_id)
    except Invitation.DoesNotExist as gone:
        raise Http404 from gone
